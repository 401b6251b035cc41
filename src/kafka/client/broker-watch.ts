// Watches the sockets of a Kafka client: which brokers answer, which do not, and why. Each connection reports to the events of its broker
// that an answer is due (`began`), and then once what came of that: `answered`, `failed`, or `ended` when it proves nothing.

import type { Socket } from 'node:net'
import { networkCause, type NetworkCause, type OutageEvents } from '../../core/network.ts'
import { API } from './request-bytes.ts'

/** Judges by the events of all connections which brokers are out. */
export interface BrokerWatch {
  /** The receiver of the events of one broker. @param address host:port */
  eventsOf(address: string): OutageEvents
  /** Whether any broker failed and has not answered since. The watch logs that, so what follows from it needs no warning of its own. */
  readonly isFailing: boolean
  /** The clock by which waits for answers are measured: milliseconds, monotonic. */
  now(): number
}

/** A client that closes a connection after it waited for an answer this long has given up; one that closes it sooner is just done. */
const GIVEN_UP_MS = 4_000

const TIMEOUT: NetworkCause = { words: 'timeout' }
const CONNECTION_TIMEOUT: NetworkCause = { words: 'connection timeout' }
const CLOSED: NetworkCause = { words: 'connection closed' }
const NOT_KAFKA: NetworkCause = { words: 'invalid Kafka response' }
/** Part of the message of the error with which wire.ts destroys a socket, at an answer or request that cannot be read. */
const NOT_UNDERSTOOD = 'is not understood'

/** Watches one connection from its start; the first answer that is due is the connection itself. Replaces the socket's `end`. To be called
 *  before wire.ts replaces the socket's `on`, so that it hears of all bytes as they arrive. @param address host:port
 *  @returns a function to call for each request that is sent, with its kind (`API`); `undefined` for raw bytes of a login */
export function watchBroker(
  socket: Socket,
  address: string,
  watch: BrokerWatch,
  isEncrypted: boolean,
): (api: number | undefined) => void {
  const connection = new BrokerConnection(watch.eventsOf(address), watch, isEncrypted)
  socket.once(isEncrypted ? 'secureConnect' : 'connect', () => connection.connected())
  socket.on('data', () => connection.answered())
  socket.on('error', (error: NodeJS.ErrnoException) => connection.broke(error))
  socket.once('end', () => !socket.writableEnded && connection.closedByBroker())
  socket.once('close', () => connection.closedByClient())
  const end = socket.end.bind(socket) as (...written: unknown[]) => Socket
  socket.end = (...written: unknown[]): Socket => {
    connection.closedByClient()
    return end(...written)
  }
  return (api) => {
    // no answer is due to these: a rebalance takes as long as its slowest member
    if (api !== API.joinGroup && api !== API.syncGroup) connection.asked()
  }
}

/** One connection, and since when an answer is due. Events come from the socket in any order; none counts once it has failed or closed. */
class BrokerConnection {
  readonly #isEncrypted: boolean
  readonly #broker: OutageEvents
  readonly #clock: { now(): number }
  #isConnected = false
  /** Since when an answer is due. `undefined` when none is. */
  #waitingSince: number | undefined
  #isOver = false

  constructor(broker: OutageEvents, clock: { now(): number }, isEncrypted: boolean) {
    this.#broker = broker
    this.#clock = clock
    this.#isEncrypted = isEncrypted
    this.asked()
  }

  /** A request was sent. */
  asked(): void {
    if (this.#isOver || this.#waitingSince !== undefined) return
    this.#waitingSince = this.#clock.now()
    this.#broker.began()
  }

  /** The connection is there. This does not count as an answer: the kernel accepts connections for a process that hangs. */
  connected(): void {
    this.#isConnected = true
    this.#settle(() => this.#broker.ended())
  }

  /** Bytes arrived. */
  answered(): void {
    if (this.#isOver) return
    // an answer that was not due (to a join) is reported too
    this.asked()
    this.#settle(() => this.#broker.answered())
  }

  /** The socket failed, with an error of the system, a `PortError`, or another of ours, which has no code. Of the PortErrors only WANTS_LOGIN
   *  comes while an answer is due: it is found at the close, the others in an answer. */
  broke({ code, message }: NodeJS.ErrnoException): void {
    if (code === 'WANTS_LOGIN') this.closedByBroker()
    else if (code !== undefined) this.#fail(networkCause(code, this.#isEncrypted && !this.#isConnected))
    else if (message.includes(NOT_UNDERSTOOD)) this.#fail(NOT_KAFKA)
    else this.closedByClient()
  }

  /** The broker closed the connection. If no answer was due, it just was idle for long, and nothing is reported. */
  closedByBroker(): void {
    this.#fail(CLOSED)
  }

  /** The client closes the connection, or the socket is closed: an answer that is still due counts as missing if it was due for long. */
  closedByClient(): void {
    const waitedMs = this.#waitingSince === undefined ? 0 : this.#clock.now() - this.#waitingSince
    if (waitedMs >= GIVEN_UP_MS) this.#fail(this.#isConnected ? TIMEOUT : CONNECTION_TIMEOUT)
    else this.#settle(() => this.#broker.ended())
    this.#isOver = true
  }

  #fail(cause: NetworkCause): void {
    this.#settle(() => this.#broker.failed(cause))
    this.#isOver = true
  }

  /** Ends the wait for an answer. @param report called if one was due */
  #settle(report: () => void): void {
    if (this.#waitingSince === undefined) return
    this.#waitingSince = undefined
    report()
  }
}
