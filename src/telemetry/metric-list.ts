// The Prometheus metrics of a stream: names, units, labels, help.
//
// Labels have few values: topics, tables, assigned partitions, and words of ours; never a record's data. Counters come from facts
// that never fall; what goes away with a partition is a gauge.

import { DURATION_BOUNDS_MS } from './watched-transport.ts'
import { HELD_REASONS } from './run-facts.ts'
import { ALL_COUNTS } from './counts.ts'
import type { TableFacts } from './counts.ts'
import type { DeliveryFacts, PartitionFacts, RowFacts, RunFacts, TokenFacts } from './run-facts.ts'

/** What a scrape is computed from. */
export interface MetricFacts {
  readonly stream: RunFacts
  /** By the facts' clock. */
  readonly now: number
  /** Of this program. */
  readonly version: string
  readonly usage: ProcessUsage | undefined
}

export interface ProcessUsage {
  readonly residentBytes: number
  /** User and system, since the start. */
  readonly cpuSeconds: number
  /** Seconds since 1970. */
  readonly startedAt: number
  /** The longest recent delay of the event loop. */
  readonly loopLagSeconds: number
}

/** Label values in the order of `labels`, undefined for one that it lacks, and the value. */
export type MetricSample = readonly [labels: readonly (string | undefined)[], value: number]

interface Named {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

export interface PlainMetric extends Named {
  readonly type: 'counter' | 'gauge'
  /** Each combination of labels once; none: unknown. */
  readonly samples: (facts: MetricFacts) => readonly MetricSample[]
}

/** Label values in the order of `labels`, counts per bucket, and the sum of all values. */
export type HistogramSample = readonly [labels: readonly string[], counts: readonly number[], sum: number]

export interface HistogramMetric extends Named {
  readonly type: 'histogram'
  /** Upper bounds of the buckets; greater values have a bucket of their own. */
  readonly bounds: readonly number[]
  readonly samples: (facts: MetricFacts) => readonly HistogramSample[]
}

export type Metric = PlainMetric | HistogramMetric

const PREFIX = 'analytics_stream_'
const REASONS =
  'outage (the service accepts nothing), rebalance, buffer (buffer_bytes is full), budget (the memory for fetched records is full), schemas (waiting for the registry), fetched_ahead (enough is fetched, which is normal)'

/** In page order. */
export const METRICS: readonly Metric[] = [
  {
    name: `${PREFIX}build_info`,
    type: 'gauge',
    help: 'Always 1; its label is the version of the program.',
    labels: ['version'],
    samples: ({ version }) => [[[version], 1]],
  },
  gauge(
    'joined',
    'Whether this member belongs to the consumer group (1) or not (0).',
    ({ group }) => group && (group.joined ? 1 : 0),
  ),
  counter(
    'rebalances_total',
    'Generations of the consumer group that this member joined.',
    ({ group }) => group?.rebalances,
  ),
  gauge('assigned_partitions', 'Partitions assigned to this member.', ({ group }) => group?.partitions.length),
  gauge(
    'paused_partitions',
    'Assigned partitions from which nothing is fetched, or whose fetched records wait: the sum of topic_paused_partitions.',
    ({ group }) => group?.partitions.filter(({ held }) => held !== undefined).length,
  ),
  series(
    'gauge',
    'topic_paused_partitions',
    `Of these, those of each topic by reason: ${REASONS}.`,
    ['topic', 'reason'],
    pausedOf,
  ),
  ofTopics(
    'pauses_total',
    'How often fetching from a partition was paused, by the first reason, as in topic_paused_partitions.',
    ['reason'],
    ({ pauses }) => byWord(pauses),
  ),
  series(
    'gauge',
    'consumer_lag_records',
    'Offsets between what is settled and the end of the partition (its high watermark), also while nothing is fetched. Assigned partitions only.',
    ['topic', 'partition'],
    (it) => partitionsOf(it).flatMap(lagOf),
  ),
  counter('commits_total', 'Commits of settled offsets that the group accepted.', ({ group }) => group?.commits.taken),
  counter(
    'commit_failures_total',
    'Commits of settled offsets that the group refused or did not answer; they are repeated.',
    ({ group }) => group?.commits.failed,
  ),
  series(
    'gauge',
    'last_commit_timestamp_seconds',
    'Time of the last accepted commit for the partition, since 1970. Assigned partitions only, once this member has committed. It stands still while there is nothing to commit.',
    ['topic', 'partition'],
    (it) => partitionsOf(it).flatMap(committedOf),
  ),
  ...countMetrics(),
  ofTopics(
    'dead_letters_total',
    'Confirmed dead letters: rejected by a rule of the connector, or refused by the service.',
    ['reason'],
    ({ deadLetters }) => byWord(deadLetters),
  ),
  counter(
    'dead_letter_failures_total',
    'Failed attempts to keep dead letters. All are repeated except the one that ends the run.',
    ({ group }) => group?.deadLetterFailures,
  ),
  gauge('unsettled_records', 'Records that were read and are not settled.', (_, { outstanding }) => outstanding),
  gauge(
    'oldest_unsettled_age_seconds',
    'Age of the oldest fetch with unsettled records; 0 if all are settled.',
    ({ group, delivery }, _, now) => oldestAge(group?.oldestAt, delivery, now),
  ),
  gauge('buffer_bytes', 'Bytes of records and offsets held in memory to be sent.', (_, it) => it.bufferedBytes),
  {
    name: `${PREFIX}request_duration_seconds`,
    type: 'histogram',
    help: 'Duration of request attempts to the service: delivered, refused, or failed and sent again.',
    labels: ['result'],
    bounds: DURATION_BOUNDS_MS.map((ms) => ms / 1000),
    samples: ({ stream }) =>
      stream.delivery.durations.map(({ result, counts, sumMs }) => [[result], counts, sumMs / 1000]),
  },
  gauge('requests_in_flight', 'Requests to the service in flight.', (_, { inFlight }) => inFlight),
  gauge('request_permits', 'Parallel requests allowed at this moment.', (_, { permits }) => permits),
  gauge(
    'request_rate_limit',
    'Requests a second that may begin, learnt from what the service refused; +Inf if nothing limits them.',
    (_, { permits, rate }) => (permits === undefined ? undefined : (rate?.perSecond ?? Infinity)),
  ),
  gauge('retrying_requests', 'Failed requests that wait for their next attempt.', (_, { retrying }) => retrying),
  gauge(
    'guarded_requests',
    'Requests with an unknown outcome, whose rows wait so that no newer version is overwritten.',
    (_, { guarded }) => guarded,
  ),
  gauge(
    'service_pause_seconds',
    'Rest of the pause that the service asked for (Retry-After); 0 if none.',
    (_, { pausedUntil }, now) => (pausedUntil === undefined ? 0 : inSeconds(pausedUntil - now)),
  ),
  gauge(
    'service_failing_seconds',
    'How long every request to the service has failed; 0 if the last one succeeded.',
    (_, { failingSince }, now) => (failingSince === undefined ? 0 : inSeconds(now - failingSince)),
  ),
  gauge(
    'schema_wait_seconds',
    'How long fetched records have waited for schemas of the registry; 0 if none waits.',
    ({ group }, _, now) => (group?.schemasSince === undefined ? 0 : inSeconds(now - group.schemasSince)),
  ),
  ofTokens(
    'gauge',
    'token_life_seconds',
    'Rest of the life of the token in hand; 0 once it has expired.',
    ({ expiresAt }, now) => (expiresAt === undefined ? undefined : inSeconds(expiresAt - now)),
  ),
  ofTokens('counter', 'token_fetches_total', 'Tokens that the token server gave.', ({ fetched }) => fetched),
  ofTokens(
    'counter',
    'token_fetch_failures_total',
    'Requests to the token server that brought no token; they are repeated.',
    ({ failed }) => failed,
  ),
  ofTables('request_attempts_total', 'Request attempts sent to the service.', [], (it) => [[[], it.attempts]]),
  ofTables(
    'retries_total',
    'Attempts that failed for a temporary reason: throttled (429), server (5xx), network, timeout.',
    ['cause'],
    ({ retries }) => byWord(retries),
  ),
  ofTables('delivered_requests_total', 'Requests the service accepted.', [], (it) => [[[], it.requests]]),
  ofTables('delivered_rows_total', 'Rows in accepted requests.', [], (it) => [[[], it.rows]]),
  ofTables('delivered_bytes_total', 'Bytes of the bodies of accepted requests.', [], (it) => [[[], it.bytes]]),
  // the names that Prometheus clients of all languages use
  ofProcess('process_resident_memory_bytes', 'gauge', 'Resident memory of the process.', (it) => it.residentBytes),
  ofProcess('process_cpu_seconds_total', 'counter', 'CPU time used, user and system.', (it) => it.cpuSeconds),
  ofProcess('process_start_time_seconds', 'gauge', 'Start time of the process, since 1970.', (it) => it.startedAt),
  ofProcess(
    'nodejs_eventloop_lag_max_seconds',
    'gauge',
    'Longest delay of the event loop in the last half minute or more.',
    (it) => it.loopLagSeconds,
  ),
]

type Value = (stream: RunFacts, delivery: DeliveryFacts, now: number) => number | undefined

function gauge(name: string, help: string, value: Value): Metric {
  return single('gauge', name, help, value)
}

function counter(name: string, help: string, value: Value): Metric {
  return single('counter', name, help, value)
}

/** @param value undefined: unknown */
function single(type: PlainMetric['type'], name: string, help: string, value: Value): Metric {
  return series(type, name, help, [], (stream, now) => {
    const known = value(stream, stream.delivery, now)
    return known === undefined ? [] : [[[], known]]
  })
}

function series(
  type: PlainMetric['type'],
  name: string,
  help: string,
  labels: readonly string[],
  samples: (stream: RunFacts, now: number) => readonly MetricSample[],
): Metric {
  return { name: PREFIX + name, type, help, labels, samples: ({ stream, now }) => samples(stream, now) }
}

/** The metrics that COUNTS declares. */
function countMetrics(): Metric[] {
  const declared = ALL_COUNTS.flatMap(([count, { metric, sentences }]) =>
    metric ? [{ count, isRare: sentences === 'all, if above 0', ...metric }] : [],
  )
  return [...Map.groupBy(declared, ({ name }) => name)].map(([name, all]) => {
    const labels = all.some(({ result }) => result !== undefined) ? ['result'] : []
    return ofTopics(name, all[0]!.help, labels, ({ counts, isPart }) =>
      all.flatMap(({ count, result, isRare }): MetricSample[] =>
        counts[count] === undefined && (isPart || isRare)
          ? []
          : [[result === undefined ? [] : [result], counts[count] ?? 0]],
      ),
    )
  })
}

/** @param more labels after that of the topic, and that of the table where it is one of several */
function ofTopics(
  name: string,
  help: string,
  more: readonly string[],
  samples: (facts: RowFacts) => readonly MetricSample[],
): Metric {
  const all = ({ rows }: RunFacts): MetricSample[] =>
    rows.flatMap((it) => labelled([it.name, it.isPart ? it.table : undefined], samples(it)))
  return series('counter', name, help, ['topic', 'table', ...more], all)
}

/** @param more labels after the table's */
function ofTables(
  name: string,
  help: string,
  more: readonly string[],
  samples: (facts: TableFacts) => readonly MetricSample[],
): Metric {
  const all = ({ tables }: RunFacts): MetricSample[] => tables.flatMap((it) => labelled([it.table], samples(it)))
  return series('counter', name, help, ['table', ...more], all)
}

/** Of each token server. */
function ofTokens(
  type: PlainMetric['type'],
  name: string,
  help: string,
  value: (token: TokenFacts, now: number) => number | undefined,
): Metric {
  return series(type, name, help, ['server'], ({ group }, now) =>
    (group?.tokens ?? []).flatMap((token): MetricSample[] => {
      const known = value(token, now)
      return known === undefined ? [] : [[[token.place], known]]
    }),
  )
}

function ofProcess(
  name: string,
  type: PlainMetric['type'],
  help: string,
  value: (usage: ProcessUsage) => number,
): Metric {
  return { name, type, help, labels: [], samples: ({ usage }) => (usage ? [[[], value(usage)]] : []) }
}

function labelled(own: MetricSample[0], samples: readonly MetricSample[]): MetricSample[] {
  return samples.map(([labels, value]) => [[...own, ...labels], value])
}

function byWord(counts: Readonly<Record<string, number>> = {}): MetricSample[] {
  return Object.entries(counts).map(([word, count]) => [[word], count])
}

function partitionsOf({ group }: RunFacts): readonly PartitionFacts[] {
  return group?.partitions ?? []
}

function lagOf({ topic, partition, lag }: PartitionFacts): MetricSample[] {
  return lag === undefined ? [] : [[[topic, `${partition}`], Number(lag)]]
}

function committedOf({ topic, partition, committedAt }: PartitionFacts): MetricSample[] {
  return committedAt === undefined ? [] : [[[topic, `${partition}`], committedAt / 1000]]
}

/** All reasons for each topic with assigned partitions: a series that falls to 0 says more than one that ends. */
function pausedOf(facts: RunFacts): MetricSample[] {
  return [...Map.groupBy(partitionsOf(facts), ({ topic }) => topic)].flatMap(([topic, mine]) =>
    HELD_REASONS.map((reason): MetricSample => [[topic, reason], mine.filter(({ held }) => held === reason).length]),
  )
}

function oldestAge(oldestAt: number | undefined, { outstanding }: DeliveryFacts, now: number): number | undefined {
  if (oldestAt !== undefined) return inSeconds(now - oldestAt)
  return outstanding === 0 ? 0 : undefined
}

function inSeconds(ms: number): number {
  return Math.max(0, ms) / 1000
}
