// A partition while it is assigned: what was fetched of it and not yet taken, and how far it is settled.

import type { PartitionPosition } from '../types.ts'
import type { ReadBatch } from './batch-items.ts'
import type { EnoughReason } from './fetched-ahead.ts'
import { kafkaTrack } from './kafka-origin.ts'
import type { KafkaTrack } from './kafka-origin.ts'
import type { MappedTopic } from './stream-topics.ts'

export class OwnedPartition {
  readonly track: KafkaTrack
  /** Its records name schemas, as far as its topic is known. */
  readonly needsSchemas: boolean
  readonly #counts: MappedTopic['counts']
  /** Oldest first; of the first one `taken` records are items already. */
  readonly batches: ReadBatch[] = []
  taken = 0
  /** Records taken since it was assigned, and how many of them lie before `settledTo`; ignored ones too. */
  read = 0
  settledRecords = 0
  /** Of batches not settled, oldest first. */
  readonly #fetched: { readonly next: bigint; readonly at: number }[] = []
  /** Behind what is settled; committed, as far as is known. */
  settledTo: bigint
  committedTo: bigint
  /** When, in milliseconds since 1970; undefined: nothing was, since it was assigned. */
  committedAt: number | undefined
  /** The engine wants nothing more of it. */
  isHeld = false
  /** Why nothing more of it is fetched; undefined: it is. */
  paused: EnoughReason | undefined
  /** It was taken away. */
  isClosed = false
  /** Resolves when nothing of it is under way any more, once it is taken away. */
  readonly closed = Promise.withResolvers<void>()

  /** @param counts what becomes of its records is added here */
  constructor(
    { topic: name, partition, offset }: PartitionPosition,
    counts: MappedTopic['counts'],
    needsSchemas = false,
  ) {
    this.track = kafkaTrack(name, partition)
    this.needsSchemas = needsSchemas
    this.#counts = counts
    this.settledTo = offset
    this.committedTo = offset
  }

  /** Where fetching goes on. */
  get fetchedTo(): bigint {
    // all of what was fetched may be settled
    return this.#fetched.at(-1)?.next ?? this.settledTo
  }

  /** Of what is fetched and not yet taken. */
  get bytes(): number {
    return this.batches.reduce((sum, batch) => sum + batch.bytes, 0)
  }

  /** The next to be taken waits for schemas. */
  get isAwaiting(): boolean {
    const schemas = this.batches[0]?.schemas
    return schemas === 'awaited' || schemas === 'refused'
  }

  get isDue(): boolean {
    return this.settledTo > this.committedTo
  }

  fetched(batch: ReadBatch, now: number): void {
    this.batches.push(batch)
    this.#fetched.push({ next: batch.next, at: now })
  }

  /** When the oldest batch was fetched of which not all is settled. */
  get oldestAt(): number | undefined {
    return this.#fetched[0]?.at
  }

  /** Records read that will be read again unless more is settled. */
  get unsettledRecords(): number {
    return this.read - this.settledRecords
  }

  /** @param read records taken before `next`
   *  @returns how many of them were not settled before */
  settle(next: bigint, written: number, rejected: number, read: number): number {
    const more = Math.max(0, read - this.settledRecords)
    this.settledRecords += more
    if (next > this.settledTo) this.settledTo = next
    while (this.#fetched[0] && this.#fetched[0].next <= next) this.#fetched.shift()
    this.#counts.written += written
    this.#counts.rejected += rejected
    return more
  }

  /** The group took an offset of it. */
  committed(to: bigint, at: number): void {
    this.committedTo = to
    this.committedAt = at
  }

  /** Drops the first batch if all of it was taken. */
  dropTaken(): void {
    const [first] = this.batches
    if (first === undefined || this.taken <= first.records.length) return
    this.batches.shift()
    this.taken = 0
  }

  /** It was taken away: nothing more of it is to be read. */
  close(): void {
    this.isClosed = true
    this.batches.length = 0
  }
}
