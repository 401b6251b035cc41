// Which figures of a stream are told to Prometheus: names, units, labels, words. Knows no format and no library.
//
// Labels have few values: topics, tables, partitions that are assigned, and words of ours; never a record's data. Counters
// are of facts that never fall; what goes away with a partition is a gauge.

import { DURATION_BOUNDS_MS } from './watched-transport.ts'
import { HELD_REASONS } from './run-facts.ts'
import { ALL_COUNTS } from './counts.ts'
import type { TableFacts } from './counts.ts'
import type { DeliveryFacts, PartitionFacts, StreamFacts, TopicFacts } from './run-facts.ts'

/** What a scrape is answered from. */
export interface MetricFacts {
  readonly stream: StreamFacts
  /** Of the facts' clock, when asked. */
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
  /** The longest time, of late, that the event loop could not turn. */
  readonly loopLagSeconds: number
}

/** Label values in the order of `labels`, and the value. */
export type MetricSample = readonly [labels: readonly string[], value: number]

interface Named {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

export interface PlainMetric extends Named {
  readonly type: 'counter' | 'gauge'
  /** Each combination of labels once; none: not known. */
  readonly samples: (facts: MetricFacts) => readonly MetricSample[]
}

/** Label values in the order of `labels`, how many values are in which place, and their sum. */
export type HistogramSample = readonly [labels: readonly string[], counts: readonly number[], sum: number]

export interface HistogramMetric extends Named {
  readonly type: 'histogram'
  /** Up to which value one counts in which place; what is greater counts in one more. */
  readonly bounds: readonly number[]
  readonly samples: (facts: MetricFacts) => readonly HistogramSample[]
}

export type Metric = PlainMetric | HistogramMetric

const PREFIX = 'analytics_stream_'
const REASONS =
  'outage (the service takes nothing), rebalance, buffer (buffer_bytes is full), budget (the memory for what is fetched ahead is), schemas (the registry is waited for), fetched_ahead (enough is, which is ordinary)'

/** In the order to tell them. */
export const METRICS: readonly Metric[] = [
  {
    name: `${PREFIX}build_info`,
    type: 'gauge',
    help: 'Always 1; the version of the program is its label.',
    labels: ['version'],
    samples: ({ version }) => [[[version], 1]],
  },
  gauge('joined', 'Whether the consumer group counts on this member (1) or not (0).', ({ group }) =>
    group.joined ? 1 : 0,
  ),
  counter('rebalances_total', 'Generations of the consumer group this member has joined.', ({ group }) => [
    [[], group.rebalances],
  ]),
  gauge('assigned_partitions', 'Partitions this member has now.', ({ group }) => group.partitions.length),
  gauge(
    'paused_partitions',
    'Of them, those nothing is fetched from, or nothing is taken of what was.',
    ({ group }) => group.partitions.filter(({ held }) => held !== undefined).length,
  ),
  {
    name: `${PREFIX}topic_paused_partitions`,
    type: 'gauge',
    help: `The same by topic and reason: ${REASONS}.`,
    labels: ['topic', 'reason'],
    samples: ({ stream }) => pausedOf(stream),
  },
  ofTopics(
    'pauses_total',
    `How often fetching from a partition was paused, by the reason it began for: ${REASONS}.`,
    ['reason'],
    ({ pauses }) => byWord(pauses),
  ),
  {
    name: `${PREFIX}consumer_lag_records`,
    type: 'gauge',
    help: 'Offsets between what is settled and the end of the partition (its high watermark), also while nothing is fetched. Assigned partitions only.',
    labels: ['topic', 'partition'],
    samples: ({ stream }) => stream.group.partitions.flatMap(lagOf),
  },
  counter('commits_total', 'Commits of settled offsets that the group took.', ({ group }) => [
    [[], group.commits.taken],
  ]),
  counter(
    'commit_failures_total',
    'Commits of settled offsets that the group did not take, or did not answer: they are committed again.',
    ({ group }) => [[[], group.commits.failed]],
  ),
  {
    name: `${PREFIX}last_commit_timestamp_seconds`,
    type: 'gauge',
    help: 'When the group last took an offset of the partition, since 1970. Assigned partitions only, once this member has committed; while nothing is to be committed it stands.',
    labels: ['topic', 'partition'],
    samples: ({ stream }) => stream.group.partitions.flatMap(committedOf),
  },
  ...countMetrics(),
  ofTopics(
    'dead_letters_total',
    'Records kept as dead letters, confirmed: rejected by a rule of the connector, or refused by the service.',
    ['reason'],
    ({ deadLetters }) => byWord(deadLetters),
  ),
  counter(
    'dead_letter_failures_total',
    'Attempts to keep dead letters that failed: tried again, but for the one that ends the run.',
    ({ delivery }) => [[[], delivery.deadLetterFailures]],
  ),
  gauge('unsettled_records', 'Records under way: taken, and not settled yet.', (_, { outstanding }) => outstanding),
  gauge(
    'oldest_unsettled_age_seconds',
    'How long ago the oldest fetch was of which something is not settled; 0 when all is.',
    (_, delivery, now) => oldestAge(delivery, now),
  ),
  gauge(
    'buffer_bytes',
    'Bytes of records and offsets that are held in memory to be sent.',
    (_, it) => it.bufferedBytes,
  ),
  {
    name: `${PREFIX}request_duration_seconds`,
    type: 'histogram',
    help: 'How long attempts of requests to the service took: delivered, refused, or failed, to be sent again.',
    labels: ['result'],
    bounds: DURATION_BOUNDS_MS.map((ms) => ms / 1000),
    samples: ({ stream }) =>
      stream.delivery.durations.map(({ result, counts, sumMs }) => [[result], counts, sumMs / 1000]),
  },
  gauge('requests_in_flight', 'Requests to the service that are under way.', (_, { inFlight }) => inFlight),
  gauge('request_permits', 'Requests that may be under way at once, as it is now.', (_, { permits }) => permits),
  gauge('retrying_requests', 'Requests that failed and wait to be sent again.', (_, { retrying }) => retrying),
  gauge(
    'guarded_requests',
    'Requests of unknown fate whose keys are held, so that no newer value is overwritten.',
    (_, { guarded }) => guarded,
  ),
  gauge(
    'service_pause_seconds',
    'How much longer the service asked to be left alone (Retry-After); 0 when it does not.',
    (_, { pausedUntil }, now) => (pausedUntil === undefined ? 0 : inSeconds(pausedUntil - now)),
  ),
  gauge(
    'service_failing_seconds',
    'How long every request to the service has failed; 0 when the last one was answered well.',
    (_, { failingSince }, now) => (failingSince === undefined ? 0 : inSeconds(now - failingSince)),
  ),
  gauge(
    'schema_wait_seconds',
    'How long fetched records have waited for schemas of the registry; 0 when none does.',
    ({ group: { schemasSince } }, _, now) => (schemasSince === undefined ? 0 : inSeconds(now - schemasSince)),
  ),
  ofTables('request_attempts_total', 'Requests sent to the service, every attempt.', [], (it) => [[[], it.attempts]]),
  ofTables(
    'retries_total',
    'Attempts that failed for a passing reason: throttled (429), server (5xx), network, timeout.',
    ['cause'],
    ({ retries }) => byWord(retries),
  ),
  ofTables('delivered_requests_total', 'Requests the service accepted.', [], (it) => [[[], it.requests]]),
  ofTables('delivered_rows_total', 'Rows in them.', [], (it) => [[[], it.rows]]),
  ofTables('delivered_bytes_total', 'Bytes of their bodies.', [], (it) => [[[], it.bytes]]),
  // as the clients of all languages name them
  ofProcess('process_resident_memory_bytes', 'gauge', 'Memory of the process, resident.', (it) => it.residentBytes),
  ofProcess('process_cpu_seconds_total', 'counter', 'Time of processors used, user and system.', (it) => it.cpuSeconds),
  ofProcess('process_start_time_seconds', 'gauge', 'When the process began, since 1970.', (it) => it.startedAt),
  ofProcess(
    'nodejs_eventloop_lag_max_seconds',
    'gauge',
    'The longest delay of the event loop in the last half minute, at least.',
    (it) => it.loopLagSeconds,
  ),
]

/** @param value undefined: not known */
function gauge(
  name: string,
  help: string,
  value: (stream: StreamFacts, delivery: DeliveryFacts, now: number) => number | undefined,
): Metric {
  return {
    name: PREFIX + name,
    type: 'gauge',
    help,
    labels: [],
    samples: ({ stream, now }) => {
      const known = value(stream, stream.delivery, now)
      return known === undefined ? [] : [[[], known]]
    },
  }
}

function counter(
  name: string,
  help: string,
  samples: (stream: StreamFacts) => readonly MetricSample[],
  labels: readonly string[] = [],
): Metric {
  return { name: PREFIX + name, type: 'counter', help, labels, samples: ({ stream }) => samples(stream) }
}

/** Those that COUNTS declares. */
function countMetrics(): Metric[] {
  const declared = ALL_COUNTS.flatMap(([count, { metric }]) => (metric ? [{ count, ...metric }] : []))
  return [...Map.groupBy(declared, ({ name }) => name)].map(([name, all]) => {
    const labels = all.some(({ result }) => result !== undefined) ? ['result'] : []
    return ofTopics(name, all[0]!.help, labels, ({ counts }) =>
      all.map(({ count, result }): MetricSample => [result === undefined ? [] : [result], counts[count] ?? 0]),
    )
  })
}

/** @param more labels behind that of the topic, and samples with them */
function ofTopics(
  name: string,
  help: string,
  more: readonly string[],
  samples: (facts: TopicFacts) => readonly MetricSample[],
): Metric {
  const all = ({ rows }: StreamFacts): MetricSample[] => rows.flatMap((it) => labelled(it.name, samples(it)))
  return counter(name, help, all, ['topic', ...more])
}

/** @param more labels behind that of the table, and samples with them */
function ofTables(
  name: string,
  help: string,
  more: readonly string[],
  samples: (facts: TableFacts) => readonly MetricSample[],
): Metric {
  const all = ({ tables }: StreamFacts): MetricSample[] => tables.flatMap((it) => labelled(it.table, samples(it)))
  return counter(name, help, all, ['table', ...more])
}

function ofProcess(
  name: string,
  type: PlainMetric['type'],
  help: string,
  value: (usage: ProcessUsage) => number,
): Metric {
  return { name, type, help, labels: [], samples: ({ usage }) => (usage ? [[[], value(usage)]] : []) }
}

function labelled(label: string, samples: readonly MetricSample[]): MetricSample[] {
  return samples.map(([labels, value]) => [[label, ...labels], value])
}

function byWord(counts: Readonly<Record<string, number>>): MetricSample[] {
  return Object.entries(counts).map(([word, count]) => [[word], count])
}

function lagOf({ topic, partition, lag }: PartitionFacts): MetricSample[] {
  return lag === undefined ? [] : [[[topic, `${partition}`], Number(lag)]]
}

function committedOf({ topic, partition, committedAt }: PartitionFacts): MetricSample[] {
  return committedAt === undefined ? [] : [[[topic, `${partition}`], committedAt / 1000]]
}

/** Of topics with partitions here, all reasons: a line that falls to 0 says more than one that ends. */
function pausedOf({ group: { partitions } }: StreamFacts): MetricSample[] {
  return [...Map.groupBy(partitions, ({ topic }) => topic)].flatMap(([topic, mine]) =>
    HELD_REASONS.map((reason): MetricSample => [[topic, reason], mine.filter(({ held }) => held === reason).length]),
  )
}

function oldestAge({ oldestAt, outstanding }: DeliveryFacts, now: number): number | undefined {
  if (oldestAt !== undefined) return inSeconds(now - oldestAt)
  return outstanding === 0 ? 0 : undefined
}

function inSeconds(ms: number): number {
  return Math.max(0, ms) / 1000
}
