// Commits of a kafkajs consumer, one after another, each known to have arrived.

import type { Consumer } from 'kafkajs'
import type { PartitionPosition } from '../types.ts'

export class CommitLine {
  readonly #consumer: Pick<Consumer, 'commitOffsets'>
  #last: Promise<void> = Promise.resolve()
  #taken = 0

  constructor(consumer: Pick<Consumer, 'commitOffsets'>) {
    this.#consumer = consumer
  }

  /** kafkajs's COMMIT_OFFSETS event came. */
  taken(): void {
    this.#taken++
  }

  /** @param positions asked for when it is their turn: what is no longer owned then is not sent
   *  @throws what kafkajs throws; also when kafkajs sent nothing */
  async commit(positions: () => readonly PartitionPosition[]): Promise<void> {
    const turn = this.#last.then(() => this.#send(positions()))
    this.#last = turn.catch(() => undefined)
    await turn
  }

  async done(): Promise<void> {
    await this.#last
  }

  async #send(positions: readonly PartitionPosition[]): Promise<void> {
    if (positions.length === 0) return
    const before = this.#taken
    await this.#consumer.commitOffsets(
      positions.map(({ topic, partition, offset }) => ({ topic, partition, offset: `${offset}` })),
    )
    // a client that is not running yet, or no longer, resolves without having sent anything
    if (this.#taken === before) throw new Error('the client was not running')
  }
}
