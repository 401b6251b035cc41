// How batches get past kafkajs as they were fetched, still packed: it would unpack all batches of a fetch at once, make a dozen
// objects per record, and spend more time on that than all the rest of a consumer takes (bench/kafka). So each batch of an answer is
// kept here, and kafkajs is given a batch of one small record in its place (shrink-answer.ts). The value of that record is the id of
// the kept batch, by which it is claimed when kafkajs hands the record on.

import type { Batch, KafkaMessage } from 'kafkajs'
import { LARGE } from '../log/fetch-budget.ts'
import type { FetchBudget, ReadHold } from '../log/fetch-budget.ts'
import type { PackedBatch } from '../log/record-batch.ts'

/** A batch with the offset it was fetched for, which kafkajs's types leave out. */
export type KafkajsBatch = Batch & { readonly fetchedOffset: string }

/** An id is written as a double. */
export const ID_BYTES = 8

/** Batches that are not claimed within this time are let go: kafkajs drops what it fetched of partitions that were paused meanwhile.
 *  It hands on the others at once, unless it waits for a heartbeat. */
const CLAIM_MS = 5000

export interface KeptBatch {
  readonly batch: PackedBatch
  readonly hold: ReadHold
}

/** Batches by id. */
const unclaimed = new Map<number, KeptBatch>()
let lastId = 0

/** The batches of one socket's latest answer. Disposed, it lets go of those that were not claimed. */
export class KeptBatches implements Disposable {
  readonly #budget: FetchBudget
  #timer: NodeJS.Timeout | undefined
  #ids: number[] = []

  constructor(budget: FetchBudget) {
    this.#budget = budget
  }

  /** Keeps a batch until it is claimed.
   *  @returns its id */
  keep(batch: PackedBatch): number {
    const id = ++lastId
    unclaimed.set(id, { batch, hold: this.#budget.read(batch.packed.length) })
    this.#ids.push(id)
    this.#timer ??= setTimeout(() => this[Symbol.dispose](), CLAIM_MS).unref()
    return id
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const id of this.#ids) {
      unclaimed.get(id)?.hold.release()
      unclaimed.delete(id)
    }
    this.#ids = []
  }
}

/** The caller that claims batches releases their holds.
 *  @param messages in order, as kafkajs gives them
 *  @returns what they stand for; `undefined` when it was let go, and is to be fetched again
 *  @throws TypeError where one is a record itself: it was not taken out of its answer, and nothing bounds it */
export function claimBatches(messages: readonly Pick<KafkaMessage, 'value'>[]): KeptBatch[] | undefined {
  const ids = messages.map(({ value }) => idOf(value))
  const kept = ids.flatMap((id) => unclaimed.get(id) ?? [])
  if (kept.length < ids.length) return undefined
  for (const id of ids) unclaimed.delete(id)
  for (const { hold } of kept) hold.taken()
  return kept
}

function idOf(value: Buffer | null): number {
  const id = value?.length === ID_BYTES ? value.readDoubleBE() : 0
  if (Number.isSafeInteger(id) && id > 0 && id <= lastId) return id
  throw new TypeError('A record came past the batches of its answer.')
}

/** The batch was read in parts, which are copies: a large one's memory is free at once, not when garbage is collected. */
export function free({ packed, isAlone }: PackedBatch): void {
  if (isAlone && packed.length > LARGE && packed.buffer instanceof ArrayBuffer) packed.buffer.transfer(0)
}
