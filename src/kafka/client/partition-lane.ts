// What was fetched of one partition and not yet handed on: still packed, and unpacked when its turn comes.

import type { KafkaMessage } from 'kafkajs'
import { Wakeup } from '../../core/wakeup.ts'
import type { AssignedPartition } from './membership.ts'
import { claimBatches, free } from './stand-ins.ts'
import type { KeptBatch } from './stand-ins.ts'
import { readParts, readWhole, unreadableOf } from '../log/read-packed.ts'
import type { ReadRecords } from '../log/read-packed.ts'
import type { PackedBatch, UnreadableBatch } from '../log/record-batch.ts'
import type { KafkaRecord } from '../types.ts'

/** What a record costs beside its key and value: its object, and what is made of it while it waits. */
const RECORD_BYTES = 200
/** Small batches are handed on together, up to about this many bytes. */
const PORTION_BYTES = 2 * 1024 * 1024

/** What is handed on next. */
export interface Portion {
  records: KafkaRecord[]
  /** What holding them costs, roughly. */
  bytes: number
  /** Where reading goes on behind them. */
  next: bigint
  /** Behind them comes what cannot be read. */
  bad?: UnreadableBatch
}

interface Waiting extends KeptBatch {
  /** Records before it are not handed on: a batch is fetched whole. */
  readonly from: bigint
}

/** Disposed it holds nothing, and gives nothing more. */
export class PartitionLane implements Disposable {
  readonly owned: AssignedPartition
  /** Packed. */
  bytes = 0
  isDisposed = false
  /** Behind what was handed on. */
  #next: bigint
  #fetched: Waiting[] = []
  #parts: AsyncGenerator<ReadRecords> | undefined
  /** The first that was fetched is to be read in parts. */
  #isLarge = false
  #ready: Portion | undefined
  #isTaken = false
  #mayOpen = true
  readonly #drained = new Wakeup()

  constructor(owned: AssignedPartition) {
    this.owned = owned
    this.#next = owned.next
  }

  get next(): bigint {
    return this.#next
  }

  get isEmpty(): boolean {
    return this.#fetched.length === 0 && this.#ready === undefined
  }

  /** It holds a large batch open, with what unpacks it and some of what is unpacked. */
  get isOpen(): boolean {
    return this.#parts !== undefined
  }

  /** It can give nothing before it opens a large batch. */
  get isToOpen(): boolean {
    return this.#isLarge && !this.isOpen && this.#ready === undefined
  }

  /** @param messages were fetched for the partition's offset, as it still is
   *  @returns whether what they stand for is still there; if not, nothing is taken */
  push(messages: readonly KafkaMessage[]): boolean {
    const from = this.owned.next
    const kept = claimBatches(messages)
    for (const { batch, hold } of kept ?? []) {
      this.#fetched.push({ batch, hold, from })
      this.bytes += batch.packed.length
    }
    return kept !== undefined
  }

  /** What comes next, of one that is not empty; unpacked while it is waited for.
   *  @param mayOpen a large batch; otherwise nothing comes of one that is to be opened */
  take(mayOpen = true): Portion | Promise<Portion> {
    this.#isTaken = true
    const ready = this.#ready
    this.#ready = undefined
    if (ready) return ready
    const portion: Portion = { records: [], bytes: 0, next: this.#next }
    if (this.#parts) return this.#part(portion)
    this.#mayOpen = mayOpen
    return this.#isLarge ? this.#large(portion) : this.#merge(portion)
  }

  /** A large batch is not held open any longer: it is unpacked again when it goes on, from where it was left. Not while
   *  something is taken. */
  close(): void {
    if (!this.#parts || this.#isTaken) return
    this.#endParts()
    this.#ready = undefined
  }

  /** It was handed on. */
  handedOn({ next }: Portion): void {
    this.#next = next
    this.#isTaken = false
    if (this.isEmpty) this.#drained.notify()
  }

  /** It may not be handed on for now. */
  putBack(portion: Portion): void {
    this.#ready = portion
    this.#isTaken = false
  }

  /** Resolves when all that was fetched is handed on, or it is disposed. */
  async drained(): Promise<void> {
    while (!this.isDisposed && (this.#isTaken || !this.isEmpty)) await this.#drained.wait()
  }

  [Symbol.dispose](): void {
    this.isDisposed = true
    this.#ready = undefined
    this.#endParts()
    while (this.#fetched.length > 0) this.#shift()
    this.#drained.notify()
  }

  #endParts(): void {
    // it ends when what is being unpacked is
    void this.#parts?.return(undefined).catch(() => {})
    this.#parts = undefined
  }

  #merge(portion: Portion): Portion | Promise<Portion> {
    for (let one = this.#fetched[0]; one && portion.bytes < PORTION_BYTES; one = this.#fetched[0]) {
      const { batch } = one
      try {
        const read = readWhole(batch)
        if (read instanceof Promise) return this.#await(portion, batch, read)
        if (read === 'large') return this.#large(portion)
        this.#appendRead(portion, batch, read)
      } catch (error) {
        return { ...portion, bad: unreadableOf(batch, error) }
      }
    }
    return portion
  }

  async #await(portion: Portion, batch: PackedBatch, reading: Promise<ReadRecords | 'large'>): Promise<Portion> {
    try {
      const read = await reading
      if (this.isDisposed) return portion
      if (read === 'large') return await this.#large(portion)
      this.#appendRead(portion, batch, read)
    } catch (error) {
      return { ...portion, bad: unreadableOf(batch, error) }
    }
    return this.#merge(portion)
  }

  /** What comes before it is handed on first. */
  #large(portion: Portion): Portion | Promise<Portion> {
    this.#isLarge = true
    return portion.next === this.#next && this.#mayOpen ? this.#part(portion) : portion
  }

  async #part(portion: Portion): Promise<Portion> {
    const { batch, from: first } = this.#fetched[0]!
    // what was handed on of it before it was closed is not again
    const from = first > this.#next ? first : this.#next
    const parts = (this.#parts ??= readParts(batch))
    try {
      for (;;) {
        const { done, value } = await parts.next()
        if (this.isDisposed) return portion
        if (done) {
          this.#parts = undefined
          free(batch)
          this.#append(portion, [], 0, batch.last)
          return portion
        }
        const records = recordsFrom(value, from)
        const last = records.at(-1)
        if (last) return { records, bytes: costOf(value), next: last.offset + 1n }
      }
    } catch (error) {
      this.#parts = undefined
      return { ...portion, bad: unreadableOf(batch, error) }
    }
  }

  #appendRead(portion: Portion, { last }: PackedBatch, read: ReadRecords): void {
    this.#append(portion, recordsFrom(read, this.#fetched[0]!.from), costOf(read), last)
  }

  #append(portion: Portion, records: KafkaRecord[], bytes: number, last: bigint): void {
    if (portion.records.length === 0) portion.records = records
    else for (const record of records) portion.records.push(record)
    portion.bytes += bytes
    if (last >= portion.next) portion.next = last + 1n
    this.#shift()
  }

  #shift(): void {
    this.#isLarge = false
    const first = this.#fetched.shift()
    if (!first) return
    this.bytes -= first.batch.packed.length
    first.hold.release()
  }
}

function costOf({ records, bytes }: ReadRecords): number {
  return bytes + records.length * RECORD_BYTES
}

/** Those of a batch that are not before `from`. */
export function recordsFrom({ records }: ReadRecords, from: bigint): KafkaRecord[] {
  const first = records[0]
  // of the first batch only are there such as were read before
  return first !== undefined && first.offset < from ? records.filter(({ offset }) => offset >= from) : records
}
