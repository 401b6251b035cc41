// Commits offsets for a kafkajs consumer, one call after another, and makes sure that each was sent. The id of the topic is committed as
// metadata of the offset, so that a later reader of it can tell whether the topic is still the same.

import type { Consumer } from 'kafkajs'
import type { CommittedPosition } from '../types.ts'

/** The beginning of the metadata; the id follows. */
const ID_PREFIX = 'topic-id:'

/** @param metadata of a committed offset, which another program may have committed
 *  @returns the id of the topic; `undefined` when the metadata has none */
export function topicIdIn(metadata: string | null): string | undefined {
  return metadata?.startsWith(ID_PREFIX) === true ? metadata.slice(ID_PREFIX.length) : undefined
}

/** Commits for one consumer. Its owner calls `confirmed` for each COMMIT_OFFSETS event of that consumer, which comes after a commit. */
export class CommitQueue {
  readonly #consumer: Pick<Consumer, 'commitOffsets'>
  /** Resolves when the last commit asked for is over, even if it failed. */
  #last: Promise<void> = Promise.resolve()
  #confirmedCount = 0

  constructor(consumer: Pick<Consumer, 'commitOffsets'>) {
    this.#consumer = consumer
  }

  confirmed(): void {
    this.#confirmedCount++
  }

  /** Commits once earlier commits are over. @param positions called then, to leave out partitions that are no longer owned
   *  @throws if kafkajs throws, or sends nothing */
  async commit(positions: () => readonly CommittedPosition[]): Promise<void> {
    const committing = this.#last.then(() => this.#send(positions()))
    this.#last = committing.catch(() => undefined)
    await committing
  }

  /** Resolves when no commit is in flight. */
  async done(): Promise<void> {
    await this.#last
  }

  async #send(positions: readonly CommittedPosition[]): Promise<void> {
    if (positions.length === 0) return
    const countBefore = this.#confirmedCount
    await this.#consumer.commitOffsets(
      positions.map(({ topic, partition, offset, topicId }) => {
        const metadata = topicId === undefined ? {} : { metadata: ID_PREFIX + topicId }
        return { topic, partition, offset: `${offset}`, ...metadata }
      }),
    )
    // a client that is not running resolves without sending anything, and without the event
    if (this.#confirmedCount === countBefore) throw new Error('the client was not running')
  }
}
