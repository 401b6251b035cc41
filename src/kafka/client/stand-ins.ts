// How batches get past kafkajs as they were fetched, still packed: it would unpack all batches of a fetch at once, make a dozen objects
// a record, and spend more time on them than all the rest of a consumer (bench/kafka). It has no hook for that, but codecs of its
// user's. So it is given a batch of a few bytes in the place of each (shrink-answer.ts), that says it holds one record, packed with a
// codec that Kafka has not got. That one is ours: it gives kafkajs a record with the batch's last offset, by which the batch is found.

import kafkajs from 'kafkajs'
import type { Batch, KafkaMessage } from 'kafkajs'
import { LARGE } from '../log/fetch-budget.ts'
import type { FetchBudget, Hold } from '../log/fetch-budget.ts'
import type { PackedBatch } from '../log/record-batch.ts'

/** With the offset it was fetched for, which kafkajs's types leave out. */
export type KafkajsBatch = Batch & { readonly fetchedOffset?: string }

/** Kafka has no codec of this number. */
export const MARK = 7
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

/** For all clients of this process; again, it changes nothing. */
export function registerStandIns(): void {
  const codec = {
    compress: () => Promise.reject(new TypeError('Nothing is packed so.')),
    decompress: async (packed: Buffer) => standInFor(packed),
  }
  const registry = kafkajs.CompressionCodecs as Record<number, () => typeof codec>
  registry[MARK] = () => codec
}

/** @param packed what stands for a batch
 *  @returns the record that does so from here on @throws when the batch was let go */
export function standInFor(packed: Buffer): Buffer {
  const id = packed.length === ID_BYTES ? packed.readDoubleBE(0) : 0
  const batch = waiting.get(id)
  if (!batch) throw new Error('A batch of an earlier answer is asked for.')
  waiting.delete(id)
  const record = standInRecord(Number(batch.last - batch.first))
  given.set(record.buffer, batch)
  return record
}

/** @param messages in order, as kafkajs gives them @returns what they stand for
 *  @throws TypeError where one is a record itself: it was not taken out of its answer, and nothing bounds it */
export function packedBatchesOf(messages: readonly Pick<KafkaMessage, 'value'>[]): PackedBatch[] {
  return messages.map(({ value }) => {
    const batch = value?.length === 1 ? given.get(value.buffer) : undefined
    if (!batch) throw new TypeError('A record came past the batches of its answer.')
    return batch
  })
}

/** @param offsetDelta its offset, from its batch's first: kafkajs drops what is before the one it asked for
 *  @returns a record with a value of one byte, in memory of its own, by which it is found again */
function standInRecord(offsetDelta: number): Buffer {
  // attributes, time, offset, no key, a value of one byte, no headers
  const record = Buffer.concat([Buffer.from([0, 0]), varint(offsetDelta), Buffer.from([1, 2, 0, 0])])
  const size = varint(record.length)
  const whole = Buffer.alloc(size.length + record.length)
  size.copy(whole)
  record.copy(whole, size.length)
  return whole
}

/** Of a number that is not negative. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value * 2
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return Buffer.from([...bytes, rest])
}
