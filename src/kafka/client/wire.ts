// The sockets of one kafkajs client: sees which requests of the group go out, can hold one back, and can cut all of them.
//
// kafkajs has no hook before it rejoins a group: it does so as soon as a heartbeat, or a leader that moved, tells it to,
// with whatever is under way still under way. (A heartbeat interval that is switched off does not help: whoever asks for a
// heartbeat while one is under way is given that one's answer, so kafkajs learns of a rebalance together with us; and
// stale metadata make it rejoin without any heartbeat.) Its JoinGroup request has to pass a socket, whatever the cause,
// and `socketFactory` is a public option: there it waits until the partitions are let go.

import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import type { ISocketFactory } from 'kafkajs'
import { checkVersions, PortError, watchPort } from './broker-watch.ts'
import type { PortMemory } from './broker-watch.ts'
import { API, askUncommitted, boundFetch, requestHead, setFetchWait, turnFetch } from './request-bytes.ts'
import { emptyAnswer, refusedAnswer, shrinkAnswer } from './shrink-answer.ts'
import { KeptBatches } from './stand-ins.ts'
import { asError } from './waiting.ts'
import { FETCH_VERSION, FetchFrames } from '../log/fetch-answer.ts'
import { FetchBudget } from '../log/fetch-budget.ts'
import type { Hold } from '../log/fetch-budget.ts'
import { UNPACKED_LIMIT } from '../log/read-packed.ts'
import type { PackedBatch } from '../log/record-batch.ts'
import type { TopicPartition } from '../types.ts'

/** What is called for requests as they go out, and how they are changed. */
export interface WireOptions {
  /** A JoinGroup request is about to go out; '' : as a member the group does not know.
   *  @returns when it is decided whether it may; undefined: it may */
  join?(memberId: string): Promise<boolean> | undefined
  /** The socket of the latest JoinGroup request closed. */
  joinBroken?(): void
  heartbeat?(): void
  sync?(generation: number, memberId: string): void
  leave?(): void
  /** What a group is like is asked by this one: of its coordinator. */
  readonly describe?: ((socket: Socket) => void) | undefined
  /** A broker that was asked for records of it does not know it. */
  readonly unknown?: (partition: TopicPartition) => void
  /** Milliseconds, monotonic. Absent: it is not known since when an answer is owed, and no fetch is held. */
  readonly now?: () => number
  /** How long a broker may hold a fetch that finds nothing. Absent: as the client says. */
  readonly fetchWaitMs?: number
  /** Counts what is fetched. */
  readonly budget?: FetchBudget | undefined
  /** Ends of partitions are asked for with the records of open transactions. */
  readonly countsOpen?: boolean | undefined
  /** No other broker is connected to: host:port. */
  readonly only?: string | undefined
}

/** What is known of one socket's. */
interface Fetches {
  readonly frames: FetchFrames
  readonly pace: FetchPace | undefined
  readonly held: {
    /** Counts what its fetch may bring. */
    asked: Hold | undefined
    /** Counts an answer while it is read. */
    read: Hold | undefined
  }
}

/** An answer of more is not read: it would be one batch, whose records alone have more than is taken. */
const LARGEST = UNPACKED_LIMIT + 1024 * 1024

const KEEP_ALIVE_MS = 60_000

export class KafkajsWire implements Disposable {
  readonly #options: WireOptions
  readonly #budget: FetchBudget
  /** Each with when it was asked for a fetch that nothing was heard of since. */
  readonly #sockets = new Map<Socket, number | undefined>()
  readonly #ports = new Map<string, PortMemory>()
  /** Over which the latest JoinGroup request went. */
  #joining: Socket | undefined
  #isCut = false
  #turn = 0

  constructor(options: WireOptions = {}) {
    this.#options = options
    this.#budget = options.budget ?? new FetchBudget()
  }

  /** When the oldest fetch left whose socket is silent since. */
  get unansweredSince(): number | undefined {
    let oldest: number | undefined
    for (const since of this.#sockets.values())
      if (since !== undefined && (oldest === undefined || since < oldest)) oldest = since
    return oldest
  }

  readonly socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    // kafkajs turns this into a connection error: a client that was given up must not come back
    if (this.#isCut) throw new Error('this client has ended')
    const { only } = this.#options
    if (only !== undefined && only !== `${host}:${port}`) throw new Error('another broker')
    const socket = open(host, port, ssl, onConnect)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    // each time kafkajs gives up on a socket that is still connecting it adds a listener: not a leak, but warned of
    socket.setMaxListeners(0)
    this.#sockets.set(socket, undefined)
    socket.on('data', () => this.#sockets.set(socket, undefined))
    socket.once('close', () => {
      this.#sockets.delete(socket)
      if (this.#joining === socket) this.#options.joinBroken?.()
    })
    const fetches = this.#fetches(socket)
    this.#tap(socket, watchPort(socket, Boolean(ssl), this.#port(host, port)), fetches)
    // who listens from here on is the client
    frame(socket, fetches.frames)
    return socket
  };

  /** Ends every connection at once, and those to come: kafkajs waits for answers that never arrive. */
  [Symbol.dispose](): void {
    this.#isCut = true
    // with an error, or kafkajs would not notice and its requests would stay open
    for (const socket of this.#sockets.keys()) socket.destroy(new Error('this client has ended'))
  }

  #port(host: string, port: number): PortMemory {
    const place = `${host}:${port}`
    const known = this.#ports.get(place) ?? { sentVersions: false, hasAnswered: false }
    this.#ports.set(place, known)
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

  #tap(socket: Socket, asked: (api: number) => void, fetches: Fetches): void {
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
    asked: (api: number) => void,
    fetches: Fetches,
  ): Promise<boolean> | undefined {
    const head = requestHead(request)
    if (!head) return undefined
    asked(head.api)
    const options = this.#options
    if ('correlationId' in head) {
      if (head.api === API.fetch) return this.#fetch(request, head.version, head.correlationId, socket, fetches)
      fetches.frames.watch(head.correlationId, checkVersions)
      return undefined
    }
    if (head.api === API.listOffsets && options.countsOpen) askUncommitted(request)
    if (head.api === API.heartbeat) options.heartbeat?.()
    if (head.api === API.leaveGroup) options.leave?.()
    if (head.api === API.describeGroups) options.describe?.(socket)
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
    // its answer would pass as it is, and be unpacked by the client: at once, and without any bound
    if (version !== FETCH_VERSION) {
      socket.destroy(new Error(`the Kafka client asks for records by version ${version}, which is not understood here`))
      return Promise.resolve(false)
    }
    const { fetchWaitMs, now } = this.#options
    if (fetchWaitMs !== undefined) setFetchWait(request, fetchWaitMs)
    if (this.#sockets.has(socket)) this.#sockets.set(socket, now?.() ?? 0)
    frames.asked(correlationId)
    turnFetch(request, this.#turn++)
    held.asked?.release()
    held.asked = boundFetch(request, this.#budget)
    const rest = pace?.asked() ?? 0
    return rest > 0 ? sleep(rest, true) : undefined
  }
}

/** Answers come to the client's listeners whole, those to fetches marked. What kafkajs throws at one that it does not understand
 *  would end the process. */
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
      const words = `what the broker sends is not understood: ${cause.message}`
      socket.destroy(cause instanceof PortError ? cause : new Error(words, { cause }))
    }
  }
  socket.on = framed
}

function open(host: string, port: number, tls: ConnectionOptions | undefined, onConnect: () => void): Socket {
  // small requests go out beside long ones
  if (!tls) return connectTcp({ host, port, noDelay: true }, onConnect)
  const servername = isIP(host) ? {} : { servername: host }
  // certificates are verified outright, or a variable of the environment decides
  const socket = connectTls({ host, port, ...servername, ...tls, rejectUnauthorized: true }, onConnect)
  return socket.setNoDelay(true)
}

// How soon a broker is asked for records again that had none: one that is well waits before it says so, and one that does not
// (or a proxy before it) would be asked thousands of times a second.

/** From fetch to fetch. Less than a fetch asks to be kept waiting (maxWaitMs, group-member.ts): of a broker that does, nothing
 *  is held. */
const LEAST_MS = 50

/** One connection's. */
export class FetchPace {
  readonly #now: () => number
  #askedAt = -Infinity
  #hadNothing = false

  /** @param now milliseconds, monotonic */
  constructor(now: () => number) {
    this.#now = now
  }

  /** A fetch is about to go out. @returns milliseconds it has to wait for */
  asked(): number {
    const now = this.#now()
    const rest = this.#hadNothing ? Math.max(0, this.#askedAt + LEAST_MS - now) : 0
    this.#askedAt = now + rest
    this.#hadNothing = false
    return rest
  }

  /** A fetch was answered. @param withNothing without a batch */
  answered(withNothing: boolean): void {
    this.#hadNothing = withNothing
  }
}
