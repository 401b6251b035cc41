// What the sockets of a Kafka client show of the brokers behind them: which one answers, which one does not, and why.

import type { Socket } from 'node:net'
import type { ISocketFactory } from 'kafkajs'
import { networkCause } from '../../core/network.ts'
import type { NetworkCause, OutageEvents } from '../../core/network.ts'
import { API, requestHead } from './request-bytes.ts'

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
