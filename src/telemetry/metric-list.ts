// The Prometheus metrics of a stream: names, units, labels, help.
//
// Labels have few values: topics, tables, assigned partitions, and words of ours; never a record's data. Counters come from facts
// that never fall; what goes away with a partition is a gauge.

import { DURATION_BOUNDS_MS } from '../run/request-durations.ts'
import { HELD_REASONS } from '../run/run-facts.ts'
import { ALL_COUNTS } from '../run/counts.ts'
import type { TableFacts } from '../run/counts.ts'
import type { PartitionFacts, RowFacts, RunFacts, TokenFacts } from '../run/run-facts.ts'

/** The facts of a scrape. */
export interface MetricFacts extends RunFacts {
  /** The moment of the scrape, by the facts' clock. */
  readonly now: number
  /** The version of this program. */
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

/** Label values in the order of `labels`, `undefined` for one that it lacks, and the value. */
export type MetricSample = readonly [labels: readonly (string | undefined)[], value: number]

interface Named {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

export interface PlainMetric extends Named {
  readonly type: 'counter' | 'gauge'
  /** Each combination of labels once; no sample when unknown. */
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

/** All metrics, in page order. */
export const METRICS: readonly Metric[] = [
  gauge('build_info', 'Always 1; its label is the version of the program.', ({ version }) => [[[version], 1]], [
    'version',
  ]),
  gauge(
    'joined',
    'Whether this member belongs to the consumer group (1) or not (0).',
    ({ group }) => group && Number(group.joined),
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
  gauge('topic_paused_partitions', `Of these, those of each topic by reason: ${REASONS}.`, pausedOf, [
    'topic',
    'reason',
  ]),
  ofTopics(
    'pauses_total',
    'How often fetching from a partition was paused, by the first reason, as in topic_paused_partitions.',
    ['reason'],
    ({ pauses }) => byWord(pauses),
  ),
  ofPartitions(
    'consumer_lag_records',
    'Offsets between what is settled and the end of the partition (its high watermark), also while nothing is fetched. Assigned partitions only.',
    ({ lag }) => (lag === undefined ? undefined : Number(lag)),
  ),
  counter('commits_total', 'Commits of settled offsets that the group accepted.', ({ group }) => group?.commits.taken),
  counter(
    'commit_failures_total',
    'Commits of settled offsets that the group refused or did not answer; they are repeated.',
    ({ group }) => group?.commits.failed,
  ),
  ofPartitions(
    'last_commit_timestamp_seconds',
    'Time of the last accepted commit for the partition, since 1970. Assigned partitions only, once this member has committed. It stands still while there is nothing to commit.',
    ({ committedAt }) => (committedAt === undefined ? undefined : committedAt / 1000),
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
  gauge('unsettled_records', 'Records that were read and are not settled.', ({ delivery }) => delivery.outstanding),
  gauge(
    'oldest_unsettled_age_seconds',
    'Age of the oldest fetch with unsettled records; 0 if all are settled.',
    oldestAge,
  ),
  gauge(
    'buffer_bytes',
    'Bytes of records and offsets held in memory to be sent.',
    ({ delivery }) => delivery.bufferedBytes,
  ),
  {
    name: `${PREFIX}request_duration_seconds`,
    type: 'histogram',
    help: 'Duration of request attempts to the service: delivered, refused, or failed and sent again.',
    labels: ['result'],
    bounds: DURATION_BOUNDS_MS.map((ms) => ms / 1000),
    samples: ({ delivery }) => delivery.durations.map(({ result, counts, sumMs }) => [[result], counts, sumMs / 1000]),
  },
  gauge('requests_in_flight', 'Requests to the service in flight.', ({ delivery }) => delivery.inFlight),
  gauge('request_permits', 'Parallel requests allowed at this moment.', ({ delivery }) => delivery.permits),
  gauge(
    'request_rate_limit',
    'Requests a second that may begin, learnt from what the service refused; +Inf if nothing limits them.',
    ({ delivery: { permits, rate } }) => (permits === undefined ? undefined : (rate?.perSecond ?? Infinity)),
  ),
  gauge('retrying_requests', 'Failed requests that wait for their next attempt.', ({ delivery }) => delivery.retrying),
  gauge(
    'guarded_requests',
    'Requests with an unknown outcome, whose rows wait so that no newer version is overwritten.',
    ({ delivery }) => delivery.guarded,
  ),
  gauge(
    'service_pause_seconds',
    'Rest of the pause that the service asked for (Retry-After); 0 if none.',
    ({ delivery: { pausedUntil }, now }) => (pausedUntil === undefined ? 0 : inSeconds(pausedUntil - now)),
  ),
  gauge(
    'service_failing_seconds',
    'How long every request to the service has failed; 0 if the last one succeeded.',
    ({ delivery: { failingSince }, now }) => (failingSince === undefined ? 0 : inSeconds(now - failingSince)),
  ),
  gauge(
    'schema_wait_seconds',
    'How long fetched records have waited for schemas of the registry; 0 if none waits.',
    ({ group, now }) => (group?.schemasSince === undefined ? 0 : inSeconds(now - group.schemasSince)),
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
  ofProcess('process_resident_memory_bytes', 'gauge', 'Resident memory of the process.', 'residentBytes'),
  ofProcess('process_cpu_seconds_total', 'counter', 'CPU time used, user and system.', 'cpuSeconds'),
  ofProcess('process_start_time_seconds', 'gauge', 'Start time of the process, since 1970.', 'startedAt'),
  ofProcess(
    'nodejs_eventloop_lag_max_seconds',
    'gauge',
    'Longest delay of the event loop in the last half minute or more.',
    'loopLagSeconds',
  ),
]

/** A single value, or one for each combination of labels. `undefined` when unknown. */
type Find = (facts: MetricFacts) => number | undefined | readonly MetricSample[]

function gauge(name: string, help: string, find: Find, labels: readonly string[] = []): Metric {
  return metric('gauge', PREFIX + name, help, find, labels)
}

function counter(name: string, help: string, find: Find, labels: readonly string[] = []): Metric {
  return metric('counter', PREFIX + name, help, find, labels)
}

function metric(
  type: PlainMetric['type'],
  name: string,
  help: string,
  find: Find,
  labels: readonly string[] = [],
): Metric {
  const samples = (facts: MetricFacts): readonly MetricSample[] => {
    const found = find(facts)
    return typeof found === 'object' ? found : sample([], found)
  }
  return { name, type, help, labels, samples }
}

function sample(labels: MetricSample[0], value: number | undefined): MetricSample[] {
  return value === undefined ? [] : [[labels, value]]
}

/** Returns the metrics that COUNTS declares. */
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
  find: (facts: RowFacts) => readonly MetricSample[],
): Metric {
  const all: Find = ({ rows }) => rows.flatMap((it) => labelled([it.name, it.isPart ? it.table : undefined], find(it)))
  return counter(name, help, all, ['topic', 'table', ...more])
}

/** @param more labels after the table's */
function ofTables(
  name: string,
  help: string,
  more: readonly string[],
  find: (facts: TableFacts) => readonly MetricSample[],
): Metric {
  const all: Find = ({ tables }) => tables.flatMap((it) => labelled([it.table], find(it)))
  return counter(name, help, all, ['table', ...more])
}

function ofPartitions(name: string, help: string, value: (partition: PartitionFacts) => number | undefined): Metric {
  const all: Find = ({ group }) => group?.partitions.flatMap((it) => sample([it.topic, `${it.partition}`], value(it)))
  return gauge(name, help, all, ['topic', 'partition'])
}

/** One sample for each token server. */
function ofTokens(
  type: PlainMetric['type'],
  name: string,
  help: string,
  value: (token: TokenFacts, now: number) => number | undefined,
): Metric {
  const all: Find = ({ group, now }) => group?.tokens?.flatMap((token) => sample([token.place], value(token, now)))
  return metric(type, PREFIX + name, help, all, ['server'])
}

function ofProcess(name: string, type: PlainMetric['type'], help: string, member: keyof ProcessUsage): Metric {
  return metric(type, name, help, ({ usage }) => usage?.[member])
}

function labelled(own: MetricSample[0], samples: readonly MetricSample[]): MetricSample[] {
  return samples.map(([labels, value]) => [[...own, ...labels], value])
}

function byWord(counts: Readonly<Record<string, number>> = {}): MetricSample[] {
  return Object.entries(counts).map(([word, count]) => [[word], count])
}

/** Returns all reasons for each topic with assigned partitions: a series that falls to 0 says more than one that ends. */
function pausedOf({ group }: MetricFacts): MetricSample[] {
  return [...Map.groupBy(group?.partitions ?? [], ({ topic }) => topic)].flatMap(([topic, mine]) =>
    HELD_REASONS.map((reason): MetricSample => [[topic, reason], mine.filter(({ held }) => held === reason).length]),
  )
}

function oldestAge({ group, delivery, now }: MetricFacts): number | undefined {
  if (group?.oldestAt !== undefined) return inSeconds(now - group.oldestAt)
  return delivery.outstanding === 0 ? 0 : undefined
}

function inSeconds(ms: number): number {
  return Math.max(0, ms) / 1000
}
