// A batch as it was fetched, still packed, and how it gets past kafkajs: that would unpack all batches of a fetch at once,
// make a dozen objects a record, and spend more time on them than all the rest of a consumer (bench/kafka). It has no hook for
// that, but codecs of its user's. So it is given a batch of a few bytes in the place of each (shrink-answer.ts), that says it
// holds one record, packed with a codec that Kafka has not got. That one is ours: it gives kafkajs a record with the batch's
// last offset, by which the batch is found again.

import type { KafkaMessage } from 'kafkajs'
import { LARGE } from './fetch-budget.ts'
import type { FetchBudget, Hold, ReadHold } from './fetch-budget.ts'
import { standInRecords } from './stand-in.ts'

export interface PackedBatch {
  readonly codec: number
  /** Of its records, as it says. */
  readonly count: number
  /** What is to be made of it: its records, nothing (rolled back, or a marker), or it cannot be read. */
  readonly as: 'records' | 'nothing' | 'damaged' | 'tooLarge'
  /** NOWHERE: it has no offsets. */
  readonly first: bigint
  readonly last: bigint
  readonly firstTimestamp: bigint
  /** Of all its records, where the broker stamps them. */
  readonly appendTime: bigint | undefined
  /** Its records, in the memory of what was fetched of its partition. */
  readonly packed: Buffer
  /** Nothing else that is looked at lies in that memory. */
  readonly isAlone: boolean
  /** What counts it, since it was kept for kafkajs. */
  hold?: ReadHold
  /** Whoever has it releases that. */
  isClaimed?: boolean
}

/** Kafka has no codec of this number. */
export const MARK = 7
/** The offset of what has none. */
export const NOWHERE = 0x7fff_ffff_ffff_ffffn

export const ID_BYTES = 8

/** What waits for kafkajs. */
const waiting = new Map<number, PackedBatch>()
let lastId = 0
/** By the memory of the record that stands for it. */
const given = new WeakMap<ArrayBufferLike, PackedBatch>()

/** In which kafkajs hands on what it takes of an answer; what is paused meanwhile it drops. */
const HANDED_ON_MS = 2000

/** The batches of one socket's latest answer. Those that nobody claims are counted for a while, and held until it is disposed. */
export class KeptBatches implements Disposable {
  readonly #budget: FetchBudget
  #timer: NodeJS.Timeout | undefined
  #batches: (readonly [id: number, batch: PackedBatch])[] = []

  constructor(budget: FetchBudget) {
    this.#budget = budget
  }

  /** @returns its id: kafkajs is to give it to the codec, as a double */
  keep(batch: PackedBatch): number {
    const id = ++lastId
    waiting.set(id, batch)
    batch.hold = this.#budget.read(batch.packed.length)
    this.#batches.push([id, batch])
    this.#timer ??= setTimeout(() => this.#uncount(), HANDED_ON_MS).unref()
    return id
  }

  /** Those that kafkajs took and did not hand on. */
  #uncount(): void {
    this.#timer = undefined
    for (const [id, batch] of this.#batches) if (!waiting.has(id) && !batch.isClaimed) batch.hold?.release()
    this.#batches = this.#batches.filter(([id]) => waiting.has(id))
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const [id, batch] of this.#batches) {
      waiting.delete(id)
      if (!batch.isClaimed) batch.hold?.release()
    }
    this.#batches = []
  }
}

/** Whoever claims it releases what is returned when it is not held any more. */
export function claim(batch: PackedBatch): Hold | undefined {
  batch.isClaimed = true
  batch.hold?.taken()
  return batch.hold
}

/** It was read in parts, which are copies: a large one's memory is free at once, and not when garbage is collected. */
export function free({ packed, isAlone }: PackedBatch): void {
  if (isAlone && packed.length > LARGE && packed.buffer instanceof ArrayBuffer) packed.buffer.transfer(0)
}

/** @param packed what kafkajs gives the codec of MARK */
export function isStandIn(packed: Buffer): boolean {
  return packed.length === ID_BYTES
}

/** @param packed what stands for a batch
 *  @returns the record that does so from here on; undefined: the batch was let go */
export function standInFor(packed: Buffer): Buffer | undefined {
  const id = packed.readDoubleBE(0)
  const batch = waiting.get(id)
  if (!batch) return undefined
  waiting.delete(id)
  const record = standInRecords(1, Number(batch.last - batch.first))
  given.set(record.buffer, batch)
  return record
}

/** @returns undefined: it is a record itself */
export function packedBatchOf({ value }: Pick<KafkaMessage, 'value'>): PackedBatch | undefined {
  return value?.length === 1 ? given.get(value.buffer) : undefined
}
