// Keeps the ends of partitions known that nothing is fetched from: a fetch brings them, and there is none while a partition is
// held. Nothing waits for it, and a broker that does not answer keeps nobody but itself unknown.

import type { KafkaAdmin } from './admin.ts'
import type { AssignedPartition, Membership } from './membership.ts'

export type EndsClient = Pick<KafkaAdmin, 'ranges'> & AsyncDisposable

export interface EndOffsetsOptions {
  readonly membership: Pick<Membership, 'owned'>
  /** Another client, for when one failed: with a topic that is gone it would fail with all others too. */
  readonly open: () => EndsClient
  /** Nothing is fetched of any partition. */
  readonly isHalted: () => boolean
}

/** About as often as they are looked at. */
const HELD_MS = 2_000
/** Of partitions that are fetched from: an open transaction's records are not. */
const FETCHED_MS = 15_000
/** A client that has not answered for this time will not: its own limits are shorter. */
const GIVEN_UP_MS = 60_000

/** Disposed it asks for nothing more. */
export class EndOffsets implements AsyncDisposable {
  readonly #options: EndOffsetsOptions
  /** Topics that were asked for and not answered yet, and when. */
  readonly #asked = new Map<string, number>()
  #client: EndsClient | undefined
  #heldAt = -Infinity
  #allAt = -Infinity
  #isOver = false

  constructor(options: EndOffsetsOptions) {
    this.#options = options
  }

  /** To be called about once a second: asks when it is time to. Never throws, and waits for nothing. */
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
    try {
      const ranges = await client.ranges(topic)
      for (const owned of this.#options.membership.owned) {
        const high = owned.topic === topic ? ranges.get(owned.partition)?.high : undefined
        // a fetch may have brought more meanwhile
        if (high !== undefined && high > owned.high) owned.high = high
      }
    } catch {
      // who watches the brokers reports an outage; until it is over the last that is known stands
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
