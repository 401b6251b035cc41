// Tells where the record that is mapped came from, as the values of columns that users may choose. The source sets it: `nextChunk` before
// each chunk of input, and where records come from topics `nextRecord` before each.

import type { StreamOptions } from '../config/stream/stream-options.ts'

export type ProvenanceColumn = StreamOptions['metadata_columns'][number]

/** Most bytes of any value but a topic. */
const MOST_BYTES = 64
/** Most bytes that one character of a topic becomes, as an escape. */
const MOST_BYTES_A_CHARACTER = 6

/** One for all mappers of a run, because they map one record at a time. */
export class Provenance {
  readonly #runId: string
  readonly #wallClock: () => number
  /** Empty until a record of the chunk needs it: most runs have no such column. */
  #loadedAt = ''
  #topic = ''
  #topicText = '""'
  #partition = 0
  #offset = 0n
  #timestamp = 0n
  readonly #values: Readonly<Record<ProvenanceColumn, () => string>> = {
    _loaded_at: () => (this.#loadedAt ||= `"${new Date(this.#wallClock()).toISOString()}"`),
    _run_id: () => `"${this.#runId}"`,
    _kafka_topic: () => this.#topicText,
    _kafka_partition: () => `${this.#partition}`,
    _kafka_offset: () => `${this.#offset}`,
    // -1 is Kafka's word for none
    _kafka_timestamp: () => (this.#timestamp < 0n ? 'null' : `${this.#timestamp}`),
  }

  /** @param runId a UUID, which needs no escapes
   *  @param wallClock milliseconds since 1970 */
  constructor(runId: string, wallClock: () => number) {
    this.#runId = runId
    this.#wallClock = wallClock
  }

  /** Begins another chunk of input, whose records will have one time. */
  nextChunk(): void {
    this.#loadedAt = ''
  }

  /** Sets where the next record comes from. The topic is escaped, because a dead letter may name any text as its topic. */
  nextRecord(topic: string, partition: number, record: { readonly offset: bigint; readonly timestamp: bigint }): void {
    if (topic !== this.#topic) {
      this.#topic = topic
      this.#topicText = JSON.stringify(topic)
    }
    this.#partition = partition
    this.#offset = record.offset
    this.#timestamp = record.timestamp
  }

  /** The most bytes that a value of this record takes. */
  get longest(): number {
    return MOST_BYTES + MOST_BYTES_A_CHARACTER * this.#topic.length
  }

  /** The value of a column as JSON. */
  jsonOf(column: ProvenanceColumn): string {
    return this.#values[column]()
  }
}
