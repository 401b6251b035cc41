// A partition while it is assigned: what was fetched of it and not yet taken, and how far it is settled.
//
// A source adds what it fetches (`fetched`). `BatchItems` makes items of the first batch (takes its records), and counts them in `taken` and
// `readRecords`; then the source drops that batch (`dropTaken`). Checkpoints come back in their order (`settle`), and the source commits how
// far that is (`isDue`, `committed`). A move is a batch without records, behind which reading goes on at another offset, which may be lower:
// when it is settled, the source calls `moved` too.

import type { PartitionPosition } from '../types.ts'
import type { ReadBatch } from './types.ts'
import { kafkaTrack, type KafkaTrack } from './kafka-origin.ts'
import type { SettledCounts } from './stream-topics.ts'
import { Fifo } from '../../core/queues.ts'
import type { HeldReason } from '../../run/run-facts.ts'

/** Stands for the table of ignored records. They are counted into it, and nothing reads that. */
const IGNORED: SettledCounts = { written: 0, rejected: 0 }

export class OwnedPartition {
  readonly track: KafkaTrack
  /** Whether its records may name schemas. */
  readonly needsSchemas: boolean
  readonly #counts: SettledCounts
  /** Batches of which not all is taken, oldest first. */
  readonly batches: ReadBatch[] = []
  /** How many records of the first batch are taken. It becomes one more than the batch has once the checkpoint at its end is an item too (a
   *  batch without records has that alone). Moved on by `BatchItems`. */
  taken = 0
  /** Records taken since it was assigned, ignored ones too (moved on by `BatchItems`), and how many of them are settled. */
  readRecords = 0
  settledRecords = 0
  /** For each record taken and not settled, oldest first, the counts of its table. Filled only where the topic has several tables. */
  readonly #tableCounts = new Fifo<SettledCounts>()
  /** How many records of a table are rejected and not settled, by the counts of that table. */
  readonly #rejectedOf = new Map<SettledCounts, number>()
  /** The end of each batch that is not settled, and when it was fetched; oldest first. */
  readonly #unsettled: { readonly next: bigint; readonly fetchedAt: number; readonly isMove: boolean }[] = []
  /** The offset where reading began. */
  readonly from: bigint
  /** The offset up to which all is settled. */
  settledTo: bigint
  /** The offset that is committed: before the first commit, the one where reading began. */
  committedTo: bigint
  /** The time of the last commit, in milliseconds since 1970. `undefined` when nothing was committed since it was assigned. */
  committedAt: number | undefined
  /** Whether the engine wants nothing more of it for now. Set by the source. */
  isHeld = false
  /** The reason why nothing more of it is fetched for now. `undefined` when it is fetched. Set by the source. */
  pauseReason: HeldReason | undefined
  /** Whether it was revoked or lost. */
  isClosed = false
  /** Resolves when nothing of it is under way any more, after it was revoked or lost. The engine resolves it, or the source at its end. */
  readonly finished = Promise.withResolvers<void>()

  /** @param counts of its topic, or of a replay: what becomes of its records is added here */
  constructor({ topic: name, partition, offset }: PartitionPosition, counts: SettledCounts, needsSchemas = false) {
    this.track = kafkaTrack(name, partition)
    this.needsSchemas = needsSchemas
    this.#counts = counts
    this.from = offset
    this.settledTo = offset
    this.committedTo = offset
  }

  /** The offset where fetching goes on. */
  get fetchedTo(): bigint {
    return this.#unsettled.at(-1)?.next ?? this.settledTo
  }

  /** Bytes of what is fetched and not yet taken. */
  get bytes(): number {
    return this.batches.reduce((sum, batch) => sum + batch.bytes, 0)
  }

  /** Whether the first batch cannot be taken, because it waits for schemas, or they were refused. */
  get isAwaiting(): boolean {
    const schemas = this.batches[0]?.schemas
    return schemas === 'awaited' || schemas === 'refused'
  }

  /** Whether there is something to commit. There is not while a move is unsettled: the offsets before it are those of another topic. */
  get isDue(): boolean {
    return this.settledTo > this.committedTo && !this.#unsettled.some(({ isMove }) => isMove)
  }

  /** When the oldest batch was fetched of which not all is settled, by the run's clock. `undefined` when there is none. */
  get oldestAt(): number | undefined {
    return this.#unsettled[0]?.fetchedAt
  }

  /** How many records are taken and not settled: they will be read again unless they are settled. */
  get unsettledRecords(): number {
    return this.readRecords - this.settledRecords
  }

  /** Adds a batch. @param now milliseconds, monotonic */
  fetched(batch: ReadBatch, now: number): void {
    this.batches.push(batch)
    this.#unsettled.push({ next: batch.next, fetchedAt: now, isMove: batch.isMove === true })
  }

  /** Notes the table of the record that is being taken, where the topic has several.
   *  @param counts of that table; `undefined` when the record is ignored */
  noteTable(counts: SettledCounts = IGNORED): void {
    this.#tableCounts.push(counts)
  }

  /** Counts records of a table that are kept as rejected, before they are settled. */
  rejected(counts: SettledCounts, records: number): void {
    this.#rejectedOf.set(counts, (this.#rejectedOf.get(counts) ?? 0) + records)
  }

  /** Settles all before the offset `next`, and adds to the counts. An offset or a number that is known already changes nothing.
   *  @param written, rejected how many of the records that this settles were stored and rejected
   *  @param readBefore how many records were taken before `next`, since the partition was assigned
   *  @returns how many records this settles, ignored ones too */
  settle(next: bigint, written: number, rejected: number, readBefore: number): number {
    const newlySettled = Math.max(0, readBefore - this.settledRecords)
    this.settledRecords += newlySettled
    if (next > this.settledTo) this.settledTo = next
    while (this.#unsettled[0] && this.#unsettled[0].next <= next && !this.#unsettled[0].isMove) this.#unsettled.shift()
    this.#counts.written += written
    this.#counts.rejected += rejected
    for (let left = Math.min(newlySettled, this.#tableCounts.length); left > 0; left--)
      this.#countSettled(this.#tableCounts.shift()!)
    return newlySettled
  }

  /** Counts one settled record of a table. It is not known which ones were rejected, only how many: those are counted first. */
  #countSettled(counts: SettledCounts): void {
    const rejected = this.#rejectedOf.get(counts) ?? 0
    if (rejected === 0) counts.written++
    else {
      counts.rejected++
      if (rejected === 1) this.#rejectedOf.delete(counts)
      else this.#rejectedOf.set(counts, rejected - 1)
    }
  }

  /** Settles a move, with all before it: offsets go on at `to`, which may be lower. */
  moved(to: bigint): void {
    this.#unsettled.splice(0, this.#unsettled.findIndex(({ isMove }) => isMove) + 1)
    this.settledTo = to
    if (to < this.committedTo) this.committedTo = to
  }

  /** Notes that the group took the offset `to`, at `at` milliseconds since 1970. */
  committed(to: bigint, at: number): void {
    // a move to a lower offset was settled meanwhile
    if (to > this.settledTo) return
    this.committedTo = to
    this.committedAt = at
  }

  /** Drops the first batch if all of it is taken, its last checkpoint too. */
  dropTaken(): void {
    const [first] = this.batches
    const isAllTaken = first !== undefined && this.taken > first.records.length
    if (!isAllTaken) return
    // the key of the last record, where the topic's mapper has noted it as a mark: as a view it would keep all of the batch in memory
    if (this.track.marked) this.track.marked = Buffer.from(this.track.marked)
    this.batches.shift()
    this.taken = 0
  }

  /** Drops what was fetched: the partition was revoked or lost. */
  close(): void {
    this.isClosed = true
    this.track.marked = undefined
    this.batches.length = 0
  }
}

/** How far a partition may be committed once everything before is settled. */
export interface KafkaCheckpoint {
  readonly partition: OwnedPartition
  /** The offset to go on at. */
  readonly next: bigint
  /** Records taken before it, since the partition was assigned. */
  readonly readRecords: number
  /** Whether it ends a batch that is a move (`FetchedBatch.isMove`), so that reading went on at `next`. */
  readonly isMove: boolean
}
