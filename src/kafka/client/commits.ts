// Commits of a kafkajs consumer, one after another, each confirmed. An offset is committed with the id of its topic as metadata, so
// that a reader of it knows whether the topic is still the same.

import type { Consumer } from 'kafkajs'
import type { CommittedPosition } from '../types.ts'

/** Begins the metadata, in front of the id. */
const ID_PREFIX = 'topic-id:'

/** @param metadata of a committed offset, of whatever program
 *  @returns `undefined` when it has no id */
export function topicIdIn(metadata: string | null): string | undefined {
  return metadata?.startsWith(ID_PREFIX) === true ? metadata.slice(ID_PREFIX.length) : undefined
}

export class CommitLine {
  readonly #consumer: Pick<Consumer, 'commitOffsets'>
  #last: Promise<void> = Promise.resolve()
  /** How many commits kafkajs has told of so far. */
  #taken = 0

  constructor(consumer: Pick<Consumer, 'commitOffsets'>) {
    this.#consumer = consumer
  }

  /** kafkajs's COMMIT_OFFSETS event came. */
  taken(): void {
    this.#taken++
  }

  /** @param positions called when earlier commits are done, to leave out partitions that are no longer owned by then
   *  @throws what kafkajs throws, and if kafkajs sent nothing */
  async commit(positions: () => readonly CommittedPosition[]): Promise<void> {
    const turn = this.#last.then(() => this.#send(positions()))
    this.#last = turn.catch(() => undefined)
    await turn
  }

  /** Resolves when no commit is in flight. */
  async done(): Promise<void> {
    await this.#last
  }

  async #send(positions: readonly CommittedPosition[]): Promise<void> {
    if (positions.length === 0) return
    const before = this.#taken
    await this.#consumer.commitOffsets(
      positions.map(({ topic, partition, offset, topicId }) => {
        const metadata = topicId === undefined ? {} : { metadata: ID_PREFIX + topicId }
        return { topic, partition, offset: `${offset}`, ...metadata }
      }),
    )
    // a client that is not running resolves without sending anything
    if (this.#taken === before) throw new Error('the client was not running')
  }
}
