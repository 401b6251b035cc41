// Samples of records, by the items they become: how many of each partition, and a sample for each topic. No data is shown.

import type { Coded } from '../../core/codes.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { SampledRecord, RecordSampler } from './batch-items.ts'
import { partitionName } from './kafka-origin.ts'
import type { MappedTopic } from './stream-topics.ts'
import { TopicSample } from './topic-sample.ts'

/** Records of a sample: of all partitions, and of one even where there are many. */
const ALL_RECORDS = 20_000
const FEWEST_RECORDS = 20
const MOST_BYTES = 32 * 1024 * 1024

/** How many records of each partition are sampled. */
export function shareOf(partitions: number): number {
  return Math.max(FEWEST_RECORDS, Math.floor(ALL_RECORDS / partitions))
}

interface RecordSamplesOptions {
  /** Records of each partition. */
  readonly records: number
  /** Records that a policy stops at are counted, and reading goes on behind them. */
  readonly goesOn: boolean
  /** How many there are, read or not. */
  partitionsOf(topic: string): number
}

/** Samples of all topics of a run. */
export class RecordSamples implements RecordSampler {
  readonly #options: RecordSamplesOptions
  readonly #topics = new Map<string, TopicSample>()
  readonly #left = new Map<string, number>()
  #bytes = 0

  constructor(options: RecordSamplesOptions) {
    this.#options = options
  }

  /** Whether no more records are sampled. */
  get isEnough(): boolean {
    return this.#bytes >= MOST_BYTES
  }

  of(topic: MappedTopic): TopicSample {
    const known = this.#topics.get(topic.name) ?? new TopicSample(topic, this.#options.partitionsOf(topic.name))
    this.#topics.set(topic.name, known)
    return known
  }

  record(topic: MappedTopic, sampled: SampledRecord): void {
    if (this.isEnough) return
    const { stored, at } = sampled
    const name = partitionName(at)
    const left = this.#left.get(name) ?? this.#options.records
    if (left === 0) return
    this.#left.set(name, left - 1)
    this.#bytes += (stored.key?.length ?? 0) + (stored.value?.length ?? 0)
    this.of(topic).record(sampled)
  }

  stopped(topic: MappedTopic, error: unknown): boolean {
    if (!this.#options.goesOn || !(error instanceof ConnectorError)) return false
    this.of(topic).stopped(error)
    return true
  }

  /** Doubts that a run would not tell of these records by itself. */
  get doubts(): Coded[] {
    return [...this.#topics.values()].flatMap((sample) => sample.doubts)
  }
}
