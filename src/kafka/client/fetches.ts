// The fetches of one socket: where each begins, how many bytes it may bring, and what becomes of its answer. kafkajs sends them, but what
// it asks for is overwritten, and batches are taken out of the answers (take-batches.ts), so kafkajs neither counts offsets nor sees
// records. wire.ts calls `send` for each fetch, and pushes what the socket receives into `frames`, which calls back as an answer comes.

import { setTimeout as sleep } from 'node:timers/promises'
import type { AssignedPartition } from './membership.ts'
import { changeFetch } from './request-bytes.ts'
import { emptyAnswer, takeBatches, takeTooLarge, type FetchedPartition } from './take-batches.ts'
import { FetchFrames, type AnswerPlan } from '../log/fetch-frames.ts'
import { FetchBudget, type Hold } from '../log/fetch-budget.ts'
import { UNPACKED_LIMIT } from '../log/read-packed.ts'
import type { PackedBatch } from '../log/record-batch.ts'
import type { TopicPartition } from '../types.ts'

/** The receiver of what fetches bring. */
export interface FetchReader {
  /** The partition, if a fetch is to read it, from its `next` on. `undefined` when nothing of it is to be read now. */
  reading(topic: string, partition: number): AssignedPartition | undefined
  /** Takes batches from the partition's `next` on: one or more, of which the first may begin before that. @param high the high watermark */
  fetched(owned: AssignedPartition, batches: readonly PackedBatch[], high: bigint): void
  /** Whether batches may be handed to `fetched` now. Otherwise they are dropped, and fetched again. */
  canTake(): boolean
  /** Told that the broker has no such offset as the partition's `next`. */
  outOfRange(owned: AssignedPartition): void
  /** Told that the broker does not know the partition. */
  unknown(partition: TopicPartition): void
}

export interface FetchesOptions {
  /** Without a reader, all batches are dropped. */
  readonly reader?: FetchReader | undefined
  /** Milliseconds, monotonic. Without it there is no pause between fetches that find nothing. */
  readonly now?: (() => number) | undefined
  /** Counts the bytes in memory, and limits what a fetch may bring by them. Default: one for this socket alone. */
  readonly budget?: FetchBudget | undefined
}

/** How long a broker may hold a fetch that finds nothing. kafkajs waits this long when it leaves the group. */
const MAX_WAIT_MS = 100
/** A larger answer is dropped: it holds a single batch with more bytes than we accept. */
const LARGEST_BYTES = UNPACKED_LIMIT + 1024 * 1024
/** Bytes kept of such an answer: enough to find the head of that batch. */
const BEGINNING_BYTES = 256 * 1024
/** Bytes kept of an answer that is skipped: its size and correlation id, the fewest that `frames` can keep. */
const HEAD_BYTES = 8

/** The offsets that a fetch asked for, by partition. */
type AskedOffsets = ReadonlyMap<AssignedPartition, bigint>

export class SocketFetches implements Disposable {
  readonly frames = new FetchFrames()
  readonly #options: FetchesOptions
  readonly #budget: FetchBudget
  readonly #pace: FetchPace | undefined
  /** The budget's hold on the bytes that the latest fetch may bring, released when its answer begins. */
  #room: Hold | undefined
  /** The budget's hold on the bytes of the answer that is being received. */
  #receiving: Hold | undefined
  /** Number of fetches so far, by which the order of partitions changes (`FetchChanges.turn`). */
  #turn = 0

  constructor(options: FetchesOptions) {
    this.#options = options
    this.#budget = options.budget ?? new FetchBudget()
    this.#pace = options.now && new FetchPace(options.now)
  }

  /** Changes a fetch that is about to be sent, and plans what becomes of its answer.
   *  @returns a promise that resolves to `true` when the fetch may go; `undefined` when it may go at once */
  send(request: Buffer, correlationId: number): Promise<true> | undefined {
    const { reader } = this.#options
    const asked = new Map<AssignedPartition, bigint>()
    this.#room?.release()
    changeFetch(request, {
      waitMs: MAX_WAIT_MS,
      turn: this.#turn++,
      mostBytes: (wanted) => {
        const room = this.#budget.takeRoom(wanted)
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
    const pauseMs = this.#pace?.asked() ?? 0
    return pauseMs > 0 ? sleep(pauseMs, true) : undefined
  }

  /** Decides at the beginning of an answer, by its size, what becomes of it. */
  #planOf(bytes: number, correlationId: number, asked: AskedOffsets): AnswerPlan {
    this.#room?.release()
    if (bytes > LARGEST_BYTES)
      return {
        keptBytes: BEGINNING_BYTES,
        finish: (head) => {
          // handed on even if no batch can be taken: this one has no records, and only makes the error that it is too large
          this.#handOn(asked, [takeTooLarge(head)], true)
          return emptyAnswer(correlationId)
        },
      }
    if (!this.#budget.admits(bytes)) return { keptBytes: HEAD_BYTES, finish: () => this.#skip(correlationId) }
    this.#receiving = this.#budget.holdAnswer(bytes)
    return { keptBytes: bytes, finish: (frame) => this.#take(frame, asked) }
  }

  /** Hands on the batches of a whole answer. @returns the answer for kafkajs */
  #take(frame: Buffer, asked: AskedOffsets): Buffer {
    const { answer, partitions } = takeBatches(frame)
    this.#handOn(asked, partitions, this.#options.reader?.canTake() === true)
    this.#pace?.answered(partitions.every(({ batches }) => batches.length === 0))
    this.#receiving?.release()
    return answer
  }

  /** Drops a large answer, since another is held: what it brings is asked for again. @returns the answer for kafkajs */
  #skip(correlationId: number): Buffer {
    this.#pace?.answered(true)
    return emptyAnswer(correlationId)
  }

  /** The socket closed. */
  [Symbol.dispose](): void {
    this.#room?.release()
    this.#receiving?.release()
  }

  #handOn(asked: AskedOffsets, partitions: readonly FetchedPartition[], canTake: boolean): void {
    const { reader } = this.#options
    if (!reader) return
    for (const { topic, partition, status, batches, high } of partitions) {
      // has no batches, so nothing more happens below
      if (status === 'unknown') reader.unknown({ topic, partition })
      const owned = reader.reading(topic, partition)
      // the partition may have been read on, or moved elsewhere, since this was asked for
      if (!owned || asked.get(owned) !== owned.next) continue
      if (status === 'outOfRange') reader.outOfRange(owned)
      if (canTake && batches.length > 0) reader.fetched(owned, batches, high)
    }
  }
}

/** Least time from a fetch that found nothing to the next. Brokers that hold such a fetch (MAX_WAIT_MS) take longer anyway. */
const LEAST_MS = 50

/** Decides how soon to fetch again after an empty answer, on one connection. Brokers wait before they send one; one that does not, or a
 *  proxy in front of it, would be asked thousands of times a second. */
export class FetchPace {
  readonly #now: () => number
  #askedAt = -Infinity
  /** Whether the answer to the latest fetch had no batch. */
  #hadNothing = false

  /** @param now milliseconds, monotonic */
  constructor(now: () => number) {
    this.#now = now
  }

  /** To be called before a fetch is sent. @returns milliseconds that it has to wait */
  asked(): number {
    const now = this.#now()
    const waitMs = this.#hadNothing ? Math.max(0, this.#askedAt + LEAST_MS - now) : 0
    this.#askedAt = now + waitMs
    this.#hadNothing = false
    return waitMs
  }

  /** To be called when a fetch was answered. @param hasNothing whether the answer has no batch */
  answered(hasNothing: boolean): void {
    this.#hadNothing = hasNothing
  }
}
