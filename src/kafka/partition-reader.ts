// What a kafkajs consumer fetched, told on where it continues what was told before; and which partitions it fetches.
// Knows no group.

import type { Consumer } from 'kafkajs'
import type { ConnectorError } from '../core/errors.ts'
import { fetchedRecords } from './fetched-records.ts'
import type { FetchedRecords, KafkajsBatch } from './fetched-records.ts'
import type { Membership, OwnedPartition } from './membership.ts'
import type { ConsumerEvents, TopicPartition } from './types.ts'
import { unreadable } from './log/unreadable-batch.ts'

export type FetchControls = Pick<Consumer, 'pause' | 'resume' | 'seek'>

type Told = Pick<FetchedRecords, 'records' | 'bytes'>

const NOTHING: Told = { records: [], bytes: 0 }

export class PartitionReader {
  readonly #controls: FetchControls
  readonly #membership: Membership
  readonly #events: Pick<ConsumerEvents, 'batch' | 'said'>
  readonly #isHalted: () => boolean
  readonly #fail: (error: ConnectorError) => void

  /** @param isHalted nothing more is to be fetched at all
   *  @param fail nothing more can be: ends fetching at once */
  constructor(
    controls: FetchControls,
    membership: Membership,
    events: Pick<ConsumerEvents, 'batch' | 'said'>,
    isHalted: () => boolean,
    fail: (error: ConnectorError) => void,
  ) {
    this.#controls = controls
    this.#membership = membership
    this.#events = events
    this.#isHalted = isHalted
    this.#fail = fail
  }

  /** Hands a batch on. One that nobody owns (any more), that does not continue the last, or whose partition is paused since,
   *  is left: it is not resolved, so what is still owned is fetched again. */
  batch(fetched: KafkajsBatch, resolveOffset: (offset: string) => void): void {
    const { topic, partition, fetchedOffset } = fetched
    const owned = this.#reading(topic, partition)
    if (!owned || owned.isHeld) return
    if (fetchedOffset !== undefined && BigInt(fetchedOffset) !== owned.next) {
      this.#seek(owned)
      return
    }
    const found = fetchedRecords(fetched.messages, owned.next)
    const last = found.bad ? found.last : fetched.lastOffset()
    if (last !== undefined) {
      resolveOffset(last)
      this.#advance(owned, last, fetched.highWatermark)
      this.#tell(owned, found)
    }
    if (found.bad) this.#fail(unreadable(fetched, found.bad, owned.next))
  }

  /** Offsets without records (aborted transactions, markers, compaction) never become a batch of kafkajs; but were they
   *  not told, the committed offset would lag behind the end for ever. */
  empty(topic: string, partition: number, lastOffset: string, highWatermark: string): void {
    const owned = this.#reading(topic, partition)
    if (!owned || BigInt(lastOffset) < owned.next) return
    this.#advance(owned, lastOffset, highWatermark)
    this.#tell(owned, NOTHING)
  }

  pause({ topic, partition }: TopicPartition): void {
    const owned = this.#membership.find(topic, partition)
    if (!owned) return
    owned.isHeld = true
    // kafkajs throws once it has stopped, which it may have while all is let go
    if (this.#membership.isAssigned) this.#controls.pause([{ topic, partitions: [partition] }])
  }

  resume({ topic, partition }: TopicPartition): void {
    const owned = this.#membership.find(topic, partition)
    if (!owned) return
    owned.isHeld = false
    this.#fetch(owned)
  }

  /** Held by us, not by the connector: it keeps what it wants paused. */
  stop(partitions: Iterable<TopicPartition>): void {
    for (const { topic, partition } of partitions) this.#controls.pause([{ topic, partitions: [partition] }])
  }

  /** Reading goes on at the position of each, where nothing is against it. */
  start(partitions: Iterable<OwnedPartition>): void {
    for (const owned of partitions) {
      this.#seek(owned)
      this.#fetch(owned)
    }
  }

  #reading(topic: string, partition: number): OwnedPartition | undefined {
    const owned = this.#membership.isAssigned ? this.#membership.find(topic, partition) : undefined
    return owned?.isGone ? undefined : owned
  }

  #tell({ topic, partition, next, high }: OwnedPartition, { records, bytes }: Told): void {
    this.#events.batch({ topic, partition, records, bytes, next, highWatermark: high })
  }

  #advance(owned: OwnedPartition, lastOffset: string, highWatermark: string): void {
    owned.next = BigInt(lastOffset) + 1n
    owned.high = BigInt(highWatermark)
  }

  #seek({ topic, partition, next }: OwnedPartition): void {
    this.#controls.seek({ topic, partition, offset: `${next}` })
  }

  #fetch({ topic, partition, isHeld, isGone }: OwnedPartition): void {
    if (isHeld || isGone || this.#isHalted() || !this.#membership.isAssigned) return
    this.#controls.resume([{ topic, partitions: [partition] }])
  }
}
