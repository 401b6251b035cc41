// The option `route` of a topic's entry, for a topic of several tables: which table each of its records goes to.

import { z } from 'zod'
import { filled, ownTable, whole } from '../option-types.ts'
import { PlainPattern } from './plain-pattern.ts'
import { keyPath, nullKeys, rowKeys, tombstones } from './row-options.ts'

const PATTERN_FAULTS = {
  malformed: 'must be a regular expression of small letters, digits and _ alone, such as [a-z0-9_]+',
  'too large': 'is too large: its repetitions written out, it has more than 2,000 states; use + or * or smaller counts',
}

/** The part of a record that names its table. That exactly one member is given, route-rules.ts checks. */
const by = z.strictObject({
  field: keyPath.optional().meta({
    title: 'Field',
    description: 'A field of the value, or the path of a nested one: a text or a whole number, compared as text.',
    examples: ['type'],
  }),
  header: filled.optional().meta({
    title: 'Header',
    description: 'A header of the record; given twice, the last one.',
  }),
  schema: z.literal('name').optional().meta({
    title: 'Schema',
    description:
      "name: the full name of the value's record in Avro, of its message in Protobuf, the title in JSON Schema.",
  }),
  stream: z.literal(true).optional().meta({
    title: 'Stream',
    description: 'For airbyte: the stream of the message, as namespace.name if it has a namespace.',
  }),
  source: z.literal(true).optional().meta({
    title: 'Source table',
    description: 'For debezium: the table that was changed, as schema.table, or db.table without schemas.',
  }),
})
/** The options of one listed table. They have no defaults, because one that is left out is as in the entry. */
const table = z.strictObject({
  table: ownTable.optional().meta({
    title: 'Table',
    description: 'Whole name of the table, without prefix. By default prefix + value.',
    examples: ['shop_orders'],
  }),
  keys: rowKeys.optional().meta({
    title: 'Keys',
    description: 'What identifies a row of this table, as in keys of the entry.',
    also: { type: 'array', minItems: 1 },
  }),
  tombstones: tombstones.unwrap().optional(),
  null_keys: nullKeys.unwrap().optional(),
  keep_last: z.boolean().optional(),
})
/** Tables that are made for values that are not listed. */
const any = z.strictObject({
  matching: z
    .string()
    .transform((text, context) => {
      const read = PlainPattern.read(text)
      if ('pattern' in read) return read.pattern
      context.addIssue(PATTERN_FAULTS[read.fault])
      return z.NEVER
    })
    .meta({
      title: 'Matching',
      description:
        'Regular expression for whole values. It may match small letters, digits and _ only, and have 2,000 states at most, its repetitions written out.',
      examples: ['[a-z0-9_]+'],
    }),
  most: whole(1, 10_000).meta({
    title: 'Most',
    description: 'How many tables one process makes from its start; a value beyond them counts as one not listed.',
    examples: [200],
  }),
})
export const routeOptions = z.strictObject({
  by: by.meta({ title: 'By', description: "What names a record's table: one of its members." }),
  tables: z
    .record(
      z.string().meta({ minLength: 1 }),
      // a value alone, with nothing behind its colon, is listed too
      z.preprocess((given) => given ?? {}, table),
    )
    .optional()
    .meta({
      title: 'Tables',
      description:
        'By value: its table, and keys, tombstones, null_keys and keep_last where they differ from those of the entry.',
    }),
  any: any.optional().meta({
    title: 'Any table',
    description: 'Makes a table of prefix + value for each value that is not listed and matches.',
  }),
  others: z.enum(['stop', 'dead-letter', 'ignore']).default('stop').meta({
    title: 'Other records',
    description:
      'Records of other values, or of none. stop: the process ends. dead-letter: they go to the dead letters. ignore: they are left out and counted.',
  }),
})
