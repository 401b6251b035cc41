// The options for how streams become tables, of all streams and of one, with metadata for forms (spec/): `page` is where docs say more.

import { z } from 'zod'
import type { Findings } from '../findings.ts'
import {
  filled,
  isNameOrPointer,
  keepLast,
  keyPathOf,
  must,
  overriding,
  ownTable,
  pointerFault,
  whole,
} from '../option-types.ts'
import { ownRejectLimits } from '../reject-limits.ts'

/** Columns that the source's messages give. */
const SOURCE_METADATA = ['_airbyte_extracted_at', '_airbyte_generation_id', '_airbyte_meta'] as const
/** Columns about the run, which `write` and `stream` have. */
export const RUN_METADATA = ['_loaded_at', '_run_id'] as const

/** Options for all streams. */
export const tables = {
  append_with_primary_key: z.enum(['history', 'upsert']).default('history').meta({
    title: 'What append keeps of a primary key',
    description:
      'What append does for a stream with a primary key: every record becomes a row (history), or each key has one row, the newest arrival (upsert).',
    page: 'tables-and-rows.md#what-identifies-a-row',
  }),
  older_rows: z.enum(['refuse', 'keep']).default('refuse').meta({
    title: 'When a sync asks to replace existing rows',
    description:
      'Overwrite and refresh ask for it, and the service cannot delete. Stop at the first record (refuse), or load beside the existing rows, with a column that tells which are current (keep).',
    page: 'airbyte.md#overwrite',
  }),
  table_prefix: z
    .string()
    .default('')
    .meta({ title: 'Table prefix', description: 'Prefix for every table name.', examples: ['shop_'] }),
  table_names: z.enum(['refuse', 'hashed']).default('refuse').meta({
    title: 'When two streams would share a table',
    description:
      'Stop before anything is sent (refuse), or end every name that had to be changed in a suffix of 6 digits (hashed). A table is named by namespace and stream, or by destination_object_name of the catalog; other characters become _.',
    page: 'tables-and-rows.md#which-table',
  }),
  metadata_columns: z
    .array(z.enum([...SOURCE_METADATA, ...RUN_METADATA]))
    .default([])
    .meta({
      title: 'Metadata columns',
      description:
        'Columns to add to every row: when the source read the record, the generation of its stream, what the source had to change; when this run read it, and the id of this run.',
      uniqueItems: true,
      examples: [['_airbyte_extracted_at']],
    }),
}

const pathOption = z.union([filled.refine(isNameOrPointer, pointerFault), z.array(z.string()).min(1)])

/** A key in any of its forms: a member's name; a path as a JSON Pointer (/a/b) or as a list of names; a nested path with the field that the
 *  value is sent as, as /a/b=field or as a group. */
export const keyOption = z
  .union(
    [
      filled.refine((key) => isNameOrPointer(withField(key).path), pointerFault),
      z.array(z.string()).min(1),
      z.strictObject({ path: pathOption, field: filled }),
    ],
    must('a name, a path like /a/b, or a list of names'),
  )
  .transform(keyOf)
  .refine(({ path, field }) => path.length > 1 || field === undefined, {
    error: 'gives a field to a path that is not nested',
  })
  .meta({ example: 'id' })

/** Reads a key in any of its forms. */
function keyOf(key: string | readonly string[] | { path: string | readonly string[]; field: string }): KeyChoice {
  if (typeof key === 'string') {
    const { path, field } = withField(key)
    return { path: keyPathOf(path), field }
  }
  return 'path' in key ? { path: keyPathOf(key.path), field: key.field } : { path: keyPathOf(key), field: undefined }
}

/** Splits a pointer such as /a/b=field at its last `=` (a name with `=` in it must stand in a list). Any other text is a path alone. */
function withField(key: string): { readonly path: string; readonly field: string | undefined } {
  const [, path = key, field] = /^(\/.*\/[^/]*)=([^/=]+)$/s.exec(key) ?? []
  return { path, field }
}

export interface KeyChoice {
  /** Names from the record's data down to the value; at least one. */
  readonly path: readonly string[]
  /** The field that a nested value is sent as. `undefined` when that is its path joined by `_`. */
  readonly field: string | undefined
}

/** The JSON Schema of a key in a form, where only texts can be entered: `keyOption` takes more. */
export const KEY_ITEM = { type: 'string', minLength: 1, examples: ['id', '/customer/id', '/customer/id=buyer'] }

/** Numbers the options of a shape one after another, in metadata by which a form sorts them (`order`).
 *  @param more makes further metadata of an option's name; the option's own goes before it */
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

/** Warns of a prefix of tables with white space or ${…} in it, which is hardly meant. */
export function checkPrefix(options: { readonly table_prefix?: string | undefined }, findings: Findings): void {
  const { table_prefix: prefix = '' } = options
  if (!/^\s|\s$|\$\{/.test(prefix)) return
  const table = JSON.stringify(`${prefix.replaceAll(/[^A-Za-z0-9_]/gu, '_').slice(0, 40)}orders`)
  const isVariable = prefix.includes('${')
  const why = isVariable
    ? 'a ${…} is no variable here: write what it stands for'
    : 'white space becomes _: remove the space'
  findings.warn(['table_prefix'], `makes names of tables such as ${table}, for ${why}`)
}

/** Options of one entry of `streams`. */
export const streamOptions = z.object(
  inOrder({
    name: filled.meta({ title: 'Stream', description: 'Name of the stream.', examples: ['orders'] }),
    namespace: z.string().optional().meta({
      title: 'Namespace',
      description: 'Namespace of the stream. Leave empty for every stream of that name without an entry of its own.',
    }),
    table: ownTable.optional().meta({
      pattern_descriptor: 'letters (A–Z, a–z), digits and _',
      title: 'Table',
      description:
        'Whole name of its table (letters, digits and _), without prefix. It comes before what the catalog says.',
      examples: ['shop_orders'],
    }),
    keys: z.array(keyOption).optional().meta({
      title: 'Keys',
      description:
        'Fields of its primary key, instead of those of the catalog. Write a nested one as a path: /customer/id is sent as the field customer_id, /customer/id=buyer as the field buyer.',
    }),
    keep_last: keepLast,
    identical_records: z.enum(['keep', 'collapse']).default('keep').meta({
      title: 'Identical records',
      description:
        'Equal records in append mode: each is a row (keep), or those with equal data are one row (collapse).',
    }),
    append_with_primary_key: overriding(tables.append_with_primary_key, ' for this stream'),
    older_rows: overriding(tables.older_rows, ' for this stream'),
    ...ownRejectLimits,
    expect: z
      .object(
        inOrder({
          min_records: whole(1, 1_000_000_000_000).optional().meta({
            title: 'Min records',
            description:
              'Records that a sync must bring, for full refresh. After one with fewer, everything is stored and every STATE printed, but it ends with an error.',
          }),
        }),
      )
      .optional()
      .meta({ title: 'Expectations', description: 'What every sync of the stream must bring.' }),
  }),
)
