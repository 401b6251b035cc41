// The result of a dry run: the one source of its types and of spec/dry-run.schema.json. Members that a summary has too are taken from its
// schema. Members may be added; a meaning that changes gets another schema_version.

import { z } from 'zod'
import { count, digest, fields, place, summarySchema } from '../summary/summary-schema.ts'

const row = z.object({
  ...place,
  table: place.table.describe('Its table; null: several'),
  digest: digest('its keys and table, or of its route'),
  records: count(),
  rejected: count().describe('Those of them that the connector itself rejects'),
  fields: fields
    .extend({ sampled: count().describe('Records looked at: all') })
    .nullable()
    .describe('What the records have; null: none came'),
})

const table = z.object({
  table: z.string(),
  rows: count().describe('Of a fresh table'),
  rows_exact: z.boolean().describe('false: rows is an estimate, off by less than 2 %'),
  rows_sent: z.object({ at_least: count(), at_most: count() }).describe('How many, time decides'),
  requests_at_least: count(),
  bytes_at_least: count().describe('Of their bodies'),
  largest_record: z
    .object({ bytes: count().describe('As it is sent'), place: z.string() })
    .nullable()
    .describe('null: none came'),
})

/** The offsets of a partition that were read, `first` up to and without `end`. */
const span = z.object({
  topic: z.string(),
  partition: count(),
  first: z.string().describe('Where the group would go on, as text: it may be larger than an exact number'),
  end: z.string().describe('Behind what is read'),
  begins: z.enum(['committed', 'start', 'out of range']).describe('Why it is there'),
})

/** Members that are the same in a summary. */
const SUMMARY_MEMBERS = {
  program: true,
  schema_version: true,
  version: true,
  command: true,
  rejected: true,
  changes: true,
} as const

export const dryRunSchema = summarySchema.pick(SUMMARY_MEMBERS).extend({
  result: z
    .enum(['done', 'stopped', 'failed'])
    .describe('failed: so would the run after these figures, or it is --fail-on-change; stopped: by a signal'),
  error: summarySchema.shape.error.describe('What would end the run; `code` is one of docs/troubleshooting.md#codes'),
  rows: z.array(row).describe('Streams or topics with their tables'),
  tables: z.array(table).describe('Without that of rejected records'),
  longest_line: z
    .object({ line: count(), bytes: count() })
    .nullable()
    .describe('Without its end; of a `write` that is done'),
  offsets: z.array(span).describe('Of `stream`, what was read'),
  warnings: z.array(z.string()),
})

export type DryRun = z.infer<typeof dryRunSchema>
