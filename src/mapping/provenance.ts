// Where the record that is mapped came from, as the columns tell it that users may choose for that.

import type { StreamOptions } from '../config/stream/stream-options.ts'

export type ProvenanceColumn = StreamOptions['metadata_columns'][number]

/** The most bytes that a value takes: the name of a topic. */
export const LONGEST_VALUE = 256

/** One for all mappers of a run, because they map one record at a time. */
export class Provenance {
  readonly #runId: string
  readonly #wallClock: () => number
  /** '' until it is asked for: most runs have no such column. */
  #loadedAt = ''
  #topic = ''
  #partition = 0
  #offset = 0n
  #timestamp = 0n

  /** @param wallClock milliseconds since 1970 */
  constructor(runId: string, wallClock: () => number) {
    this.#runId = runId
    this.#wallClock = wallClock
  }

  /** Another chunk of input was read: its records have one time. */
  nextChunk(): void {
    this.#loadedAt = ''
  }

  /** The next record is this one of a topic. */
  nextRecord(topic: string, partition: number, record: { readonly offset: bigint; readonly timestamp: bigint }): void {
    this.#topic = topic
    this.#partition = partition
    this.#offset = record.offset
    this.#timestamp = record.timestamp
  }

  /** JSON in ASCII: topics have no other names. */
  valueOf(column: ProvenanceColumn): string {
    switch (column) {
      case '_loaded_at':
        return (this.#loadedAt ||= `"${new Date(this.#wallClock()).toISOString()}"`)
      case '_run_id':
        return `"${this.#runId}"`
      case '_kafka_topic':
        return `"${this.#topic}"`
      case '_kafka_partition':
        return `${this.#partition}`
      case '_kafka_offset':
        return `${this.#offset}`
      case '_kafka_timestamp':
        // -1 is Kafka's word for none
        return this.#timestamp < 0n ? 'null' : `${this.#timestamp}`
    }
  }
}
