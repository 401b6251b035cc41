// Generated catalogs and configs, from plain to hostile, and a record for each of their streams that has all its keys.

import * as fc from 'fast-check'

type Path = readonly string[]

/** A stream as it stands in a catalog, and what its text does not show at once. */
export interface CaseStream {
  readonly name: string
  /** As in the catalog: undefined, null and "" are none. */
  readonly namespace: string | null | undefined
  readonly mode: unknown
  readonly primaryKey: unknown
  readonly sourceDefined: unknown
  readonly declared: readonly string[]
  readonly more: Readonly<Record<string, unknown>>
}

export interface CaseOverride {
  readonly name: string
  readonly namespace: string | null | undefined
  readonly keys: readonly { readonly path: Path; readonly spelt: unknown }[] | undefined
  readonly append: 'history' | 'upsert' | null | undefined
  readonly more: Readonly<Record<string, unknown>>
}

export interface Case {
  readonly streams: readonly CaseStream[]
  readonly config: Readonly<Record<string, unknown>>
  readonly overrides: readonly CaseOverride[]
}

const HOSTILE = [
  '数据',
  '---',
  '',
  '\ud800',
  '__proto__',
  '\u001b[31m\n',
  "'); --",
  'rejected_records',
  '\u00e9',
  'e\u0301',
]
const name = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('orders', 'users', 'a', 'b', 'items', 'events', 'c', 'd', 'e', 'f') },
  { weight: 3, arbitrary: fc.constantFrom('Orders', 'a b', 'a_b', 'A_b', 'records', 'x'.repeat(70)) },
  { weight: 2, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }) },
)
const namespace = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<string | null | undefined>(undefined, null, '') },
  { weight: 2, arbitrary: fc.constantFrom('a', 'public', 'A', 'a b', '数', 'rejected', '\udc00') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
)
const member = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('id', 'a', 'b', 'c') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('a_b', 'keys', 'keys_', '_airbyte_meta', '_airbyte_meta_', '_airbyte_raw_id'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '\ud800', '__proto__', 'x y', 'größe', '_airbyte_extracted_at', '/', '~'),
  },
)
const path = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(member) },
  { weight: 2, arbitrary: fc.tuple(member, member) },
  { weight: 1, arbitrary: fc.array(member, { minLength: 1, maxLength: 4 }) },
)
const paths = fc.array(path, { minLength: 1, maxLength: 3 })
const seldom = <T>(usual: fc.Arbitrary<T>, ...odd: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 60, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...odd) })

const generations = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<object>({}, { generation_id: 0, minimum_generation_id: 0 }) },
  { weight: 4, arbitrary: fc.constantFrom<object>({ generation_id: 1, minimum_generation_id: 1, sync_id: 3 }) },
  { weight: 2, arbitrary: fc.constantFrom<object>({ generation_id: 5, minimum_generation_id: 5, sync_id: 3 }) },
  { weight: 2, arbitrary: fc.constantFrom<object>({ generation_id: 5, minimum_generation_id: 0 }) },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        generation_id: fc.constantFrom<unknown>(null, 0, 1, 2, 5),
        minimum_generation_id: fc.constantFrom<unknown>(null, 0, 1, 2, 5, 1.5, '1', -1),
      },
      { requiredKeys: [] },
    ),
  },
)
const objectName = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<unknown>('contacts', 'orders', 'Mine', 'a b', '数据', 'rejected records', '', null, 5)
      .map((destination_object_name) => ({ destination_object_name })),
  },
)
const stream: fc.Arbitrary<CaseStream> = fc.record({
  name,
  namespace,
  mode: seldom<unknown>(
    fc.oneof(
      { weight: 5, arbitrary: fc.constant('append_dedup') },
      { weight: 4, arbitrary: fc.constant('append') },
      { weight: 2, arbitrary: fc.constant('overwrite') },
    ),
    'update',
    'soft_delete',
    'APPEND',
    undefined,
    null,
    5,
  ),
  primaryKey: seldom<unknown>(
    fc.oneof({ weight: 5, arbitrary: paths }, { weight: 1, arbitrary: fc.constantFrom<unknown>([], null, undefined) }),
    [[]],
    'id',
    ['id'],
    [['id', 5]],
  ),
  sourceDefined: seldom<unknown>(
    fc.oneof({ weight: 2, arbitrary: paths }, { weight: 1, arbitrary: fc.constantFrom<unknown>([], null, undefined) }),
    [[]],
    7,
  ),
  declared: fc.oneof(
    { weight: 3, arbitrary: fc.constant(['id', 'a', 'b', 'c']) },
    { weight: 1, arbitrary: fc.uniqueArray(member) },
  ),
  more: fc
    .tuple(
      generations,
      fc.constantFrom<object>({}, { cursor_field: ['at'] }, { cursor_field: null }, { unheard_of: {} }),
      objectName,
    )
    .map((parts) => Object.fromEntries(parts.flatMap((part) => Object.entries(part)))),
})

const key = path.chain((of) =>
  fc.constantFrom(
    ...[
      of,
      of.map((each) => `/${each.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
      ...(of.length > 1 ? [{ path: of, field: 'mine' }] : []),
      ...(of.length === 1 && of[0] !== '' && !of[0].startsWith('/') ? of : []),
    ].map((spelt) => ({ path: of, spelt })),
  ),
)
const override: fc.Arbitrary<CaseOverride> = fc.record({
  name,
  namespace,
  keys: fc.option(fc.array(key, { maxLength: 2 }), { nil: undefined }),
  append: fc.constantFrom(undefined, null, 'history', 'upsert'),
  more: fc.record(
    {
      table: seldom<unknown>(fc.constantFrom('Mine', 'orders', 'other', '_'), 'rejected_records', 'no table', null),
      keep_last: fc.constantFrom(true, false, null),
      identical_records: fc.constantFrom('keep', 'collapse'),
      older_rows: seldom<unknown>(fc.constantFrom('refuse', 'keep', null), 'drop'),
      // refused where somebody meant something by it
      tabel: seldom<unknown>(fc.constant(null), 1),
      _tabel: fc.constant(1),
    },
    { requiredKeys: [] },
  ),
})
const columns = fc.uniqueArray(
  fc.constantFrom('_airbyte_extracted_at', '_airbyte_generation_id', '_airbyte_meta', '_loaded_at', '_run_id'),
)
const config = fc.record(
  {
    table_prefix: fc.constantFrom('', 'p_', 'rejected_', 'ä 😀', null),
    table_names: seldom<unknown>(fc.constantFrom('refuse', 'hashed'), 'hash'),
    append_with_primary_key: fc.constantFrom('history', 'upsert'),
    older_rows: fc.constantFrom('refuse', 'keep'),
    metadata_columns: seldom<unknown>(columns, 'all', ['x']),
  },
  { requiredKeys: [] },
)
const sameStream = (each: { name: string; namespace: string | null | undefined }): string =>
  JSON.stringify([each.namespace || null, each.name])

export const cases: fc.Arbitrary<Case> = fc.record({
  streams: fc.oneof(
    { weight: 20, arbitrary: fc.uniqueArray(stream, { minLength: 1, maxLength: 5, selector: sameStream }) },
    { weight: 1, arbitrary: fc.array(stream, { maxLength: 5 }) },
  ),
  config,
  overrides: fc.oneof(
    { weight: 20, arbitrary: fc.uniqueArray(override, { maxLength: 4, selector: sameStream }) },
    { weight: 1, arbitrary: fc.array(override, { maxLength: 4 }) },
  ),
})

export function catalogOf({ streams }: Case): unknown {
  return {
    streams: streams.map(({ name, namespace, mode, primaryKey, sourceDefined, declared, more }) => ({
      stream: {
        name,
        namespace,
        // entries, so that __proto__ is a member like any other
        json_schema: { type: 'object', properties: Object.fromEntries(declared.map((each) => [each, {}])) },
        source_defined_primary_key: sourceDefined,
      },
      sync_mode: 'full_refresh',
      destination_sync_mode: mode,
      primary_key: primaryKey,
      ...more,
    })),
  }
}

/** @param where address, client and key */
export function configOf({ config: chosen, overrides }: Case, where: object): unknown {
  const streams = overrides.map(({ name: of, namespace: within, keys, append, more }) => ({
    name: of,
    namespace: within,
    keys: keys?.map(({ spelt }) => spelt),
    append_with_primary_key: append,
    ...more,
  }))
  return { ...where, ...chosen, streams }
}

/** A RECORD line of the stream that has everything its key asks for, and nothing else that could be in the way. */
export function recordFor(of: CaseStream, given: Case): string {
  const within = of.namespace ? { namespace: of.namespace } : {}
  const rest = JSON.stringify({ stream: of.name, ...within, emitted_at: 1_700_000_000_000 }).slice(1)
  const data = textOf(treeOf(neededPaths(of, given)))
  return `{"type":"RECORD","record":{"data":${data},${rest}}\n`
}

function neededPaths(of: CaseStream, { overrides, config: chosen }: Case): Path[] {
  const named = overrides.filter((each) => each.name === of.name)
  const mine =
    named.find((each) => (each.namespace || null) === (of.namespace || null)) ?? named.find((each) => !each.namespace)
  const append = mine?.append ?? chosen['append_with_primary_key'] ?? 'history'
  if (of.mode !== 'append_dedup' && append === 'history') return []
  if (mine?.keys && mine.keys.length > 0) return mine.keys.map((each) => each.path)
  const [catalog, source] = [listed(of.primaryKey), listed(of.sourceDefined)]
  return catalog.length > 0 ? catalog : source
}

function listed(given: unknown): Path[] {
  return Array.isArray(given) ? given.filter((each): each is string[] => Array.isArray(each)) : []
}

type Tree = Map<string, Tree | number>

function treeOf(needed: readonly Path[]): Tree {
  const tree: Tree = new Map([['value of no key', 1]])
  needed.forEach((of, index) => {
    let at: Tree | number = tree
    of.forEach((each, depth) => {
      if (typeof at === 'number') return
      if (!at.has(each)) at.set(each, depth === of.length - 1 ? index : new Map())
      at = at.get(each)!
    })
  })
  return tree
}

function textOf(tree: Tree | number): string {
  if (typeof tree === 'number') return String(tree)
  return `{${Array.from(tree, ([each, inner]) => `${JSON.stringify(each)}:${textOf(inner)}`).join(',')}}`
}
