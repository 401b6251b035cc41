// What a stream is doing, gathered from everything that knows a part of it.

import type { AdaptivePermits, FixedPermits } from '../../core/concurrency/limit.ts'
import type { ErrorKind } from '../../core/errors.ts'
import type { Tally } from '../../core/tally.ts'
import type { Clock } from '../../core/types.ts'
import type { PartitionFacts, StreamFacts, TableFacts, TopicFacts } from '../../telemetry/run-facts.ts'
import type { DeadLetterPolicy } from '../../kafka/source/dead-letter-policy.ts'
import type { KafkaSource } from '../../kafka/source/kafka-source.ts'
import type { Pauses } from '../../kafka/source/fetched-ahead.ts'
import type { StreamMembership } from '../../kafka/source/stream-membership.ts'
import type { StreamOutages } from './stream-outages.ts'
import type { StreamTopics } from '../../kafka/source/stream-topics.ts'
import type { WatchedTransport } from '../../telemetry/watched-transport.ts'
import type { Io } from '../../process/io.ts'
import type { Page } from '../../telemetry/health-server.ts'

interface FactsParts {
  readonly clock: Pick<Clock, 'now'>
  readonly source: KafkaSource
  readonly membership: Pick<StreamMembership, 'generation' | 'isMember' | 'end'>
  readonly topics: StreamTopics
  readonly tally: Tally
  readonly transport: WatchedTransport
  readonly outages: Pick<StreamOutages, 'registry'> & { readonly brokers: Pick<StreamOutages['brokers'], 'down'> }
  readonly permits: AdaptivePermits | FixedPermits
  readonly policy: Pick<DeadLetterPolicy, 'counts' | 'failures'>
  readonly pauses: Pauses
  stopping(): boolean
  failed(): ErrorKind | undefined
}

const NO_LETTERS = { rejected: 0, refused: 0 }

/** A snapshot at every call; remembers what only two of them tell. */
export class StreamFactsSource {
  readonly #parts: FactsParts
  readonly #startedAt: number
  #joined = false
  #since: number
  #settled = 0
  #settledAt: number

  constructor(parts: FactsParts) {
    this.#parts = parts
    this.#startedAt = this.#since = this.#settledAt = parts.clock.now()
  }

  take(): StreamFacts {
    const parts = this.#parts
    const { clock, topics, tally } = parts
    const at = clock.now()
    return {
      at,
      startedAt: this.#startedAt,
      group: this.#group(at),
      delivery: this.#delivery(at),
      topics: topics.all.map((topic) => this.#topic(topic)),
      tables: Array.from(new Set(topics.all.map(({ mapper }) => mapper.table)), (table): TableFacts => {
        return { table: table.name, ...tally.ofTable(table) }
      }),
      stopping: parts.stopping(),
      failed: parts.failed(),
    }
  }

  #group(at: number): StreamFacts['group'] {
    const { source, membership, outages, pauses } = this.#parts
    const joined = membership.generation !== undefined && membership.isMember()
    if (joined !== this.#joined) this.#since = at
    this.#joined = joined
    const partitions = source.partitions.map((owned): PartitionFacts => {
      const { topic, partition } = owned.track
      const lag = between(owned.settledTo, membership.end(owned.track))
      return { topic, partition, lag, committedAt: owned.committedAt, held: pauses.reasonOf(owned) }
    })
    const { generation } = membership
    const { schemasSince, generations } = source
    return {
      joined,
      since: this.#since,
      generation,
      rebalances: generations,
      commits: { ...source.commits },
      partitions,
      schemasSince,
      schemasCause: outages.registry?.state?.cause,
      brokersDown: outages.brokers.down,
    }
  }

  #delivery(at: number): StreamFacts['delivery'] {
    const { tally, permits, transport, source, policy } = this.#parts
    const { engine } = tally
    const outstanding = engine?.outstanding ?? 0
    if (outstanding === 0 || engine?.settled !== this.#settled) this.#settledAt = at
    this.#settled = engine?.settled ?? 0
    return {
      outstanding,
      settledAt: this.#settledAt,
      oldestAt: source.oldestAt,
      bufferedBytes: engine?.bytes ?? 0,
      inFlight: engine?.inFlight ?? 0,
      permits: permits.limit,
      durations: transport.durations.all,
      deadLetterFailures: policy.failures,
      retrying: engine?.retrying ?? 0,
      guarded: engine?.guarded ?? 0,
      pausedUntil: transport.pausedUntil,
      failingSince: transport.failingSince,
      failingCause: transport.failingCause,
      throttledSince: transport.throttledSince,
      ending: tally.ending && { ...tally.ending },
    }
  }

  #topic({ name, mapper, counts }: StreamTopics['all'][number]): TopicFacts {
    const ignored = [...mapper.ignored.values()].reduce((sum, count) => sum + count, 0)
    const { records, written, rejected } = counts
    return {
      topic: name,
      table: mapper.table.name,
      records,
      written,
      rejected,
      deadLetters: this.#parts.policy.counts.get(name) ?? NO_LETTERS,
      ignored,
      pauses: this.#parts.pauses.of(name),
    }
  }
}

/** An end that was seen before the last of what is settled is behind it. */
function between(settledTo: bigint, end: bigint | undefined): bigint | undefined {
  if (end === undefined) return undefined
  return end > settledTo ? end - settledTo : 0n
}

/** `/metrics`. Watches the event loop until it is disposed.
 *  @param clock the one the facts are of */
export async function metricsPage(
  facts: () => StreamFacts,
  clock: Pick<Clock, 'now'>,
  usage: Io['usage'],
): Promise<Disposable & { readonly page: Page }> {
  // what it needs takes a while to load
  const { EventLoopLag } = await import('../../process/event-loop.ts')
  const { streamMetrics } = await import('../../telemetry/metrics.ts')
  const { version } = await import('../../version.ts')
  const own = await version()
  const startedAt = performance.timeOrigin / 1000
  const lag = new EventLoopLag(clock)
  const page = streamMetrics(() => ({
    stream: facts(),
    now: clock.now(),
    version: own,
    usage: usage && { ...usage(), startedAt, loopLagSeconds: lag.seconds },
  }))
  return { page, [Symbol.dispose]: () => lag[Symbol.dispose]() }
}
