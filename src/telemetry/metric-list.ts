// The Prometheus metrics of a run of `stream`: their names, labels and help, and how the facts of a scrape become their samples.
// Labels have few values: topics, tables, assigned partitions, and fixed words; never a record's data. Counters come from facts that never
// fall; what goes away with a partition is a gauge.

import { DURATION_BOUNDS_MS, type DurationCounts } from '../run/request-durations.ts'
import { HELD_REASONS, type GroupFacts, type RowFacts, type RunFacts } from '../run/run-facts.ts'
import { SETTLED_COUNTS } from '../run/counts.ts'

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

/** A line of a metric. `labelValues`: in the order of `Metric.labels`, `undefined` for a label that the line lacks; behind them the bound of
 *  a bucket. `part`: the end of the metric's name in a line of a histogram. */
export type MetricSample = readonly [labelValues: LabelValues, value: number, part?: '_bucket' | '_sum' | '_count']
type LabelValues = readonly (string | undefined)[]

export interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** Returns a sample for each combination of label values; none where the value is unknown. */
  readonly samples: (facts: MetricFacts) => readonly MetricSample[]
}

/** The words of HELD_REASONS for a help text. */
const REASONS =
  'outage (the service accepts nothing), rebalance, buffer (buffer_bytes is full), budget (the memory for fetched records is full), schemas (waiting for the registry), fetched_ahead (enough is fetched, which is normal)'

const PREFIX = 'analytics_stream_'

/** The names of the members of T that are numbers. */
type NumberIn<T> = { [Name in keyof T]-?: T[Name] extends number | undefined ? Name : never }[keyof T]

/** Returns a function that makes metrics of some things: of topics, tables and the like. Each thing has samples of its own.
 *  @param labels names of the labels that tell the things apart
 *  @param thingsIn finds the things
 *  @param labelValuesOf returns the values of these labels for a thing */
function metricMaker<T>(
  labels: readonly string[],
  thingsIn: (facts: MetricFacts) => readonly T[] | undefined,
  labelValuesOf: (thing: T) => LabelValues = () => [],
) {
  /** @param name a counter's ends in `_total`, any other is a gauge's
   *  @param measure the name of the thing's member that is the value; or a function that returns the value, `undefined` when unknown, or a
   *   sample for each combination of values of `moreLabels` */
  return (
    name: string,
    help: string,
    measure: NumberIn<T> | ((thing: T, facts: MetricFacts) => number | undefined | readonly MetricSample[]),
    moreLabels: readonly string[] = [],
  ): Metric => {
    const samplesOf = (thing: T, facts: MetricFacts): readonly MetricSample[] => {
      const measured = typeof measure === 'function' ? measure(thing, facts) : (thing[measure] as number | undefined)
      if (measured === undefined) return []
      if (typeof measured === 'number') return [[labelValuesOf(thing), measured]]
      return measured.map(([moreValues, value]) => [[...labelValuesOf(thing), ...moreValues], value])
    }
    const samples = (facts: MetricFacts) => (thingsIn(facts) ?? []).flatMap((thing) => samplesOf(thing, facts))
    const type = name.endsWith('_total') ? 'counter' : 'gauge'
    return { name: PREFIX + name, type, help, labels: [...labels, ...moreLabels], samples }
  }
}

const perMember = metricMaker([], (facts) => [facts])
const perGroup = metricMaker([], ({ group }) => group && [group])
const perDelivery = metricMaker([], ({ delivery }) => [delivery])
// only the rows of a topic's several tables (its parts) have the label `table`
const perTopic = metricMaker(
  ['topic', 'table'],
  ({ rows }) => rows,
  ({ name, table, isPart }) => [name, isPart ? table : undefined],
)
const perTable = metricMaker(
  ['table'],
  ({ tables }) => tables,
  ({ table }) => [table],
)
const perPartition = metricMaker(
  ['topic', 'partition'],
  ({ group }) => group?.partitions,
  ({ topic, partition }) => [topic, `${partition}`],
)
const perToken = metricMaker(
  ['server'],
  ({ group }) => group?.tokens,
  ({ place }) => [place],
)

/** Makes a metric of the process, under the name that Prometheus clients of all languages use, without PREFIX. */
function processMetric(name: string, help: string, member: keyof ProcessUsage): Metric {
  return { ...perMember(name, help, ({ usage }) => usage?.[member]), name }
}

/** All metrics, in page order. */
export const METRICS: readonly Metric[] = [
  perMember('build_info', 'Always 1; its label is the version of the program.', ({ version }) => [[[version], 1]], [
    'version',
  ]),
  perGroup('joined', 'Whether this member belongs to the consumer group (1) or not (0).', ({ joined }) =>
    Number(joined),
  ),
  perGroup('rebalances_total', 'Generations of the consumer group that this member joined.', 'rebalances'),
  perGroup('assigned_partitions', 'Partitions assigned to this member.', ({ partitions }) => partitions.length),
  perGroup(
    'paused_partitions',
    'Assigned partitions from which nothing is fetched, or whose fetched records wait: the sum of topic_paused_partitions.',
    ({ partitions }) => partitions.filter(({ held }) => held !== undefined).length,
  ),
  perGroup('topic_paused_partitions', `Of these, those of each topic by reason: ${REASONS}.`, pausedOf, [
    'topic',
    'reason',
  ]),
  perTopic(
    'pauses_total',
    'How often fetching from a partition was paused, by the first reason, as in topic_paused_partitions.',
    ({ pauses }) => byWord(pauses),
    ['reason'],
  ),
  perPartition(
    'consumer_lag_records',
    'Offsets between what is settled and the end of the partition (its high watermark), also while nothing is fetched. Assigned partitions only.',
    ({ lag }) => (lag === undefined ? undefined : Number(lag)),
  ),
  perGroup('commits_total', 'Commits of settled offsets that the group accepted.', ({ commits }) => commits.taken),
  perGroup(
    'commit_failures_total',
    'Commits of settled offsets that the group refused or did not answer; they are repeated.',
    ({ commits }) => commits.failed,
  ),
  perPartition(
    'last_commit_timestamp_seconds',
    'Time of the last accepted commit for the partition, since 1970. Assigned partitions only, once this member has committed. It stands still while there is nothing to commit.',
    ({ committedAt }) => (committedAt === undefined ? undefined : committedAt / 1000),
  ),
  perTopic(
    'read_records_total',
    'Records read from a topic; those read again after a rebalance count again.',
    // what is not counted yet is 0 for a topic, and is not told for a part
    ({ counts: { records }, isPart }) => records ?? (isPart ? undefined : 0),
  ),
  perTopic(
    'settled_records_total',
    'Records whose offsets may be committed: written (or superseded by a newer version of their row), rejected, ignored by policy, or left out because it is not known which row or table they mean.',
    settledOf,
    ['result'],
  ),
  perTopic(
    'dead_letters_total',
    'Confirmed dead letters: rejected by a rule of the connector, or refused by the service.',
    ({ deadLetters }) => byWord(deadLetters),
    ['reason'],
  ),
  perGroup(
    'dead_letter_failures_total',
    'Failed attempts to keep dead letters. All are repeated except the one that ends the run.',
    'deadLetterFailures',
  ),
  perDelivery('unsettled_records', 'Records that were read and are not settled.', 'outstanding'),
  perMember(
    'oldest_unsettled_age_seconds',
    'Age of the oldest fetch with unsettled records; 0 if all are settled.',
    oldestAge,
  ),
  perDelivery('buffer_bytes', 'Bytes of records and offsets held in memory to be sent.', 'bufferedBytes'),
  {
    name: `${PREFIX}request_duration_seconds`,
    type: 'histogram',
    help: 'Duration of request attempts to the service: delivered, refused, or failed and sent again.',
    labels: ['result'],
    samples: ({ delivery }) => delivery.durations.flatMap(histogramOf),
  },
  perDelivery('requests_in_flight', 'Requests to the service in flight.', 'inFlight'),
  perDelivery('request_permits', 'Parallel requests allowed at this moment.', 'permits'),
  perDelivery(
    'request_rate_limit',
    'Requests a second that may begin, learnt from what the service refused; +Inf if nothing limits them.',
    ({ permits, rate }) => (permits === undefined ? undefined : (rate?.perSecond ?? Infinity)),
  ),
  perDelivery('retrying_requests', 'Failed requests that wait for their next attempt.', 'retrying'),
  perDelivery(
    'guarded_requests',
    'Requests with an unknown outcome, whose rows wait so that no newer version is overwritten.',
    'guarded',
  ),
  perDelivery(
    'service_pause_seconds',
    'Rest of the pause that the service asked for (Retry-After); 0 if none.',
    ({ pausedUntil }, { now }) => inSeconds((pausedUntil ?? now) - now),
  ),
  perDelivery(
    'service_failing_seconds',
    'How long every request to the service has failed; 0 if the last one succeeded.',
    ({ failingSince }, { now }) => inSeconds(now - (failingSince ?? now)),
  ),
  perMember(
    'schema_wait_seconds',
    'How long fetched records have waited for schemas of the registry; 0 if none waits.',
    ({ group, now }) => inSeconds(now - (group?.schemasSince ?? now)),
  ),
  perToken(
    'token_life_seconds',
    'Rest of the life of the token in hand; 0 once it has expired.',
    ({ expiresAt }, { now }) => (expiresAt === undefined ? undefined : inSeconds(expiresAt - now)),
  ),
  perToken('token_fetches_total', 'Tokens that the token server gave.', 'fetched'),
  perToken(
    'token_fetch_failures_total',
    'Requests to the token server that brought no token; they are repeated.',
    'failed',
  ),
  perTable('request_attempts_total', 'Request attempts sent to the service.', 'attempts'),
  perTable(
    'retries_total',
    'Attempts that failed for a temporary reason: throttled (429), server (5xx), network, timeout.',
    ({ retries }) => byWord(retries),
    ['cause'],
  ),
  perTable('delivered_requests_total', 'Requests the service accepted.', 'requests'),
  perTable('delivered_rows_total', 'Rows in accepted requests.', 'rows'),
  perTable('delivered_bytes_total', 'Bytes of the bodies of accepted requests.', 'bytes'),
  processMetric('process_resident_memory_bytes', 'Resident memory of the process.', 'residentBytes'),
  processMetric('process_cpu_seconds_total', 'CPU time used, user and system.', 'cpuSeconds'),
  processMetric('process_start_time_seconds', 'Start time of the process, since 1970.', 'startedAt'),
  processMetric(
    'nodejs_eventloop_lag_max_seconds',
    'Longest delay of the event loop in the last half minute or more.',
    'loopLagSeconds',
  ),
]

/** Returns the number of durations up to each bound, the sum of all durations, and their number. */
function histogramOf({ result, counts, sumMs }: DurationCounts): MetricSample[] {
  let countUpTo = 0
  const buckets = counts.map((count, bucket): MetricSample => {
    countUpTo += count
    const bound = DURATION_BOUNDS_MS[bucket]
    return [[result, bound === undefined ? '+Inf' : `${bound / 1000}`], countUpTo, '_bucket']
  })
  return [...buckets, [[result], sumMs / 1000, '_sum'], [[result], countUpTo, '_count']]
}

/** Returns settled records by result, 0 where nothing is counted yet. A result that only some topics can have has no sample for others. */
function settledOf({ counts, isPart = false }: RowFacts): MetricSample[] {
  return Object.entries(SETTLED_COUNTS).flatMap(([result, name]): MetricSample[] => {
    const isOptional = isPart || name === 'rowless' || name === 'tableless'
    return counts[name] === undefined && isOptional ? [] : [[[result], counts[name] ?? 0]]
  })
}

/** Returns a sample for each word, such as a cause; none when it is not known what was counted. */
function byWord(counts: Readonly<Record<string, number>> = {}): MetricSample[] {
  return Object.entries(counts).map(([word, count]) => [[word], count])
}

/** Returns a sample for every reason of each topic with assigned partitions: a series that falls to 0 says more than one that ends. */
function pausedOf({ partitions }: GroupFacts): MetricSample[] {
  return [...Map.groupBy(partitions, ({ topic }) => topic)].flatMap(([topic, mine]) =>
    HELD_REASONS.map((reason): MetricSample => [[topic, reason], mine.filter(({ held }) => held === reason).length]),
  )
}

/** Returns the age in seconds of the oldest fetch with unsettled records. `undefined` when there are such, but their age is not known. */
function oldestAge({ group, delivery, now }: MetricFacts): number | undefined {
  if (group?.oldestAt !== undefined) return inSeconds(now - group.oldestAt)
  return delivery.outstanding === 0 ? 0 : undefined
}

function inSeconds(ms: number): number {
  return Math.max(0, ms) / 1000
}
