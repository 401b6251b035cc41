// What a dry run says: the one source of its types and of spec/dry-run.schema.json. Members may be added; a meaning that changes gets
// another schema_version.

import { z } from 'zod'
import { change, count, fields, place } from '../summary/summary-schema.ts'

const row = z.object({
  ...place,
  table: place.table.describe('Its table; null: several'),
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

export const dryRunSchema = z.object({
  program: z.literal('destination-analytics-service'),
  schema_version: z.literal(1),
  version: z.string().describe('Of the program'),
  command: z.string().describe('Whose run this would be'),
  result: z
    .enum(['done', 'stopped', 'failed'])
    .describe('failed: so would the run, and the figures are of what comes before; stopped: by a signal'),
  error: z
    .object({ kind: z.enum(['config', 'transient', 'system']), code: z.string().nullable(), message: z.string() })
    .nullable()
    .describe('What would end the run'),
  rows: z.array(row).describe('Streams or topics with their tables'),
  tables: z.array(table).describe('Without that of rejected records'),
  rejected: z
    .array(
      z.object({
        ...place,
        reason: z.string(),
        records: count(),
        first: z.string().describe('Where the first was read'),
      }),
    )
    .describe('By the connector itself, by reason, the most frequent first'),
  longest_line: z.object({ line: count(), bytes: count() }).nullable().describe('Without its end; of `write`'),
  offsets: z
    .array(
      z.object({
        topic: z.string(),
        partition: count(),
        first: z.string().describe('Where the group would go on, as text: it may be larger than an exact number'),
        end: z.string().describe('Behind what is read'),
        begins: z.enum(['committed', 'start', 'out of range']).describe('Why it is there'),
      }),
    )
    .describe('Of `stream`, what was read'),
  warnings: z.array(z.string()),
  changes: z.array(change).nullable().describe('Since the run of `--compare`; null: nothing was compared'),
})

export type DryRun = z.infer<typeof dryRunSchema>
