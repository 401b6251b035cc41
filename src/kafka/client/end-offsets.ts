// Keeps the ends of partitions up to date while nothing is fetched from them: a fetch brings the end, but held partitions are not
// fetched. Nothing waits for it, and a broker that does not answer affects only its own partitions.

import type { KafkaAdmin } from './admin.ts'
import type { AssignedPartition, Membership } from './membership.ts'

export type EndsClient = Pick<KafkaAdmin, 'ranges'> & AsyncDisposable

export interface EndOffsetsOptions {
  readonly membership: Pick<Membership, 'owned'>
  /** Makes a new client after a failure: one that was asked for a deleted topic fails for all others too. */
  readonly open: () => EndsClient
  /** Whether fetching has stopped for all partitions. */
  readonly isHalted: () => boolean
  /** The end of a partition is below an earlier one, and no id tells whether its topic is still the same. */
  readonly fell: (partition: AssignedPartition) => void
}

/** How often partitions are asked for that are held: about as often as the ends are shown. */
const HELD_MS = 2_000
/** How often partitions are asked for that are fetched: records of open transactions are not. */
const FETCHED_MS = 15_000
/** A client that has not answered for this long never will: its own timeouts are shorter. */
const GIVEN_UP_MS = 60_000

export class EndOffsets implements AsyncDisposable {
  readonly #options: EndOffsetsOptions
  /** Topics without an answer so far, and when they were asked for. */
  readonly #asked = new Map<string, number>()
  #client: EndsClient | undefined
  #heldAt = -Infinity
  #allAt = -Infinity
  #isOver = false

  constructor(options: EndOffsetsOptions) {
    this.#options = options
  }

  /** Asks where it is time. Call it about once a second. Never throws or waits. */
  look(now: number): void {
    if (this.#isOver || now - this.#heldAt < HELD_MS) return
    this.#heldAt = now
    const isAll = now - this.#allAt >= FETCHED_MS
    if (isAll) this.#allAt = now
    const { membership, isHalted } = this.#options
    const isDue = (partition: AssignedPartition): boolean => isAll || partition.isHeld || isHalted()
    const topics = new Set([...membership.owned].filter(isDue).map(({ topic }) => topic))
    for (const topic of topics) {
      const since = this.#asked.get(topic)
      if (since !== undefined && now - since < GIVEN_UP_MS) continue
      if (since !== undefined) this.#drop(this.#client)
      void this.#ask(topic, now)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    await this.#client?.[Symbol.asyncDispose]()
  }

  async #ask(topic: string, at: number): Promise<void> {
    const client = (this.#client ??= this.#options.open())
    this.#asked.set(topic, at)
    const { membership, fell } = this.#options
    const before = new Map(Array.from(membership.owned, (owned) => [owned, owned.high]))
    try {
      const ranges = await client.ranges(topic)
      for (const owned of Array.from(membership.owned)) {
        const high = owned.topic === topic ? ranges.get(owned.partition)?.high : undefined
        if (high === undefined) continue
        if (owned.topicId === undefined && high < (before.get(owned) ?? 0n)) fell(owned)
        // a fetch may have brought a later end meanwhile
        else if (high > owned.high) owned.high = high
      }
    } catch {
      // the broker watch reports an outage; until it is over the last known end stays
      this.#drop(client)
    } finally {
      if (this.#asked.get(topic) === at) this.#asked.delete(topic)
    }
  }

  #drop(client: EndsClient | undefined): void {
    if (client === undefined || this.#client !== client) return
    this.#client = undefined
    void client[Symbol.asyncDispose]()
  }
}
