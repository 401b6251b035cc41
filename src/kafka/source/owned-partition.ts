// A partition while it is assigned: what was fetched of it and not yet taken, and how far it is settled.

import type { PartitionPosition } from '../types.ts'
import type { ReadBatch } from './types.ts'
import { kafkaTrack } from './kafka-origin.ts'
import type { KafkaTrack } from './kafka-origin.ts'
import type { SettledCounts } from './stream-topics.ts'
import { Fifo } from '../../core/queues.ts'
import type { HeldReason } from '../../run/run-facts.ts'

/** Takes what is counted for no table. */
const NOWHERE: SettledCounts = { written: 0, rejected: 0 }

/** Why a partition fetches nothing more for now. */
export type EnoughReason = Extract<HeldReason, 'schemas' | 'budget' | 'fetched_ahead'>

export class OwnedPartition {
  readonly track: KafkaTrack
  /** Its records name schemas, as far as its topic is known. */
  readonly needsSchemas: boolean
  readonly #counts: SettledCounts
  /** Oldest first; of the first one `taken` records are items already. */
  readonly batches: ReadBatch[] = []
  taken = 0
  /** Records taken since it was assigned, and how many of them lie before `settledTo`; ignored ones too. */
  read = 0
  settledRecords = 0
  /** Counts of the table of each record taken and not settled, oldest first, where the topic has several tables. */
  readonly #tables = new Fifo<SettledCounts>()
  /** How many records of a table are rejected and not settled. */
  readonly #rejected = new Map<SettledCounts, number>()
  /** Batches not settled, oldest first. */
  readonly #fetched: { readonly next: bigint; readonly at: number; readonly isMove: boolean }[] = []
  /** The offset where it began. */
  readonly from: bigint
  /** The offset behind what is settled, and the one that is committed, as far as is known. */
  settledTo: bigint
  committedTo: bigint
  /** The time of the last commit, in milliseconds since 1970. `undefined` when nothing was committed since it was
   *  assigned. */
  committedAt: number | undefined
  /** Whether the engine wants nothing more of it. */
  isHeld = false
  /** The reason why nothing more of it is fetched. `undefined` when it is fetched. */
  paused: EnoughReason | undefined
  /** Whether it was revoked or lost. */
  isClosed = false
  /** Resolves when nothing of it is under way any more, once it is unassigned. */
  readonly closed = Promise.withResolvers<void>()

  /** @param counts what becomes of its records is added here */
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
    // all of what was fetched may be settled
    return this.#fetched.at(-1)?.next ?? this.settledTo
  }

  /** Bytes of what is fetched and not yet taken. */
  get bytes(): number {
    return this.batches.reduce((sum, batch) => sum + batch.bytes, 0)
  }

  /** The next to be taken waits for schemas. */
  get isAwaiting(): boolean {
    const schemas = this.batches[0]?.schemas
    return schemas === 'awaited' || schemas === 'refused'
  }

  /** Whether there is something to commit: nothing before a move is settled, as its offsets are those of another topic. */
  get isDue(): boolean {
    return this.settledTo > this.committedTo && !this.#fetched.some(({ isMove }) => isMove)
  }

  fetched(batch: ReadBatch, now: number): void {
    this.batches.push(batch)
    this.#fetched.push({ next: batch.next, at: now, isMove: batch.isMove === true })
  }

  /** When the oldest batch was fetched of which not all is settled. */
  get oldestAt(): number | undefined {
    return this.#fetched[0]?.at
  }

  /** Records read that will be read again unless more is settled. */
  get unsettledRecords(): number {
    return this.read - this.settledRecords
  }

  /** Counts a record that was taken, of a topic with several tables.
   *  @param table `undefined` when the record is ignored */
  took(table: SettledCounts = NOWHERE): void {
    this.#tables.push(table)
  }

  /** Counts records of a table that are kept as rejected, before they are settled. */
  rejected(table: SettledCounts, records: number): void {
    this.#rejected.set(table, (this.#rejected.get(table) ?? 0) + records)
  }

  /** @param read records taken before `next`
   *  @returns how many of them were not settled before */
  settle(next: bigint, written: number, rejected: number, read: number): number {
    const more = Math.max(0, read - this.settledRecords)
    this.settledRecords += more
    if (next > this.settledTo) this.settledTo = next
    while (this.#fetched[0] && this.#fetched[0].next <= next && !this.#fetched[0].isMove) this.#fetched.shift()
    this.#counts.written += written
    this.#counts.rejected += rejected
    for (let left = Math.min(more, this.#tables.length); left > 0; left--) this.#settleOf(this.#tables.shift()!)
    return more
  }

  /** Which of a table's records were rejected is not known, only how many. */
  #settleOf(table: SettledCounts): void {
    const rejected = this.#rejected.size === 0 ? 0 : (this.#rejected.get(table) ?? 0)
    if (rejected === 0) table.written++
    else {
      table.rejected++
      if (rejected === 1) this.#rejected.delete(table)
      else this.#rejected.set(table, rejected - 1)
    }
  }

  /** Goes on at `to`, as all before a move is settled. */
  moved(to: bigint): void {
    this.#fetched.splice(0, this.#fetched.findIndex(({ isMove }) => isMove) + 1)
    this.settledTo = to
    if (to < this.committedTo) this.committedTo = to
  }

  /** The group took an offset of it. */
  committed(to: bigint, at: number): void {
    // it moved meanwhile
    if (to > this.settledTo) return
    this.committedTo = to
    this.committedAt = at
  }

  /** Drops the first batch if all of it was taken. */
  dropTaken(): void {
    const [first] = this.batches
    if (first === undefined || this.taken <= first.records.length) return
    // a view would hold all of it
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

/** An offset to go on at, of a partition as it was assigned. */
export interface KafkaCheckpoint {
  readonly partition: OwnedPartition
  readonly next: bigint
  /** Records read of it before that. */
  readonly read: number
  /** Reading went on there, whatever was read before. */
  readonly isMove: boolean
}
