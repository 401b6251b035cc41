// The summary of a run: the one source of its types, of spec/run-summary.schema.json and of the table in docs/summary.md.
// Members may be added; a meaning that changes gets another schema_version.

import { z } from 'zod'
import { COUNT_NAMES, COUNTS, type CountName } from '../../run/counts.ts'
import { JSON_KINDS } from '../../json/json-kind.ts'
import { STATES, WAITS } from '../../run/samples.ts'
import { HELD_REASONS } from '../../run/run-facts.ts'

export const count = (): z.ZodInt => z.int().min(0)
const moment = (): z.ZodISODateTime => z.iso.datetime()
/** An object with a number for each of some names. */
const numbers = <Name extends string>(names: readonly Name[], each: z.ZodNumber = count()) =>
  z.object(Object.fromEntries(names.map((name) => [name, each])) as Record<Name, z.ZodNumber>)

const counts = z.object(
  Object.fromEntries(
    COUNT_NAMES.map((name) => [name, count().optional().describe(COUNTS[name].heading)]),
  ) as unknown as Record<CountName, z.ZodOptional<z.ZodInt>>,
)
/** How long requests waited, by what they waited for. */
const waits = () => numbers(WAITS, z.number())
const lag = () => count().nullable().describe('Of a topic, of partitions this process had last; null: not known')
const retries = numbers(['throttled', 'server', 'network', 'timeout'])
export const place = {
  name: z.string().describe('The stream or topic'),
  table: z.string().nullable().describe('Its table'),
}
export const digest = (of: string) => z.string().nullable().describe(`Digest of ${of}; null: not known`)

export const fields = z.object({
  sampled: count().describe('Records looked at: the first 1,000, then one in 64'),
  names: z
    .array(
      z.object({
        name: z.string(),
        records: count().describe('Sampled records that had it'),
        kinds: numbers(JSON_KINDS).describe('The same by the JSON kind of its value'),
      }),
    )
    .describe('Fields that the catalog declares or that at least 10 sampled records had, at most 500'),
  others: count().describe('Members of the sampled records with other names, which may be data'),
})

const row = z.object({
  ...place,
  digest: digest('its keys and table, or of its route'),
  counts: counts.describe('One that is absent is not known, or is in another row of the same table'),
  requests: count().describe('Delivered; of a table with several rows, all in the first'),
  attempts: count().describe('Of requests, those sent again included'),
  retries: retries.describe('Attempts that had to be made again, by cause'),
  fetch_pauses: numbers(HELD_REASONS).nullable().describe('How often fetching from a partition paused; of a topic'),
  lag: lag(),
  fields: fields.nullable().describe('What the records had; null: none came, or it is not known'),
})

const sample = z.object({
  from: z.number().describe('Seconds since the start'),
  to: z.number(),
  rows: count().describe('Stored'),
  requests: count().describe('Delivered'),
  bytes: count(),
  attempts: count(),
  retries,
  in_flight: z.number().describe('Attempts, on average'),
  permits: z.number().describe('Attempts that might be in flight, on average'),
  rate_limit: z.number().nullable().describe('Attempts a second that might begin, as learnt by its end'),
  outage_seconds: z.number().describe('A server of the run did not answer'),
  held_seconds: waits().describe('How long requests waited, by what they waited for'),
  busy_seconds: z.number().describe('This process was busy'),
  spent_seconds: numbers(STATES, z.number()).describe(
    'All of it, one state a moment, the first that is so: a server was away, requests waited, this process computed, nothing was to be sent, nothing waited',
  ),
})

const held = z.object({
  seconds: waits().describe('How long requests waited, by what they waited for'),
  permits: z.number().nullable().describe('Attempts that may be in flight, at the end'),
  rate_limit: z.number().nullable().describe('Attempts a second that may begin, as learnt from refusals'),
  rate_cause: z.string().nullable().describe('The last of these refusals'),
  rate_suspected: z.boolean().describe('Whether that may be chance: a plain 5xx, or a lost connection'),
  rate_since: z.number().nullable().describe('Seconds from the start to when the rate was learnt'),
})

const KEYS_AND_TABLES = ['keys-new', 'table-new', 'table-gone'] as const
export const change = z.object({
  what: z.enum(['field-new', 'field-gone', 'field-kind', 'no-records', 'count-moved', ...KEYS_AND_TABLES]),
  ...place,
  field: z.string().nullable(),
  before: z.string().nullable().describe('Kinds of its values, a number of records, or a digest'),
  now: z.string().nullable(),
})

export const summarySchema = z.object({
  program: z.literal('destination-analytics-service'),
  schema_version: z.literal(1),
  version: z.string().describe('Of the program'),
  commit: z.string().optional().describe('Of which package or image was made; absent: they do not say'),
  command: z.string().describe('As on the command line, without options'),
  run_id: z.string().describe('Another one for each run'),
  service: z.string().nullable().describe('Its host; null: the run ended before it was known'),
  started: moment(),
  written: moment().describe('When this summary was made'),
  ended: moment().nullable().describe('null: the run is under way, or was killed'),
  seconds: z.number().describe('From start to writing'),
  result: z.enum(['running', 'stopping', 'done', 'stopped', 'failed']),
  exit_code: z.int().nullable().describe('null: it has not ended'),
  error: z
    .object({ kind: z.enum(['config', 'transient', 'system']), code: z.string().nullable(), message: z.string() })
    .nullable()
    .describe('What ended the run; `code` is one of docs/troubleshooting.md#codes'),
  config_digest: digest('what the options come to, without secrets'),
  catalog_digest: digest('the catalog, without the number of the sync'),
  rows: z.array(row).describe('Streams or topics with their tables'),
  total: counts.describe(
    'As the counts of rows; what is known only of all together is here too. Its `rejected` is the sum of the list `rejected`',
  ),
  lag: lag(),
  rejected: z
    .array(
      z.object({
        ...place,
        by: z.enum(['rejected', 'refused']).describe('By a rule of the connector, or refused by the service'),
        reason: z.string(),
        records: count(),
        first: z.string().describe('Where the first of them was read; of topics, the first that was found'),
      }),
    )
    .describe('By reason, the most frequent first'),
  rejects_place: z.string().nullable().describe('Where they are kept; null: nowhere'),
  outages: z
    .array(
      z.object({
        from: moment(),
        to: moment().nullable().describe('null: it was not over'),
        cause: z.string(),
        host: z.string().describe('Service, broker or registry, with its port'),
      }),
    )
    .describe('Those that were logged, at most the last 100'),
  held: held.nullable().describe('What held the run back'),
  states: z
    .object({ first: count(), last: count() })
    .nullable()
    .describe('Input lines of the first and the last STATE that came back; of `write`'),
  offsets: z
    .array(
      z.object({
        topic: z.string(),
        partition: count(),
        first: z.string().describe('Where this process began, as text: it may be larger than an exact number'),
        last: z.string().describe('The last one that is settled'),
      }),
    )
    .describe('Of `stream`, those of which something is settled'),
  input: z.object({ bytes: count(), read: count() }).nullable().describe('Of a regular file on standard input'),
  read_seconds: z.number().nullable().describe('When everything was read; null: it was not'),
  latency_ms: numbers(['p50', 'p95', 'p99', 'most']).nullable().describe('Of attempts that were answered or timed out'),
  limits: z
    .array(z.object({ option: z.string(), title: z.string(), value: z.string() }))
    .describe('Options that differ from their default'),
  samples: z.array(sample).describe('The run in at most 240 stretches, without a gap'),
  changes: z.array(change).nullable().describe('Since the run of `--compare`; null: nothing was compared'),
})

export type Summary = z.infer<typeof summarySchema>
export type SummaryRow = Summary['rows'][number]
export type SummaryChange = z.infer<typeof change>
