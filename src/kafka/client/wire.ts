// The sockets of one kafkajs client: sees its requests and answers, can hold a request back, and can close all connections.
//
// kafkajs has no hook before it rejoins a group: it does so as soon as it learns of a rebalance or of a leader that moved, while
// records are still in flight. (Switching its heartbeats off does not help: it shares the answer of ours, and stale metadata make
// it rejoin without any heartbeat.) But its JoinGroup request has to pass a socket, and `socketFactory` is a public option: the
// request waits there until the partitions are revoked.

import { connect as connectTcp, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { ConnectionOptions } from 'node:tls'
import type { ISocketFactory } from 'kafkajs'
import { watchBroker } from './broker-watch.ts'
import { FetchPace } from './fetch-pace.ts'
import { checkVersions, PortError, watchPort } from './port-answers.ts'
import type { BrokerWatch } from './broker-watch.ts'
import type { ApiVersions, PortMemory } from './port-answers.ts'
import {
  API,
  CORRELATION_AT,
  askUncommitted,
  boundFetch,
  requestHead,
  sessionIn,
  setFetchWait,
  rotateFetch,
} from './request-bytes.ts'
import { emptyAnswer, refusedAnswer, shrinkAnswer } from './shrink-answer.ts'
import { KeptBatches } from './stand-ins.ts'
import { asError, until } from '../../process/waiting.ts'
import { FETCH_VERSION } from '../log/fetch-answer.ts'
import { FetchFrames } from '../log/fetch-frames.ts'
import { FetchBudget } from '../log/fetch-budget.ts'
import type { Hold } from '../log/fetch-budget.ts'
import { UNPACKED_LIMIT } from '../log/read-packed.ts'
import type { PackedBatch } from '../log/record-batch.ts'
import type { TopicPartition } from '../types.ts'

/** Callbacks for requests, and how requests are changed. */
export interface WireOptions {
  /** A JoinGroup request is about to be sent. @param memberId '' if the group does not know it yet
   *  @returns whether it may be sent; `undefined` when it may at once */
  join?(memberId: string): Promise<boolean> | undefined
  /** The socket of the latest JoinGroup request closed. */
  joinBroken?(): void
  heartbeat?(): void
  sync?(generation: number, memberId: string): void
  leave?(): void
  /** A fetch was answered with UNKNOWN_TOPIC_OR_PARTITION. */
  readonly unknown?: (partition: TopicPartition) => void
  /** Milliseconds, monotonic. Required for `unansweredSince` and for the pause between empty fetches. */
  readonly now?: () => number
  /** How long a broker may hold a fetch that finds nothing. Default: as kafkajs asks. */
  readonly fetchWaitMs?: number
  /** Counts what is fetched. */
  readonly budget?: FetchBudget | undefined
  /** Whether ends of partitions count records of open transactions. */
  readonly countsOpen?: boolean | undefined
  /** Is told as the brokers answer. */
  readonly watch?: BrokerWatch | undefined
  /** The only broker to connect to, host:port. */
  readonly only?: string | undefined
}

/** The fetches of one socket. */
interface Fetches {
  readonly frames: FetchFrames
  readonly pace: FetchPace | undefined
  readonly held: {
    /** Memory for the bytes that its fetch may bring. */
    asked: Hold | undefined
    /** Memory for an answer that is being read. */
    read: Hold | undefined
  }
}

/** A larger answer is not read: it holds a single batch with more bytes than we accept. */
const LARGEST = UNPACKED_LIMIT + 1024 * 1024

const KEEP_ALIVE_MS = 60_000
/** How long an answer to a request of our own may take. */
const ANSWER_MS = 10_000

export class KafkajsWire implements Disposable {
  readonly #options: WireOptions
  readonly #budget: FetchBudget
  /** The time of the last fetch of each socket; `undefined` when the socket was not silent since. */
  readonly #sockets = new Map<Socket, number | undefined>()
  readonly #ports = new Map<string, PortMemory>()
  /** The socket of the latest JoinGroup request. */
  #joining: Socket | undefined
  /** The connection on which the latest request of each api went. */
  readonly #latest = new Map<number, { readonly socket: Socket; readonly frames: FetchFrames }>()
  #versions: ReadonlyMap<number, ApiVersions> = new Map()
  #sessionMs: number | undefined
  /** Our own correlation ids; kafkajs counts up from 0. */
  #ownId = 0
  #isCut = false
  #turn = 0

  constructor(options: WireOptions = {}) {
    this.#options = options
    this.#budget = options.budget ?? new FetchBudget()
  }

  /** When the oldest fetch was sent whose socket has been silent since. */
  get unansweredSince(): number | undefined {
    let oldest: number | undefined
    for (const since of this.#sockets.values())
      if (since !== undefined && (oldest === undefined || since < oldest)) oldest = since
    return oldest
  }

  readonly socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    // kafkajs turns this into a connection error: a client that has ended must not reconnect
    if (this.#isCut) throw new Error('this client has ended')
    const { only, watch } = this.#options
    const address = `${host}:${port}`
    if (only !== undefined && only !== address) throw new Error('another broker')
    const socket = open(host, port, ssl, onConnect)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    // kafkajs adds a listener whenever it closes a socket that is still connecting: no leak, but Node would warn
    socket.setMaxListeners(0)
    this.#sockets.set(socket, undefined)
    socket.on('data', () => this.#sockets.set(socket, undefined))
    socket.once('close', () => {
      this.#sockets.delete(socket)
      if (this.#joining === socket) this.#options.joinBroken?.()
    })
    const fetches = this.#fetches(socket)
    const asksPort = watchPort(socket, Boolean(ssl), this.#port(address))
    const asksBroker = watch && watchBroker(socket, address, watch, Boolean(ssl))
    const asked = (api: number | undefined): void => {
      if (api !== undefined) asksPort(api)
      asksBroker?.(api)
    }
    this.#tap(socket, asked, fetches)
    // all further listeners are kafkajs's
    frame(socket, fetches.frames)
    return socket
  }

  /** Milliseconds for which the latest login is good; `undefined` when it has no bound. */
  get sessionMs(): number | undefined {
    return this.#sessionMs
  }

  /** Whether the broker that was asked last for its versions has this one. */
  has(api: number, version: number): boolean {
    const { oldest, newest } = this.#versions.get(api) ?? { oldest: 0, newest: -1 }
    return oldest <= version && version <= newest
  }

  /** Sends a request of our own over the connection of the latest request of `api`. kafkajs drops the answer.
   *  @param request one whole request; its correlation id is set
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
    this.#isCut = true
    // with an error: otherwise kafkajs does not notice, and its requests stay open
    for (const socket of this.#sockets.keys()) socket.destroy(new Error('this client has ended'))
  }

  #port(address: string): PortMemory {
    const known = this.#ports.get(address) ?? { sentVersions: false, hasAnswered: false }
    this.#ports.set(address, known)
    return known
  }

  #fetches(socket: Socket): Fetches {
    const budget = this.#budget
    const { now } = this.#options
    const pace = now && new FetchPace(now)
    const kept = new KeptBatches(budget)
    const keep = (batch: PackedBatch): number => kept.keep(batch)
    const held: Fetches['held'] = { asked: undefined, read: undefined }
    const frames = new FetchFrames({
      begun: (bytes) => {
        held.asked?.release()
        if (bytes > LARGEST) return 'refused'
        if (!budget.admits(bytes)) return 'later'
        held.read = budget.read(bytes)
        return 'read'
      },
      whole: (frame) => {
        kept[Symbol.dispose]()
        const answer = shrinkAnswer(frame, keep, this.#options.unknown)
        pace?.answered(answer === frame)
        held.read?.release()
        return answer
      },
      refused: (head) => refusedAnswer(head, keep),
      later: (correlationId) => {
        pace?.answered(true)
        return emptyAnswer(correlationId)
      },
    })
    socket.once('close', () => {
      held.asked?.release()
      held.read?.release()
      kept[Symbol.dispose]()
    })
    return { frames, pace, held }
  }

  #tap(socket: Socket, asked: (api: number | undefined) => void, fetches: Fetches): void {
    const write = socket.write.bind(socket) as (...written: unknown[]) => boolean
    const tapped = (chunk: unknown, ...more: unknown[]): boolean => {
      const held = Buffer.isBuffer(chunk) ? this.#request(chunk, socket, asked, fetches) : undefined
      if (!held) return write(chunk, ...more)
      void held.then((mayGo) => mayGo && !socket.destroyed && write(chunk, ...more))
      return true
    }
    socket.write = tapped
  }

  #request(
    request: Buffer,
    socket: Socket,
    asked: (api: number | undefined) => void,
    fetches: Fetches,
  ): Promise<boolean> | undefined {
    const head = requestHead(request)
    asked(head?.api)
    if (!head) return undefined
    const options = this.#options
    if ('correlationId' in head) {
      if (head.api === API.fetch) return this.#fetch(request, head.version, head.correlationId, socket, fetches)
      fetches.frames.watch(head.correlationId, (answer) => {
        if (head.api === API.apiVersions) this.#versions = checkVersions(answer)
        else this.#sessionMs = sessionIn(head.version, answer)
      })
      return undefined
    }
    this.#latest.set(head.api, { socket, frames: fetches.frames })
    if (head.api === API.listOffsets && options.countsOpen) askUncommitted(request)
    if (head.api === API.heartbeat) options.heartbeat?.()
    if (head.api === API.leaveGroup) options.leave?.()
    if ('generation' in head) options.sync?.(head.generation, head.memberId)
    if (!('memberId' in head) || 'generation' in head) return undefined
    this.#joining = socket
    return options.join?.(head.memberId)
  }

  #fetch(
    request: Buffer,
    version: number,
    correlationId: number,
    socket: Socket,
    { frames, pace, held }: Fetches,
  ): Promise<boolean> | undefined {
    // its answer would pass unchanged, and kafkajs would unpack it at once and without any bound
    if (version !== FETCH_VERSION) {
      socket.destroy(new Error(`the Kafka client asks for records by version ${version}, which is not understood here`))
      return Promise.resolve(false)
    }
    const { fetchWaitMs, now } = this.#options
    if (fetchWaitMs !== undefined) setFetchWait(request, fetchWaitMs)
    if (this.#sockets.has(socket)) this.#sockets.set(socket, now?.() ?? 0)
    frames.asked(correlationId)
    rotateFetch(request, this.#turn++)
    held.asked?.release()
    held.asked = boundFetch(request, this.#budget)
    const rest = pace?.asked() ?? 0
    return rest > 0 ? sleep(rest, true) : undefined
  }
}

/** Passes whole answers to kafkajs's listeners, those to fetches without their batches. What kafkajs throws at an answer that it
 *  does not understand would end the process, so it closes the connection instead. */
function frame(socket: Socket, frames: FetchFrames): void {
  const on = socket.on.bind(socket) as (event: string, listener: (...given: never[]) => void) => Socket
  const framed = (event: string, listener: (...given: never[]) => void): Socket =>
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
  socket.on = framed
}

function open(host: string, port: number, tls: ConnectionOptions | undefined, onConnect: () => void): Socket {
  // small requests must not wait
  if (!tls) return connectTcp({ host, port, noDelay: true }, onConnect)
  const servername = isIP(host) ? {} : { servername: host }
  // set explicitly, or NODE_TLS_REJECT_UNAUTHORIZED decides
  const socket = connectTls({ host, port, ...servername, ...tls, rejectUnauthorized: true }, onConnect)
  return socket.setNoDelay(true)
}
