// The fetches of one socket: where each begins, how many bytes it may bring, and what becomes of its answer. kafkajs sends them, but
// what it asks for is written over, and what comes is taken out of the answer (take-batches.ts): so it neither counts offsets nor sees
// records.

import { setTimeout as sleep } from 'node:timers/promises'
import type { AssignedPartition } from './membership.ts'
import { changeFetch } from './request-bytes.ts'
import { emptyAnswer, takeBatches, takeTooLarge, type FetchedPartition } from './take-batches.ts'
import { FetchFrames, type AnswerPlan } from '../log/fetch-frames.ts'
import { FetchBudget, type Hold } from '../log/fetch-budget.ts'
import { UNPACKED_LIMIT } from '../log/read-packed.ts'
import type { PackedBatch } from '../log/record-batch.ts'
import type { TopicPartition } from '../types.ts'

/** Reads what fetches bring. */
export interface FetchReader {
  /** @returns the partition, whose `next` a fetch is to ask for; `undefined` when nothing of it is to be read now */
  reading(topic: string, partition: number): AssignedPartition | undefined
  /** Takes what came from its `next` on. @param batches one or more, the first of which may begin before that offset */
  fetched(owned: AssignedPartition, batches: readonly PackedBatch[], high: bigint): void
  /** Whether batches are to be handed to `fetched`. Those that are not are fetched again. */
  canTake(): boolean
  /** The broker has no such offset as its `next`. */
  outOfRange(owned: AssignedPartition): void
  /** The broker does not know the partition. */
  unknown(partition: TopicPartition): void
}

export interface FetchesOptions {
  /** Without one, what comes is dropped. */
  readonly reader?: FetchReader | undefined
  /** Milliseconds, monotonic. Required for the pause between empty fetches. */
  readonly now?: (() => number) | undefined
  /** Counts what is fetched. */
  readonly budget?: FetchBudget | undefined
}

/** How long a broker may hold a fetch that finds nothing. kafkajs waits this long when it leaves the group. */
const MAX_WAIT_MS = 100
/** A larger answer is not read: it holds a single batch with more bytes than we accept. */
const LARGEST_BYTES = UNPACKED_LIMIT + 1024 * 1024
/** Bytes kept of an answer that is not read: none but its head, or enough to find the batch that is too large. */
const HEAD_BYTES = 8
const BEGINNING_BYTES = 256 * 1024

/** The offsets that a fetch asked for. */
type AskedOffsets = ReadonlyMap<AssignedPartition, bigint>

export class SocketFetches implements Disposable {
  readonly frames = new FetchFrames()
  readonly #options: FetchesOptions
  readonly #budget: FetchBudget
  readonly #pace: FetchPace | undefined
  /** Memory for the bytes that the latest fetch may bring. */
  #room: Hold | undefined
  /** Memory for an answer that is being read. */
  #reading: Hold | undefined
  /** Number of fetches so far, by which the order of partitions changes (`FetchChanges.turn`). */
  #turn = 0

  constructor(options: FetchesOptions) {
    this.#options = options
    this.#budget = options.budget ?? new FetchBudget()
    this.#pace = options.now && new FetchPace(options.now)
  }

  /** A fetch is about to be sent: changes it. @returns when it may go; `undefined` when it may at once */
  send(request: Buffer, correlationId: number): Promise<boolean> | undefined {
    const { reader } = this.#options
    const asked = new Map<AssignedPartition, bigint>()
    this.#room?.release()
    changeFetch(request, {
      waitMs: MAX_WAIT_MS,
      turn: this.#turn++,
      mostBytes: (wanted) => {
        const room = this.#budget.ask(wanted)
        this.#room = room
        return room.bytes
      },
      offsetOf: (topic, partition) => {
        const owned = reader?.reading(topic, partition)
        if (owned) asked.set(owned, owned.next)
        return owned?.next
      },
    })
    this.frames.plan(correlationId, (bytes) => this.#planOf(bytes, correlationId, asked))
    const restMs = this.#pace?.asked() ?? 0
    return restMs > 0 ? sleep(restMs, true) : undefined
  }

  /** An answer begins. @param asked the offsets that its fetch asked for */
  #planOf(bytes: number, correlationId: number, asked: AskedOffsets): AnswerPlan {
    this.#room?.release()
    if (bytes > LARGEST_BYTES)
      return {
        kept: BEGINNING_BYTES,
        finish: (head) => {
          this.#handOn(asked, [takeTooLarge(head)])
          return emptyAnswer(correlationId)
        },
      }
    if (!this.#budget.admits(bytes)) return { kept: HEAD_BYTES, finish: () => this.#unread(correlationId) }
    this.#reading = this.#budget.read(bytes)
    return { kept: bytes, finish: (frame) => this.#whole(frame, asked) }
  }

  #whole(frame: Buffer, asked: AskedOffsets): Buffer {
    const { answer, partitions } = takeBatches(frame)
    this.#handOn(asked, partitions, this.#options.reader?.canTake())
    this.#pace?.answered(partitions.every(({ batches }) => batches.length === 0))
    this.#reading?.release()
    return answer
  }

  /** Passes on an answer that is not read, as another large one is being read or waits: what it brings is asked for again. */
  #unread(correlationId: number): Buffer {
    this.#pace?.answered(true)
    return emptyAnswer(correlationId)
  }

  /** The socket closed. */
  [Symbol.dispose](): void {
    this.#room?.release()
    this.#reading?.release()
  }

  #handOn(asked: AskedOffsets, partitions: readonly FetchedPartition[], canTake = true): void {
    const { reader } = this.#options
    if (!reader) return
    for (const { topic, partition, status, batches, high } of partitions) {
      if (status === 'unknown') reader.unknown({ topic, partition })
      const owned = reader.reading(topic, partition)
      // it may have moved on since it was asked for
      if (!owned || asked.get(owned) !== owned.next) continue
      if (status === 'outOfRange') reader.outOfRange(owned)
      if (canTake && batches.length > 0) reader.fetched(owned, batches, high)
    }
  }
}

/** Least time from fetch to fetch. Less than brokers are asked to wait (MAX_WAIT_MS), so it delays no fetch if they do. */
const LEAST_MS = 50

/** How soon to fetch again after an empty answer, on one connection. A healthy broker waits before it sends one. One that does not, or a
 *  proxy in front of it, would be asked thousands of times a second. */
export class FetchPace {
  readonly #now: () => number
  #askedAt = -Infinity
  #hadNothing = false

  /** @param now milliseconds, monotonic */
  constructor(now: () => number) {
    this.#now = now
  }

  /** A fetch is about to be sent. @returns milliseconds that it has to wait */
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
