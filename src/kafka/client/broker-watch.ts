// Watches the sockets of a Kafka client: which brokers answer, which do not, and why.

import type { Socket } from 'node:net'
import { networkCause } from '../../core/network.ts'
import type { NetworkCause, OutageEvents } from '../../core/network.ts'
import { API } from './request-bytes.ts'
import { FETCH_VERSION } from '../log/fetch-answer.ts'

/** Receives events of each broker. */
export interface BrokerWatch {
  /** @param address host:port */
  of(address: string): OutageEvents
  /** Whether a broker failed and has not answered since. That is reported, so the consequences need no warning of
   *  their own. */
  readonly isFailing: boolean
  now(): number
}

/** A client that closes a connection after waiting this long got no answer. */
const GIVEN_UP_MS = 4_000

const TIMEOUT: NetworkCause = { words: 'timeout' }
const CONNECTION_TIMEOUT: NetworkCause = { words: 'connection timeout' }
const CLOSED: NetworkCause = { words: 'connection closed' }
const NOT_KAFKA: NetworkCause = { words: 'invalid Kafka response' }

/** Must be called before the socket's `on` is replaced, to see what arrives as it does.
 *  @param address host:port
 *  @returns call it for each request that is sent, with its api where that is known */
export function watchBroker(
  socket: Socket,
  address: string,
  watch: BrokerWatch,
  isEncrypted: boolean,
): (api: number | undefined) => void {
  const connection = new BrokerConnection(watch.of(address), watch, isEncrypted)
  socket.once(isEncrypted ? 'secureConnect' : 'connect', () => connection.connected())
  socket.on('data', () => connection.answered())
  socket.on('error', (error: NodeJS.ErrnoException) => connection.broken(error))
  socket.once('end', () => !socket.writableEnded && connection.closed())
  socket.once('close', () => connection.left())
  const end = socket.end.bind(socket) as (...written: unknown[]) => Socket
  socket.end = (...written: unknown[]): Socket => {
    connection.left()
    return end(...written)
  }
  return (api) => {
    // a rebalance takes as long as its slowest member
    if (api !== API.joinGroup && api !== API.syncGroup) connection.asked()
  }
}

/** One connection, and since when an answer is due. */
class BrokerConnection {
  readonly #isEncrypted: boolean
  readonly #broker: OutageEvents
  readonly #clock: { now(): number }
  #isConnected = false
  #waitingSince: number | undefined
  #isOver = false

  constructor(broker: OutageEvents, clock: { now(): number }, isEncrypted: boolean) {
    this.#broker = broker
    this.#clock = clock
    this.#isEncrypted = isEncrypted
    this.asked()
  }

  asked(): void {
    if (this.#isOver || this.#waitingSince !== undefined) return
    this.#waitingSince = this.#clock.now()
    this.#broker.began()
  }

  /** This does not count as an answer: the kernel accepts connections for a process that hangs. */
  connected(): void {
    this.#isConnected = true
    this.#settle(() => this.#broker.ended())
  }

  answered(): void {
    if (this.#isOver) return
    this.asked()
    this.#settle(() => this.#broker.answered())
  }

  /** The socket failed, with an error of its own or with ours, which has no code. */
  broken({ code, message }: NodeJS.ErrnoException): void {
    if (code !== undefined) this.#fail(networkCause(code, this.#isEncrypted && !this.#isConnected))
    else if (message.includes('is not understood')) this.#fail(NOT_KAFKA)
    else this.left()
  }

  /** The broker closed the connection. If no answer is due, it was just idle for long. */
  closed(): void {
    this.#fail(CLOSED)
  }

  /** The client closed the connection. */
  left(): void {
    const waitedMs = this.#waitingSince === undefined ? 0 : this.#clock.now() - this.#waitingSince
    if (waitedMs >= GIVEN_UP_MS) this.#fail(this.#isConnected ? TIMEOUT : CONNECTION_TIMEOUT)
    else this.#settle(() => this.#broker.ended())
    this.#isOver = true
  }

  #fail(cause: NetworkCause): void {
    this.#settle(() => this.#broker.failed(cause))
    this.#isOver = true
  }

  #settle(report: () => void): void {
    if (this.#waitingSince === undefined) return
    this.#waitingSince = undefined
    report()
  }
}

// What a port expects, TLS, a login or another version, found out from how it answers: kafkajs only reports that a connection
// closed.

export type PortWant = 'WANTS_TLS' | 'WANTS_LOGIN' | 'OLD_BROKER' | 'NEW_BROKER'

/** The error that a socket is destroyed with. */
export class PortError extends Error {
  readonly code: PortWant

  constructor(code: PortWant, message: string) {
    super(message)
    this.code = code
  }
}

/** The beginning of a TLS alert. As the size of a Kafka answer it would be 350 MB. */
const ALERT = [0x15, 0x03]

/** Facts about a port that all connections of a client found out: a client asks for versions once, not on every
 *  connection. */
export interface PortMemory {
  sentVersions: boolean
  /** It answered anything else. */
  hasAnswered: boolean
}

/** Must be called before anything else listens to the socket.
 *  @returns call it for each request that is sent */
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
    // emitted here, because the next listener only reports that the connection closed
    socket.emit(
      'error',
      new PortError('WANTS_LOGIN', 'it lists its versions, and closes the connection at the next request'),
    )
  })
  return (api) => {
    // a refused login has its own message
    if (api === API.saslHandshake) questions = Infinity
    else if (api === API.apiVersions) isAskedForVersions = true
    else questions++
  }
}

/** Positions in the answer, size and correlation id included. */
const ERROR_AT = 8
const COUNT_AT = 10
const VERSIONS_AT = 14
/** Api key, oldest and newest version. */
const VERSION_BYTES = 6

/** Versions of the requests that a broker supports. */
export interface ApiVersions {
  readonly oldest: number
  readonly newest: number
}

/** We read fetch answers of one version only (log/fetch-answer.ts).
 *  @param answer to ApiVersions
 *  @returns what it supports, by api
 *  @throws PortError if the broker does not support that version */
export function checkVersions(answer: Buffer): ReadonlyMap<number, ApiVersions> {
  const versions = new Map<number, ApiVersions>()
  // an error: the client asks again with another version
  if (answer.length < VERSIONS_AT || answer.readInt16BE(ERROR_AT) !== 0) return versions
  const end = Math.min(answer.length, VERSIONS_AT + answer.readInt32BE(COUNT_AT) * VERSION_BYTES)
  for (let at = VERSIONS_AT; at + VERSION_BYTES <= end; at += VERSION_BYTES) {
    const [api, oldest, newest] = [0, 2, 4].map((field) => answer.readInt16BE(at + field)) as [number, number, number]
    versions.set(api, { oldest, newest })
    if (api !== API.fetch) continue
    if (newest < FETCH_VERSION)
      throw new PortError('OLD_BROKER', `it has no fetch requests of version ${FETCH_VERSION}, but up to ${newest}`)
    if (oldest > FETCH_VERSION)
      throw new PortError(
        'NEW_BROKER',
        `it has no fetch requests of version ${FETCH_VERSION} any more, but from ${oldest}`,
      )
  }
  return versions
}
