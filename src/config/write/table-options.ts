// The options of how streams become tables, for all streams and for single ones: types, defaults, and the words a form
// shows. Knows no catalog.

import { z } from 'zod'

import { filled, keyPathOf, must, ownTable } from '../option-types.ts'

const OLDER_ROWS = ['refuse', 'keep'] as const
const METADATA = ['_airbyte_extracted_at', '_airbyte_generation_id', '_airbyte_meta'] as const
const APPEND = ['history', 'upsert'] as const

const names = z.union([filled, z.array(z.string()).min(1)])

/** A member's name; a path as a JSON Pointer (/a/b) or as a list of names; a nested path with the field it becomes. */
export const keyOption = z
  .union(
    [filled, z.array(z.string()).min(1), z.strictObject({ path: names, field: filled })],
    must('a name, a path like /a/b, or a list of names'),
  )
  .transform(keyOf)
  .refine(({ path, field }) => path.length > 1 || field === undefined, {
    error: 'gives a field to a path that is not nested',
  })

/** What a key's value is, and what it is sent as if it is nested; undefined: its path joined by `_`. What stands behind a last `=`
 *  of a nested pointer is that field: a last name with `=` in it must be written otherwise. */
function keyOf(key: string | readonly string[] | { path: string | readonly string[]; field: string }): KeyChoice {
  if (typeof key === 'string') {
    const [, pointer, field] = /^(\/.*\/[^/]*)=([^/=]+)$/s.exec(key) ?? []
    return { path: keyPathOf(pointer ?? key), field }
  }
  return 'path' in key ? { path: keyPathOf(key.path), field: key.field } : { path: keyPathOf(key), field: undefined }
}

export interface KeyChoice {
  /** Names from the record's data down to the value; at least one. */
  readonly path: readonly string[]
  readonly field: string | undefined
}

/** What the form shows of `keyOption`: forms know no choice between types. */
export const KEY_ITEM = { type: 'string', minLength: 1, examples: ['id', '/customer/id', '/customer/id=buyer'] }

/** With their places in a form, and what else a form is to know. */
export function inOrder<Shape extends Readonly<Record<string, z.ZodType>>>(
  shape: Shape,
  more: (name: string) => object = () => ({}),
): Shape {
  const options = Object.entries(shape).map(([name, option], order) => [
    name,
    option.meta({ ...more(name), order, ...option.meta() }),
  ])
  return Object.fromEntries(options) as Shape
}

export const streamOptions = z.object(
  inOrder({
    name: filled.meta({ title: 'Stream', description: 'The name of the stream.', examples: ['orders'] }),
    namespace: z.string().optional().meta({
      title: 'Namespace',
      description: 'Its namespace. Left empty, this holds for every stream of that name that has no entry of its own.',
    }),
    table: ownTable.optional().meta({
      pattern_descriptor: 'letters (A–Z, a–z), digits and _',
      title: 'Table',
      description:
        'The whole name of its table (letters, digits and _), whatever the catalog says; no prefix is added.',
      examples: ['shop_orders'],
    }),
    keys: z.array(keyOption).optional().meta({
      title: 'Keys',
      description:
        'The fields of its primary key, in place of those of the catalog. A nested one is written as its path, /customer/id, and is sent as the field customer_id, or, written /customer/id=buyer, as the field buyer.',
    }),
    keep_last: z.boolean().default(true).meta({
      title: 'Only the last version',
      description:
        'Of several versions of a row that wait together only the last is sent. Switched off, every version is sent, one after another.',
    }),
    identical_records: z.enum(['keep', 'collapse']).default('keep').meta({
      title: 'Identical records',
      description:
        'Where every record is a row. keep: equal records are rows of their own. collapse: records with equal data are one row.',
    }),
    append_with_primary_key: z.enum(APPEND).optional().meta({
      title: 'Append with a primary key',
      description: 'As the option of this name, for this stream alone.',
    }),
    older_rows: z.enum(OLDER_ROWS).optional().meta({
      title: 'Older rows',
      description: 'As the option of this name, for this stream alone.',
    }),
  }),
)

export const tables = {
  table_prefix: z
    .string()
    .default('')
    .meta({
      title: 'Table prefix',
      description: 'Stands in front of the name of every table.',
      examples: ['shop_'],
    }),
  table_names: z.enum(['refuse', 'hashed']).default('refuse').meta({
    title: 'Table names',
    description:
      'A table is named after its stream, with _ in place of what is no letter, digit or _, behind its namespace if it has one, or after its destination_object_name if the catalog has one. refuse: two streams of one table are an error. hashed: every name that had to be changed so ends in six digits of its own.',
  }),
  append_with_primary_key: z.enum(APPEND).default('history').meta({
    title: 'Append with a primary key',
    description:
      'What the mode append does with a stream that has a primary key. history: every record is a row. upsert: one row per key, the newest arrival.',
  }),
  older_rows: z.enum(OLDER_ROWS).default('refuse').meta({
    title: 'Older rows',
    description:
      'What to do with a stream that asks for its older rows to be removed (overwrite, a refresh): the service cannot delete. refuse: stop at its first record. keep: load beside the older rows, with a column that tells current rows.',
  }),
  metadata_columns: z
    .array(z.enum(METADATA))
    .default([])
    .meta({
      title: 'Metadata columns',
      description:
        'Fields to add to every row: when the source read the record, the generation of its stream, what the source had to change in it.',
      uniqueItems: true,
      examples: [['_airbyte_extracted_at']],
    }),
}
