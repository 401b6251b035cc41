// The options of how streams become tables, for all streams and for single ones: types, defaults, and the words a form
// shows. Knows no catalog.

import { z } from 'zod'

const OLDER_ROWS = ['refuse', 'keep'] as const
const APPEND = ['history', 'upsert'] as const

/** A member's name; a path as a JSON Pointer (/a/b) or as a list of names; a nested path with the field it becomes. */
export const keyOption = z.union([
  z.string().min(1),
  z.array(z.string()).min(1),
  z.strictObject({ path: z.union([z.string().min(1), z.array(z.string()).min(1)]), field: z.string().min(1) }),
])

/** What the form shows of `keyOption`: forms know no choice between types. */
export const KEY_ITEM = { type: 'string', minLength: 1, examples: ['id', '/customer/id', '/customer/id=buyer'] }

export const streamOptions = z.object({
  name: z
    .string()
    .min(1)
    .meta({ order: 0, title: 'Stream', description: 'The name of the stream.', examples: ['orders'] }),
  namespace: z.string().optional().meta({
    order: 1,
    title: 'Namespace',
    description: 'Its namespace. Left empty, this holds for every stream of that name that has no entry of its own.',
  }),
  table: z
    .string()
    .regex(/^[A-Za-z0-9_]+$/)
    .optional()
    .meta({
      order: 2,
      pattern_descriptor: 'letters (A–Z, a–z), digits and _',
      title: 'Table',
      description:
        'The whole name of its table (letters, digits and _), whatever the catalog says; no prefix is added.',
      examples: ['shop_orders'],
    }),
  keys: z.array(keyOption).optional().meta({
    order: 3,
    title: 'Keys',
    description:
      'The fields of its primary key, in place of those of the catalog. A nested one is written as its path, /customer/id, and is sent as the field customer_id, or, written /customer/id=buyer, as the field buyer.',
  }),
  keep_last: z.boolean().default(true).meta({
    order: 4,
    title: 'Only the last version',
    description:
      'Of several versions of a row that wait together only the last is sent. Switched off, every version is sent, one after another.',
  }),
  identical_records: z.enum(['keep', 'collapse']).default('keep').meta({
    order: 5,
    title: 'Identical records',
    description:
      'Where every record is a row. keep: equal records are rows of their own. collapse: records with equal data are one row.',
  }),
  append_with_primary_key: z.enum(APPEND).optional().meta({
    order: 6,
    title: 'Append with a primary key',
    description: 'As the option of this name, for this stream alone.',
  }),
  older_rows: z.enum(OLDER_ROWS).optional().meta({
    order: 7,
    title: 'Older rows',
    description: 'As the option of this name, for this stream alone.',
  }),
})

export const tableOptions = {
  table_prefix: z
    .string()
    .default('')
    .meta({
      group: 'tables',
      order: 18,
      title: 'Table prefix',
      description: 'Stands in front of the name of every table.',
      examples: ['shop_'],
    }),
  table_names: z.enum(['refuse', 'hashed']).default('refuse').meta({
    group: 'tables',
    order: 19,
    title: 'Table names',
    description:
      'A table is named after its stream, with _ in place of what is no letter, digit or _, behind its namespace if it has one, or after its destination_object_name if the catalog has one. refuse: two streams of one table are an error. hashed: every name that had to be changed so ends in six digits of its own.',
  }),
  append_with_primary_key: z.enum(APPEND).default('history').meta({
    group: 'tables',
    order: 20,
    title: 'Append with a primary key',
    description:
      'What the mode append does with a stream that has a primary key. history: every record is a row. upsert: one row per key, the newest arrival.',
  }),
  older_rows: z.enum(OLDER_ROWS).default('refuse').meta({
    group: 'tables',
    order: 21,
    title: 'Older rows',
    description:
      'What to do with a stream that asks for its older rows to be removed (overwrite, a refresh): the service cannot delete. refuse: stop at its first record. keep: load beside the older rows, with a column that tells current rows.',
  }),
  metadata_columns: z
    .array(z.enum(['_airbyte_extracted_at', '_airbyte_generation_id', '_airbyte_meta']))
    .default([])
    .meta({
      group: 'tables',
      order: 22,
      title: 'Metadata columns',
      description:
        'Fields to add to every row: when the source read the record, the generation of its stream, what the source had to change in it.',
      uniqueItems: true,
      examples: [['_airbyte_extracted_at']],
    }),
  streams: z
    .array(streamOptions)
    .default([])
    .meta({
      group: 'streams',
      order: 27,
      title: 'Single streams',
      description: 'Another table, other keys or another treatment for single streams.',
      examples: [[{ name: 'orders', table: 'shop_orders', keys: ['id'] }]],
    }),
}
