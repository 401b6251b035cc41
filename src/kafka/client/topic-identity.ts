// Notices, by the ids that brokers give to topics, that a topic was deleted and created again under its name while it is read. Where they
// give none, `EndOffsets` (end-offsets.ts) notices it by an end that is lower than before.

import type { AssignedPartition, Membership } from './membership.ts'

export interface TopicIdentityOptions {
  readonly membership: Pick<Membership, 'owned'>
  /** Ids by topic; topics whose ids are not known are left out. */
  readonly ids: (topics: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** How often to ask for ids. */
  readonly refreshMs: number
  /** Called whenever it is noticed that a partition's topic has another id than when the partition was assigned. */
  readonly changed: (partition: AssignedPartition) => void
}

export class TopicIdentity {
  readonly #options: TopicIdentityOptions
  #asking: Promise<void> | undefined
  #askedAt = -Infinity

  constructor(options: TopicIdentityOptions) {
    this.#options = options
  }

  /** Asks when it is time. Call it about once a second. Never throws or waits. */
  look(now: number): void {
    if (now - this.#askedAt < this.#options.refreshMs) return
    this.#askedAt = now
    void this.check()
  }

  /** Asks now, or waits for the question under way. Resolves after the calls of `changed`, or if no answer comes. Never throws. */
  check(): Promise<void> {
    return (this.#asking ??= this.#ask()
      .catch(() => undefined)
      .finally(() => (this.#asking = undefined)))
  }

  async #ask(): Promise<void> {
    const { membership, ids, changed } = this.#options
    const topics = new Set(Array.from(membership.owned, ({ topic }) => topic))
    if (topics.size === 0) return
    const found = await ids([...topics])
    // a copy, since `changed` may change the set
    for (const partition of Array.from(membership.owned)) {
      const id = found.get(partition.topic)
      if (id !== undefined && partition.topicId !== undefined && id !== partition.topicId) changed(partition)
    }
  }
}
