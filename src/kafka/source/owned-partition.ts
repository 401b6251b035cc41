// A partition while it is assigned: what was fetched of it and not yet taken, and how far it is settled.

import type { PartitionPosition } from '../types.ts'
import type { ReadBatch } from './types.ts'
import { kafkaTrack } from './kafka-origin.ts'
import type { KafkaTrack } from './kafka-origin.ts'
import type { SettledCounts } from './stream-topics.ts'
import { Fifo } from '../../core/queues.ts'
import type { FetchBudget } from '../log/fetch-budget.ts'
import type { HeldReason } from '../../run/run-facts.ts'

/** Takes what is counted for no table. */
const NOWHERE: SettledCounts = { written: 0, rejected: 0 }

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
  /** Behind what is settled; committed, as far as is known. */
  settledTo: bigint
  committedTo: bigint
  /** The time of the last commit, in milliseconds since 1970. `undefined` when nothing was committed since it was
   *  assigned. */
  committedAt: number | undefined
  /** The engine wants nothing more of it. */
  isHeld = false
  /** The reason why nothing more of it is fetched. `undefined` when it is fetched. */
  paused: EnoughReason | undefined
  /** Revoked or lost. */
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

  /** Not before a move is settled: until then its offsets are those of another topic. */
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

  /** To be called for each record of a topic with several tables.
   *  @param table `undefined` when the record is ignored */
  took(table: SettledCounts = NOWHERE): void {
    this.#tables.push(table)
  }

  /** So many records of a table are kept as rejected, before they are settled. */
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

// Counts what is fetched and not yet taken, in all partitions together, and decides which partitions pause fetching, and why.

/** Batches of one partition that are fetched and not yet taken, before it fetches no more. */
const BATCHES_AHEAD = 16
/** The limit of a partition that the engine has paused. */
const BATCHES_HELD = 2
/** Bytes of all together, before none fetches any more, and below which they do again. A client whose partitions are all paused
 *  notices a little late that they are not: there must be something to do meanwhile. */
const MOST_BYTES = 16 * 1024 * 1024
const FEW_BYTES = 12 * 1024 * 1024
/** Most bytes of partitions that wait for schemas, which hold back no others up to this. */
const MOST_AWAITING = 32 * 1024 * 1024

export type EnoughReason = Extract<HeldReason, 'schemas' | 'budget' | 'fetched_ahead'>

interface Counted {
  readonly bytes: number
  readonly isAwaiting: boolean
}

export class FetchedAhead {
  /** Bytes held of partitions that can be taken from, and of those that wait for schemas. */
  #ready = 0
  #awaiting = 0
  #isFull = false
  readonly #budget: FetchBudget | undefined
  readonly #counted = new Map<OwnedPartition, Counted>()

  /** @param budget of the process: they are counted there too */
  constructor(budget?: FetchBudget) {
    this.#budget = budget
  }

  /** To be called for every partition whose batches are others now, or have their schemas.
   *  @returns whether others than this one may have to stop fetching for it, or may go on */
  count(partition: OwnedPartition): boolean {
    const { bytes, isAwaiting } = partition
    const [wasFull, wereTooMany] = [this.#isFull, this.#areTooManyAwaiting]
    const before = this.#counted.get(partition)
    this.#add(before, -1)
    if (bytes === 0) this.#counted.delete(partition)
    else this.#counted.set(partition, { bytes, isAwaiting })
    this.#add(this.#counted.get(partition), 1)
    this.#budget?.add(bytes - (before?.bytes ?? 0))
    this.#isFull = this.#ready >= (wasFull ? FEW_BYTES : MOST_BYTES)
    return wasFull !== this.#isFull || wereTooMany !== this.#areTooManyAwaiting
  }

  /** Why it is to fetch nothing more for now. `undefined` when it may. */
  enough({ batches, isHeld, isAwaiting, needsSchemas }: OwnedPartition): EnoughReason | undefined {
    if (isAwaiting) return 'schemas'
    if (this.#isFull) return 'budget'
    if (batches.length >= (isHeld ? BATCHES_HELD : BATCHES_AHEAD)) return 'fetched_ahead'
    // what it would bring may well need the same ones
    return needsSchemas && this.#areTooManyAwaiting ? 'schemas' : undefined
  }

  get #areTooManyAwaiting(): boolean {
    return this.#awaiting >= MOST_AWAITING
  }

  #add(counted: Counted | undefined, times: 1 | -1): void {
    if (counted?.isAwaiting) this.#awaiting += times * counted.bytes
    else this.#ready += times * (counted?.bytes ?? 0)
  }
}

interface PausesParts {
  /** The service takes nothing. */
  isDown(): boolean
  /** Tells whether as much as may be is held to be sent. */
  isBufferFull(): boolean
  /** Tells whether as much as may be is fetched and not taken, of all partitions together. */
  isBudgetFull(): boolean
}

type PauseCounts = Record<HeldReason, number>

export class Pauses {
  readonly #parts: PausesParts
  readonly #counts = new Map<string, PauseCounts>()

  constructor(parts: PausesParts) {
    this.#parts = parts
  }

  /** Why nothing is fetched of it, or nothing is taken of what was. `undefined` when both are done. */
  reasonOf({ isClosed, paused, isHeld }: OwnedPartition): HeldReason | undefined {
    if (isClosed) return 'rebalance'
    if (paused === 'schemas') return paused
    if (paused === undefined && !isHeld && !this.#parts.isBudgetFull()) return undefined
    // what is behind it: nothing goes on, or no room is left further on
    if (this.#parts.isDown()) return 'outage'
    if (this.#parts.isBufferFull()) return 'buffer'
    return this.#parts.isBudgetFull() ? 'budget' : (paused ?? 'fetched_ahead')
  }

  /** Nothing more of it is fetched from now on. */
  began(partition: OwnedPartition): void {
    const reason = this.reasonOf(partition)
    if (reason !== undefined) this.#of(partition.track.topic)[reason]++
  }

  /** How often partitions of a topic were paused, since the start. */
  of(topic: string): Readonly<PauseCounts> {
    return { ...this.#of(topic) }
  }

  #of(topic: string): PauseCounts {
    let counts = this.#counts.get(topic)
    if (!counts) {
      counts = { outage: 0, rebalance: 0, buffer: 0, budget: 0, schemas: 0, fetched_ahead: 0 }
      this.#counts.set(topic, counts)
    }
    return counts
  }
}
