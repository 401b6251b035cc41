// The sockets of one kafkajs client. Each request passes `#request` before it is written: it may be changed, told to a callback, or held
// back. Answers are handed to kafkajs whole (`passWholeAnswers`), and all connections can be closed at once.
//
// A JoinGroup request is held back until the partitions are revoked, since kafkajs has no hook before it rejoins a group: it does so as
// soon as it learns of a rebalance or of a leader that moved, while records are still in flight. To switch its heartbeats off does not
// help: it learns from the answers to those that we send too, and stale metadata make it rejoin without any heartbeat.

import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import type { ISocketFactory } from 'kafkajs'
import { watchBroker, type BrokerWatch } from './broker-watch.ts'
import { SocketFetches, type FetchesOptions } from './fetches.ts'
import { checkVersions, PortError, watchPort, type ApiVersions, type PortMemory } from './port-answers.ts'
import { API, CORRELATION_AT, askUncommitted, requestHead, sessionIn, type RequestHead } from './request-bytes.ts'
import { asError, until } from '../../process/waiting.ts'
import { FETCH_VERSION } from '../log/fetch-answer.ts'
import type { FetchFrames } from '../log/fetch-frames.ts'

/** Functions to be called when kafkajs is about to send a request of that kind, and options for how requests are changed. */
export interface WireOptions extends FetchesOptions {
  /** JoinGroup. @param memberId '' if the group has given none yet @returns whether it may be sent; `undefined` when it may at once */
  join?(memberId: string): Promise<boolean> | undefined
  /** The socket of the latest JoinGroup request closed. */
  joinBroken?(): void
  heartbeat?(): void
  sync?(generation: number, memberId: string): void
  leave?(): void
  /** Milliseconds, monotonic. Required for `unansweredSince` and for the pause between empty fetches. */
  readonly now?: () => number
  /** Whether the ends of partitions that kafkajs asks for are behind records of open transactions too. */
  readonly countsOpenTransactions?: boolean | undefined
  /** Notices brokers that do not answer. Told of each request and answer. */
  readonly watch?: BrokerWatch | undefined
  /** The only broker to connect to, host:port. `undefined` when any will do. */
  readonly onlyBroker?: string | undefined
}

const KEEP_ALIVE_MS = 60_000
/** How long the answer may take to a request of our own, which kafkajs does not have (`exchange`). */
const ANSWER_MS = 10_000

export class KafkajsWire implements Disposable {
  readonly #options: WireOptions
  /** Open sockets, each with the time of its last fetch. `undefined` when there was none, or bytes came since. */
  readonly #sockets = new Map<Socket, number | undefined>()
  readonly #ports = new Map<string, PortMemory>()
  /** The socket of the latest JoinGroup request. */
  #joining: Socket | undefined
  /** The connection on which the latest request of each kind (`API`) went. */
  readonly #latest = new Map<number, { readonly socket: Socket; readonly frames: FetchFrames }>()
  /** Versions of the broker that was asked last for them, by api. */
  #versions: ReadonlyMap<number, ApiVersions> = new Map()
  #sessionMs: number | undefined
  /** The latest correlation id of our own. These count down from -1; kafkajs's count up from 0. */
  #ownId = 0
  #isDisposed = false

  constructor(options: WireOptions = {}) {
    this.#options = options
  }

  /** The time of the oldest fetch whose socket has been silent since. `undefined` when there is none. */
  get unansweredSince(): number | undefined {
    const times = [...this.#sockets.values()].filter((since) => since !== undefined)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** Opens a socket for kafkajs, which turns an error that is thrown here into a connection error. */
  readonly socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    if (this.#isDisposed) throw new Error('this client has ended')
    const { onlyBroker, watch } = this.#options
    const address = `${host}:${port}`
    if (onlyBroker !== undefined && onlyBroker !== address) throw new Error('another broker')
    const socket = openSocket(host, port, ssl, onConnect)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    // kafkajs adds a listener whenever it closes a socket that is still connecting: no leak, but Node would warn
    socket.setMaxListeners(0)
    this.#sockets.set(socket, undefined)
    socket.on('data', () => this.#sockets.set(socket, undefined))
    socket.once('close', () => {
      this.#sockets.delete(socket)
      if (this.#joining === socket) this.#options.joinBroken?.()
    })
    const fetches = new SocketFetches(this.#options)
    socket.once('close', () => fetches[Symbol.dispose]())
    const tellPortWatch = watchPort(socket, Boolean(ssl), this.#port(address))
    const tellBrokerWatch = watch && watchBroker(socket, address, watch, Boolean(ssl))
    this.#interceptWrites(socket, fetches, (api) => {
      if (api !== undefined) tellPortWatch(api)
      tellBrokerWatch?.(api)
    })
    // all further listeners are kafkajs's
    passWholeAnswers(socket, fetches.frames)
    return socket
  }

  /** Milliseconds for which the latest login is good; `undefined` when it has no bound, or there was none. */
  get sessionMs(): number | undefined {
    return this.#sessionMs
  }

  /** Whether the broker that was asked last for its versions supports this one. */
  supports(api: number, version: number): boolean {
    const supported = this.#versions.get(api)
    return supported !== undefined && supported.oldest <= version && version <= supported.newest
  }

  /** Sends a request of our own over the connection of kafkajs's latest request of kind `api`. kafkajs drops the answer, as it does not
   *  know its id. @param request one whole request, into which a correlation id is written
   *  @returns the whole answer, with size and correlation id @throws if the connection closes before, or it takes too long */
  async exchange(api: number, request: Buffer): Promise<Buffer> {
    const latest = this.#latest.get(api)
    if (!latest || latest.socket.destroyed) throw new Error('the connection closed')
    const answer = Promise.withResolvers<Buffer>()
    const closed = (): void => answer.reject(new Error('the connection closed'))
    latest.socket.once('close', closed)
    request.writeInt32BE(--this.#ownId, CORRELATION_AT)
    latest.frames.watch(this.#ownId, answer.resolve)
    latest.socket.write(request)
    try {
      return await until(answer.promise, AbortSignal.timeout(ANSWER_MS))
    } finally {
      latest.socket.removeListener('close', closed)
    }
  }

  /** Closes every connection at once and refuses new ones: kafkajs would wait for answers that never arrive. */
  [Symbol.dispose](): void {
    this.#isDisposed = true
    // without an error kafkajs would not notice, and its requests would stay open
    for (const socket of this.#sockets.keys()) socket.destroy(new Error('this client has ended'))
  }

  #port(address: string): PortMemory {
    const known = this.#ports.get(address) ?? { sentVersions: false, hasAnswered: false }
    this.#ports.set(address, known)
    return known
  }

  /** Replaces the socket's `write`, so that each request is looked at, and sent only when it may go.
   *  @param tellWatches called with the kind of each request (`API`); `undefined` for raw bytes of a login */
  #interceptWrites(socket: Socket, fetches: SocketFetches, tellWatches: (api: number | undefined) => void): void {
    const write = socket.write.bind(socket) as (...written: unknown[]) => boolean
    socket.write = (chunk: unknown, ...options: unknown[]): boolean => {
      if (!Buffer.isBuffer(chunk)) return write(chunk, ...options)
      const head = requestHead(chunk)
      tellWatches(head?.api)
      const mayGoLater = head && this.#request(chunk, head, socket, fetches)
      if (!mayGoLater) return write(chunk, ...options)
      void mayGoLater.then((mayGo) => mayGo && !socket.destroyed && write(chunk, ...options))
      return true
    }
  }

  /** Looks at a request, and may change it. @returns whether it may go; `undefined` when it may at once */
  #request(request: Buffer, head: RequestHead, socket: Socket, fetches: SocketFetches): Promise<boolean> | undefined {
    const options = this.#options
    const { api, version, correlationId } = head
    const { frames } = fetches
    this.#latest.set(api, { socket, frames })
    if (api === API.apiVersions) frames.watch(correlationId, (answer) => (this.#versions = checkVersions(answer)))
    if (api === API.saslAuthenticate)
      frames.watch(correlationId, (answer) => (this.#sessionMs = sessionIn(version, answer)))
    if (api === API.listOffsets && options.countsOpenTransactions) askUncommitted(request)
    if (api === API.heartbeat) options.heartbeat?.()
    if (api === API.leaveGroup) options.leave?.()
    if (head.kind === 'sync') options.sync?.(head.generation, head.memberId)
    if (api === API.fetch) return this.#fetch(request, head, socket, fetches)
    if (head.kind !== 'join') return undefined
    this.#joining = socket
    return options.join?.(head.memberId)
  }

  #fetch(
    request: Buffer,
    { version, correlationId }: RequestHead,
    socket: Socket,
    fetches: SocketFetches,
  ): Promise<boolean> | undefined {
    // the answer would pass unchanged, and kafkajs would unpack it at once and without any bound
    if (version !== FETCH_VERSION) {
      socket.destroy(new Error(`the Kafka client asks for records by version ${version}, which is not understood here`))
      return Promise.resolve(false)
    }
    if (this.#sockets.has(socket)) this.#sockets.set(socket, this.#options.now?.() ?? 0)
    return fetches.send(request, correlationId)
  }
}

/** Replaces the socket's `on`, so that kafkajs's listeners get whole answers, those to fetches without their batches. An error that
 *  `frames` or kafkajs throws at an answer closes the connection: otherwise it would end the process. */
function passWholeAnswers(socket: Socket, frames: FetchFrames): void {
  const on = socket.on.bind(socket) as (event: string, listener: (...args: never[]) => void) => Socket
  const onWholeAnswers = (event: string, listener: (...args: never[]) => void): Socket =>
    on(event, event === 'data' ? (chunk: Buffer) => push(chunk, listener as (bytes: Buffer) => void) : listener)
  const push = (chunk: Buffer, listener: (bytes: Buffer) => void): void => {
    if (socket.destroyed) return
    try {
      frames.push(chunk, listener)
    } catch (error) {
      const cause = asError(error)
      const text = `what the broker sends is not understood: ${cause.message}`
      socket.destroy(cause instanceof PortError ? cause : new Error(text, { cause }))
    }
  }
  socket.on = onWholeAnswers
}

function openSocket(host: string, port: number, tls: ConnectionOptions | undefined, onConnect: () => void): Socket {
  // noDelay, since small requests must not wait
  if (!tls) return connectTcp({ host, port, noDelay: true }, onConnect)
  const servername = isIP(host) ? {} : { servername: host }
  // rejectUnauthorized is set explicitly, or NODE_TLS_REJECT_UNAUTHORIZED decides
  const socket = connectTls({ host, port, ...servername, ...tls, rejectUnauthorized: true }, onConnect)
  return socket.setNoDelay(true)
}
