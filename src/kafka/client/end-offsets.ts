// Keeps the ends of partitions (high watermarks) up to date, from which the lag that is shown is counted: each fetch brings the end, but
// partitions that the connector holds back are not fetched. Nothing waits for answers, and each topic is asked for by itself.

import type { KafkaAdmin } from './admin.ts'
import type { AssignedPartition, Membership } from './membership.ts'

export type EndsClient = Pick<KafkaAdmin, 'ranges'> & AsyncDisposable

export interface EndOffsetsOptions {
  readonly membership: Pick<Membership, 'owned'>
  /** Makes a client: at first, and after each failure, since one that was asked for a deleted topic fails for all others too. */
  readonly open: () => EndsClient
  /** Whether fetching has stopped for all partitions. */
  readonly isHalted: () => boolean
  /** Called when the end of a partition is lower than before, and no id tells whether its topic was deleted and created again. */
  readonly fell: (partition: AssignedPartition) => void
}

/** How often partitions that are not fetched are asked for: about as often as the ends are shown. */
const HELD_MS = 2_000
/** How often all are asked for: a fetch that brings no records, as while a transaction is open, brings no end either. */
const ALL_MS = 15_000
/** A client that has not answered for this long never will: its own timeouts are shorter. */
const GIVEN_UP_MS = 60_000

export class EndOffsets implements AsyncDisposable {
  readonly #options: EndOffsetsOptions
  /** Topics without an answer so far, and when they were asked for. */
  readonly #unanswered = new Map<string, number>()
  #client: EndsClient | undefined
  #askedAt = -Infinity
  #askedAllAt = -Infinity
  #isOver = false

  constructor(options: EndOffsetsOptions) {
    this.#options = options
  }

  /** Asks for the topics whose time has come. Call it about once a second. Never throws or waits. */
  look(now: number): void {
    if (this.#isOver || now - this.#askedAt < HELD_MS) return
    this.#askedAt = now
    const isForAll = now - this.#askedAllAt >= ALL_MS
    if (isForAll) this.#askedAllAt = now
    const { membership, isHalted } = this.#options
    const isDue = (partition: AssignedPartition): boolean => isForAll || partition.isHeld || isHalted()
    const topics = new Set([...membership.owned].filter(isDue).map(({ topic }) => topic))
    for (const topic of topics) {
      const askedAt = this.#unanswered.get(topic)
      if (askedAt !== undefined && now - askedAt < GIVEN_UP_MS) continue
      if (askedAt !== undefined) this.#drop(this.#client)
      void this.#ask(topic, now)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    await this.#client?.[Symbol.asyncDispose]()
  }

  async #ask(topic: string, askedAt: number): Promise<void> {
    const client = (this.#client ??= this.#options.open())
    this.#unanswered.set(topic, askedAt)
    const { membership, fell } = this.#options
    const endsBefore = new Map(Array.from(membership.owned, (owned) => [owned, owned.high]))
    try {
      const ranges = await client.ranges(topic)
      for (const owned of Array.from(membership.owned)) {
        const high = owned.topic === topic ? ranges.get(owned.partition)?.high : undefined
        if (high === undefined) continue
        // compared with the end before the question, because a fetch may have brought a later one meanwhile
        if (owned.topicId === undefined && high < (endsBefore.get(owned) ?? 0n)) fell(owned)
        else if (high > owned.high) owned.high = high
      }
    } catch {
      // the broker watch reports an outage; until it is over the last known end stays
      this.#drop(client)
    } finally {
      // a later question for the topic stays
      if (this.#unanswered.get(topic) === askedAt) this.#unanswered.delete(topic)
    }
  }

  /** Closes the client, unless another has taken its place. */
  #drop(client: EndsClient | undefined): void {
    if (client === undefined || this.#client !== client) return
    this.#client = undefined
    void client[Symbol.asyncDispose]()
  }
}
