// What a stream is doing, gathered from everything that knows a part of it.

import type { FixedPermits } from '../../core/concurrency/gate.ts'
import type { AdaptivePermits } from '../../core/concurrency/limit.ts'
import type { ErrorKind } from '../../core/errors.ts'
import type { Tally } from '../../core/tally.ts'
import type { Clock } from '../../core/types.ts'
import { runRows } from '../../telemetry/counts.ts'
import type { RunRow, RunRows, TableFacts } from '../../telemetry/counts.ts'
import { DeliverySource } from '../../telemetry/run-facts.ts'
import type { PartitionFacts, StreamFacts, TopicFacts } from '../../telemetry/run-facts.ts'
import type { DeadLetterPolicy } from '../../kafka/source/dead-letter-policy.ts'
import type { KafkaSource, Replaying } from '../../kafka/source/kafka-source.ts'
import type { Pauses } from '../../kafka/source/owned-partition.ts'
import type { GroupMember } from '../../kafka/client/group-member.ts'
import type { StreamOutages } from './stream-outages.ts'
import type { MappedTopic, StreamTopics } from '../../kafka/source/stream-topics.ts'
import type { WatchedTransport } from '../../telemetry/watched-transport.ts'
import type { Io } from '../../process/io.ts'
import type { Page } from '../../telemetry/health-server.ts'

interface FactsParts {
  readonly clock: Pick<Clock, 'now'>
  readonly source: KafkaSource
  readonly membership: Pick<GroupMember, 'generation' | 'isMember' | 'end'>
  readonly topics: StreamTopics
  readonly tally: Tally
  readonly transport: WatchedTransport
  readonly outages: Pick<StreamOutages, 'registry'> & { readonly brokers: Pick<StreamOutages['brokers'], 'down'> }
  readonly permits: AdaptivePermits | FixedPermits
  readonly policy: Pick<DeadLetterPolicy, 'counts' | 'failures'>
  readonly pauses: Pauses
  /** Dead letters are read instead of topics. */
  readonly replaying?: Pick<Replaying, 'counts' | 'isFile'> | undefined
  stopping(): boolean
  failed(): ErrorKind | undefined
}

/** A snapshot at every call; remembers what takes two of them to find out. */
export class StreamFactsSource {
  readonly #parts: FactsParts
  readonly #startedAt: number
  #joined = false
  #since: number
  readonly #delivery: DeliverySource

  constructor(parts: FactsParts) {
    this.#parts = parts
    this.#startedAt = this.#since = parts.clock.now()
    this.#delivery = new DeliverySource(parts, this.#startedAt)
  }

  take(): StreamFacts {
    const parts = this.#parts
    const { clock, topics, tally, source, policy, replaying } = parts
    const at = clock.now()
    const tables = tablesOf(topics, tally)
    const delivery = this.#delivery.take(at)
    const all = topics.all.map((topic) => this.#topic(topic))
    const ignored = all.reduce((sum, { counts }) => sum + (counts.ignored ?? 0), 0)
    const rows = runRows(all, tables, { ignored, unsettled: tally.engine?.outstanding ?? 0 })
    return {
      ...(replaying ? replayRows(rows, replaying.counts) : rows),
      at,
      startedAt: this.#startedAt,
      noun: 'topic',
      replays: replaying && (replaying.isFile ? 'file' : 'topic'),
      group: this.#group(at),
      delivery: { ...delivery, oldestAt: source.oldestAt, deadLetterFailures: policy.failures },
      tables,
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

  #topic(topic: MappedTopic): TopicFacts {
    const { policy, pauses } = this.#parts
    const { name, mapper, counts } = topic
    const ignored = [...mapper.ignored.values()].reduce((sum, count) => sum + count, 0)
    return {
      name,
      table: mapper.table.name,
      scope: name,
      counts: { ...counts, ignored },
      deadLetters: policy.counts.keptOf(name),
      pauses: pauses.of(name),
    }
  }
}

function tablesOf(topics: Pick<StreamTopics, 'all'>, tally: Tally): TableFacts[] {
  const tables = new Set(topics.all.map(({ mapper }) => mapper.table))
  return Array.from(tables, (table) => ({ table: table.name, ...tally.ofTable(table) }))
}

/** Of dead letters that are replayed: what became of them is known of all together, which may be one topic. */
function replayRows<Row extends RunRow>(
  { rows, total }: RunRows<Row>,
  { written, rejected }: Replaying['counts'],
): RunRows<Row> {
  const superseded = Math.max(0, written - (total.counts.rows ?? 0))
  const outcomes = { written, rejected, superseded }
  return {
    rows: rows.map((row) => {
      const { records, ignored, rows: sent } = row.counts
      return { ...row, counts: { records, ignored, rows: sent, ...(rows.length === 1 ? outcomes : {}) } }
    }),
    total: { ...total, counts: { ...total.counts, ...outcomes } },
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
  const { EventLoopLag } = await import('../../process/system-clock.ts')
  const { streamMetrics } = await import('../../telemetry/metrics.ts')
  const { version } = await import('../../version.ts')
  const own = version()
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
