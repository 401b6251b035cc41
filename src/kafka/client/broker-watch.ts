// What the sockets of a Kafka client show of the brokers behind them: which one answers, which one does not, and why.

import type { Socket } from 'node:net'
import type { ISocketFactory } from 'kafkajs'
import { networkCause } from '../../core/network.ts'
import type { NetworkCause, OutageEvents } from '../../core/network.ts'
import { API, requestHead } from './request-bytes.ts'
import { FETCH_VERSION } from '../log/fetch-answer.ts'

/** Events of each broker, by its host:port. */
export interface BrokerWatch {
  of(place: string): OutageEvents
  /** Whether one of them failed and has not answered since: that is reported, so others need not warn of what comes of it. */
  readonly isFailing: boolean
  now(): number
}

/** A client that gives up on a broker after this time had no answer from it. */
const GIVEN_UP_MS = 4_000

const TIMEOUT: NetworkCause = { words: 'timeout' }
const CONNECTION_TIMEOUT: NetworkCause = { words: 'connection timeout' }
const CLOSED: NetworkCause = { words: 'connection closed' }
const NOT_KAFKA: NetworkCause = { words: 'invalid Kafka response' }

/** The same sockets, listened to. */
export function watchedSockets(factory: ISocketFactory, watch: BrokerWatch): ISocketFactory {
  return (options) => {
    const socket = factory(options)
    listen(socket, new Conversation(watch.of(`${options.host}:${options.port}`), watch, Boolean(options.ssl)))
    return socket
  }
}

function listen(socket: Socket, talk: Conversation): void {
  socket.once(talk.isEncrypted ? 'secureConnect' : 'connect', () => talk.connected())
  // not `on`, which the wire has replaced for those who want whole answers
  socket.addListener('data', () => talk.answered())
  socket.on('error', (error: NodeJS.ErrnoException) => talk.broken(error))
  socket.once('end', () => !socket.writableEnded && talk.closed())
  socket.once('close', () => talk.left())
  const write = socket.write.bind(socket) as (...written: unknown[]) => boolean
  const end = socket.end.bind(socket) as (...written: unknown[]) => Socket
  const asking = (chunk: unknown, ...more: unknown[]): boolean => {
    if (isAnsweredSoon(chunk)) talk.asked()
    return write(chunk, ...more)
  }
  const leaving = (...written: unknown[]): Socket => {
    talk.left()
    return end(...written)
  }
  Object.assign(socket, { write: asking, end: leaving })
}

/** A group that forms takes as long as its slowest member. */
function isAnsweredSoon(chunk: unknown): boolean {
  const api = Buffer.isBuffer(chunk) ? requestHead(chunk)?.api : undefined
  return api !== API.joinGroup && api !== API.syncGroup
}

/** One connection: what is waited for at its other end. */
class Conversation {
  readonly isEncrypted: boolean
  readonly #broker: OutageEvents
  readonly #clock: { now(): number }
  #isConnected = false
  #waitsSince: number | undefined
  #isOver = false

  constructor(broker: OutageEvents, clock: { now(): number }, isEncrypted: boolean) {
    this.#broker = broker
    this.#clock = clock
    this.isEncrypted = isEncrypted
    this.asked()
  }

  asked(): void {
    if (this.#isOver || this.#waitsSince !== undefined) return
    this.#waitsSince = this.#clock.now()
    this.#broker.began()
  }

  /** That is no answer: a process that hangs is connected to by its machine. */
  connected(): void {
    this.#isConnected = true
    this.#settle(() => this.#broker.ended())
  }

  answered(): void {
    if (this.#isOver) return
    this.asked()
    this.#settle(() => this.#broker.answered())
  }

  /** By an error of the socket's, or of ours, which has no code. */
  broken({ code, message }: NodeJS.ErrnoException): void {
    if (code !== undefined) this.#fail(networkCause(code, this.isEncrypted && !this.#isConnected))
    else if (message.includes('is not understood')) this.#fail(NOT_KAFKA)
    else this.left()
  }

  /** By the broker. One that nothing is asked of may close: it has been idle for long. */
  closed(): void {
    this.#fail(CLOSED)
  }

  /** By the client. */
  left(): void {
    const waitedMs = this.#waitsSince === undefined ? 0 : this.#clock.now() - this.#waitsSince
    if (waitedMs >= GIVEN_UP_MS) this.#fail(this.#isConnected ? TIMEOUT : CONNECTION_TIMEOUT)
    else this.#settle(() => this.#broker.ended())
    this.#isOver = true
  }

  #fail(cause: NetworkCause): void {
    this.#settle(() => this.#broker.failed(cause))
    this.#isOver = true
  }

  #settle(report: () => void): void {
    if (this.#waitsSince === undefined) return
    this.#waitsSince = undefined
    report()
  }
}

// What a broker's port wants, seen by how it answers one that does not give it: kafkajs only ever reports that a connection
// closed.

export type PortWant = 'WANTS_TLS' | 'WANTS_LOGIN' | 'OLD_BROKER' | 'NEW_BROKER'

/** What the socket ends with. */
export class PortError extends Error {
  readonly code: PortWant

  constructor(code: PortWant, message: string) {
    super(message)
    this.code = code
  }
}

/** How a TLS record begins that says that something is wrong: as Kafka's answer it would be of 350 MB. */
const ALERT = [0x15, 0x03]

/** What all connections of one client to one port found out about it: a client asks for versions once, not once a connection. */
export interface PortMemory {
  sentVersions: boolean
  /** Anything else. */
  hasAnswered: boolean
}

/** To be called before anybody else listens to the socket.
 *  @returns to be called for each request that goes out */
export function watchPort(socket: Socket, isEncrypted: boolean, port: PortMemory): (api: number) => void {
  let isFirst = true
  let isAskedForVersions = false
  let questions = 0
  socket.on('data', (data: Buffer) => {
    if (isFirst && !isEncrypted && ALERT.every((byte, at) => data[at] === byte))
      socket.destroy(new PortError('WANTS_TLS', 'it answers with TLS'))
    isFirst = false
    if (questions > 0) port.hasAnswered = true
    else if (isAskedForVersions) port.sentVersions = true
  })
  socket.on('end', () => {
    if (!port.sentVersions || questions !== 1 || port.hasAnswered) return
    // emitted by hand, as what listens next reports that the connection closed, and nothing else
    socket.emit(
      'error',
      new PortError('WANTS_LOGIN', 'it lists its versions, and closes the connection at the next request'),
    )
  })
  return (api) => {
    // a login that is refused comes with words
    if (api === API.saslHandshake) questions = Infinity
    else if (api === API.apiVersions) isAskedForVersions = true
    else questions++
  }
}

/** In an answer with size and correlation id. */
const ERROR_AT = 8
const COUNT_AT = 10
const VERSIONS_AT = 14
/** Api, oldest and newest version. */
const VERSION_BYTES = 6

/** Records are asked for in one version only, which is understood byte by byte (log/fetch-answer.ts).
 *  @param answer which versions a broker has of each api
 *  @throws PortError when it has not that one */
export function checkVersions(answer: Buffer): void {
  // an error: the client asks again, in another way
  if (answer.length < VERSIONS_AT || answer.readInt16BE(ERROR_AT) !== 0) return
  const end = Math.min(answer.length, VERSIONS_AT + answer.readInt32BE(COUNT_AT) * VERSION_BYTES)
  for (let at = VERSIONS_AT; at + VERSION_BYTES <= end; at += VERSION_BYTES) {
    if (answer.readInt16BE(at) !== API.fetch) continue
    const [oldest, newest] = [answer.readInt16BE(at + 2), answer.readInt16BE(at + 4)]
    if (newest < FETCH_VERSION)
      throw new PortError('OLD_BROKER', `it has no fetch requests of version ${FETCH_VERSION}, but up to ${newest}`)
    if (oldest > FETCH_VERSION)
      throw new PortError(
        'NEW_BROKER',
        `it has no fetch requests of version ${FETCH_VERSION} any more, but from ${oldest}`,
      )
  }
}
