// The batches of one partition that were fetched and not handed on yet. They are unpacked only when their turn comes.
//
// The reader (partition-reader.ts) calls `push` as batches come. It calls `take` when it is the lane's turn, and then, before the next
// `take`, either `handedOn` or `putBack` with that portion. A large batch is read in parts, and the lane is open from its first part until
// its last one, or until `close`. Since that takes memory, only a few lanes of a process may be open at a time.

import { Wakeup } from '../../core/wakeup.ts'
import type { AssignedPartition } from './membership.ts'
import { LARGE, type FetchBudget } from '../log/fetch-budget.ts'
import { readParts, readWhole, unreadableOf, type ReadRecords } from '../log/read-packed.ts'
import type { PackedBatch } from '../log/record-batch.ts'
import type { UnreadableBatch } from '../log/unreadable-batch.ts'
import type { KafkaRecord } from '../types.ts'

/** Bytes of memory that a record takes besides its data, while it waits. */
const RECORD_BYTES = 200
/** Small batches are handed on together, up to about this size. */
const PORTION_BYTES = 2 * 1024 * 1024

/** The records to hand on next; none when only offsets were used up, or when a large batch may not be opened yet. */
export interface Portion {
  records: KafkaRecord[]
  /** Approximate memory of the records. */
  bytes: number
  /** The offset after the records, or after the offsets that were used up. */
  next: bigint
  /** Set if the batch behind the records cannot be read. */
  unreadable?: UnreadableBatch
}

/** The lane of one partition. Once disposed, it is empty and `take` returns no records. */
export class PartitionLane implements Disposable {
  readonly owned: AssignedPartition
  /** Bytes of packed batches that wait. */
  bytes = 0
  isDisposed = false
  /** The offset after what was handed on. */
  next: bigint
  /** Counts batches until they are dropped. */
  readonly #budget: FetchBudget
  readonly #mayOpen: () => boolean
  /** Batches that wait; the first stays here until all of it was taken. */
  #fetched: PackedBatch[] = []
  /** The parts of the first batch that are still to be read. `undefined` when it is not open. */
  #parts: AsyncGenerator<ReadRecords> | undefined
  /** Whether the first batch was found to be large, so that it has to be read in parts. */
  #isLarge = false
  /** A portion that was put back, which `take` returns first. */
  #putBack: Portion | undefined
  /** Whether a portion is out, which is to be handed on or put back. */
  #isPortionOut = false
  readonly #drained = new Wakeup()

  /** @param mayOpen says whether a large batch may be opened now; while it may not, `take` returns an empty portion in its place */
  constructor(owned: AssignedPartition, budget: FetchBudget, mayOpen: () => boolean) {
    this.owned = owned
    this.#budget = budget
    this.#mayOpen = mayOpen
    this.next = owned.next
  }

  get isEmpty(): boolean {
    return this.#fetched.length === 0 && this.#putBack === undefined
  }

  /** Whether a large batch is being read in parts, for which a decompressor and some unpacked bytes are kept. */
  get isOpen(): boolean {
    return this.#parts !== undefined
  }

  /** Whether a large batch must be opened before anything can be taken. */
  get isToOpen(): boolean {
    return this.#isLarge && !this.isOpen && this.#putBack === undefined
  }

  /** Adds batches that follow on those that wait or were handed on, without a gap. The first may overlap with them. */
  push(batches: readonly PackedBatch[]): void {
    for (const batch of batches) {
      this.#budget.addBatch(batch.packed.length)
      this.#fetched.push(batch)
      this.bytes += batch.packed.length
    }
  }

  /** Unpacks and returns what comes next; the lane must not be empty. */
  take(): Portion | Promise<Portion> {
    this.#isPortionOut = true
    const putBack = this.#putBack
    this.#putBack = undefined
    if (putBack) return putBack
    const portion: Portion = { records: [], bytes: 0, next: this.next }
    if (this.#parts) return this.#takePart(portion)
    return this.#isLarge ? this.#takeLarge(portion) : this.#mergeSmall(portion)
  }

  /** Closes the open large batch. When opened again, it is unpacked anew and continues where it was. No effect while a portion is out. */
  close(): void {
    if (!this.#parts || this.#isPortionOut) return
    this.#endParts()
    this.#putBack = undefined
  }

  /** To be called when the portion was handed on. */
  handedOn({ next }: Portion): void {
    this.next = next
    this.#isPortionOut = false
    if (this.isEmpty) this.#drained.notify()
  }

  /** Takes back a portion that cannot be handed on for now: the next `take` returns it. */
  putBack(portion: Portion): void {
    this.#putBack = portion
    this.#isPortionOut = false
  }

  /** Resolves when everything fetched was handed on, or the lane is disposed. */
  async drained(): Promise<void> {
    while (!this.isDisposed && (this.#isPortionOut || !this.isEmpty)) await this.#drained.wait()
  }

  [Symbol.dispose](): void {
    this.isDisposed = true
    this.#putBack = undefined
    this.#endParts()
    while (this.#fetched.length > 0) this.#dropFirst()
    this.#drained.notify()
  }

  #endParts(): void {
    // not awaited: the generator first unpacks the chunk that it is at
    void this.#parts?.return(undefined).catch(() => {})
    this.#parts = undefined
  }

  #mergeSmall(portion: Portion): Portion | Promise<Portion> {
    for (let batch = this.#fetched[0]; batch && portion.bytes < PORTION_BYTES; batch = this.#fetched[0]) {
      try {
        const read = readWhole(batch)
        if (read instanceof Promise) return this.#mergeAwaited(portion, batch, read)
        if (read === 'large') return this.#takeLarge(portion)
        this.#appendRead(portion, batch, read)
      } catch (error) {
        return { ...portion, unreadable: unreadableOf(batch, error) }
      }
    }
    return portion
  }

  async #mergeAwaited(portion: Portion, batch: PackedBatch, reading: Promise<ReadRecords | 'large'>): Promise<Portion> {
    try {
      const read = await reading
      if (this.isDisposed) return portion
      if (read === 'large') return await this.#takeLarge(portion)
      this.#appendRead(portion, batch, read)
    } catch (error) {
      return { ...portion, unreadable: unreadableOf(batch, error) }
    }
    return this.#mergeSmall(portion)
  }

  /** Opens the large batch that is first. If the portion has small batches already, it is returned alone, and the large one comes next. */
  #takeLarge(portion: Portion): Portion | Promise<Portion> {
    this.#isLarge = true
    return portion.next === this.next && this.#mayOpen() ? this.#takePart(portion) : portion
  }

  /** Reads the next part that has records to hand on. @param portion empty; returned with the offset after the batch when there is none */
  async #takePart(portion: Portion): Promise<Portion> {
    const batch = this.#fetched[0]!
    const parts = (this.#parts ??= readParts(batch))
    try {
      for (;;) {
        const { done, value } = await parts.next()
        if (this.isDisposed) return portion
        if (done) {
          this.#parts = undefined
          // drops the batch: before it is freed, because the length of a freed buffer, which is subtracted from the counts, is 0
          this.#append(portion, [], 0, batch.last)
          free(batch)
          return portion
        }
        // if the batch was opened before and closed, its first records were handed on then
        const records = recordsFrom(value, this.next)
        const last = records.at(-1)
        if (last) return { records, bytes: memoryOf(value), next: last.offset + 1n }
      }
    } catch (error) {
      this.#parts = undefined
      return { ...portion, unreadable: unreadableOf(batch, error) }
    }
  }

  #appendRead(portion: Portion, { last }: PackedBatch, read: ReadRecords): void {
    this.#append(portion, recordsFrom(read, portion.next), memoryOf(read), last)
  }

  /** Adds what was read of the first batch, of which this is the end, to the portion. @param last offset of the batch */
  #append(portion: Portion, records: KafkaRecord[], bytes: number, last: bigint): void {
    if (portion.records.length === 0) portion.records = records
    else for (const record of records) portion.records.push(record)
    portion.bytes += bytes
    if (last >= portion.next) portion.next = last + 1n
    this.#dropFirst()
  }

  #dropFirst(): void {
    this.#isLarge = false
    const batch = this.#fetched.shift()
    if (!batch) return
    this.bytes -= batch.packed.length
    this.#budget.dropBatch(batch.packed.length)
  }
}

/** Frees the memory of a large batch at once, without waiting for garbage collection. Only for one that was read in parts, which are
 *  copies: records of a batch that was read whole may be views of it. */
export function free({ packed, ownsMemory }: PackedBatch): void {
  if (ownsMemory && packed.length > LARGE && packed.buffer instanceof ArrayBuffer) packed.buffer.transfer(0)
}

function memoryOf({ records, bytes }: ReadRecords): number {
  return bytes + records.length * RECORD_BYTES
}

/** The records from offset `from` on. */
function recordsFrom({ records }: ReadRecords, from: bigint): KafkaRecord[] {
  const first = records[0]
  // a batch is fetched whole: the first of a fetch can begin before the offset that was asked for
  return first !== undefined && first.offset < from ? records.filter(({ offset }) => offset >= from) : records
}
