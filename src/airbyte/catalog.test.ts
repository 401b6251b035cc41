import { expect, test, it } from 'vitest'
import { ConnectorError } from '../core/errors.ts'
import { parseCatalog } from './catalog.ts'

function problems(catalog: unknown): string {
  try {
    parseCatalog(typeof catalog === 'string' ? catalog : JSON.stringify(catalog))
  } catch (error) {
    if (error instanceof ConnectorError && error.kind === 'config') return error.message
    throw error
  }
  throw new Error('accepted')
}

const EMPTY = {
  namespace: undefined,
  declared: [],
  unions: [],
  declares: expect.any(Function) as () => boolean,
  destinationSyncMode: undefined,
  objectName: undefined,
  primaryKey: [],
  sourceDefinedPrimaryKey: [],
  cursorField: [],
  generationId: undefined,
  minimumGenerationId: undefined,
  syncId: undefined,
}

test('everything a stream can say', () => {
  const stream = {
    name: 'users',
    namespace: 'public',
    json_schema: { type: 'object', properties: { id: {}, __proto__x: {}, constructor: {} } },
    supported_sync_modes: ['full_refresh'],
    source_defined_primary_key: [['id']],
    later: { x: 1 },
  }
  const configured = {
    stream,
    sync_mode: 'incremental',
    cursor_field: ['updated_at'],
    destination_sync_mode: 'append_dedup',
    destination_object_name: 'Kontakt é',
    primary_key: [['id'], ['a', 'b']],
    generation_id: 9007199254740991,
    minimum_generation_id: 0,
    sync_id: 12,
    include_files: false,
  }
  expect(parseCatalog(`\ufeff${JSON.stringify({ streams: [configured], extra: null })}`)).toEqual([
    {
      name: 'users',
      namespace: 'public',
      declared: ['id', '__proto__x', 'constructor'],
      unions: [],
      declares: expect.any(Function) as () => boolean,
      destinationSyncMode: 'append_dedup',
      objectName: 'Kontakt é',
      primaryKey: [['id'], ['a', 'b']],
      sourceDefinedPrimaryKey: [['id']],
      cursorField: ['updated_at'],
      generationId: 9007199254740991,
      minimumGenerationId: 0,
      syncId: 12,
    },
  ])
})

test('explicit null is absent, and little is needed', () => {
  const nulls = {
    stream: { name: 'users', namespace: null, json_schema: null, source_defined_primary_key: null },
    cursor_field: null,
    destination_sync_mode: null,
    primary_key: null,
    generation_id: null,
    minimum_generation_id: null,
    sync_id: null,
  }
  const few = { stream: { name: '__proto__', namespace: '', json_schema: { properties: null } } }
  expect(parseCatalog(JSON.stringify({ streams: [nulls, few] }))).toEqual([
    { ...EMPTY, name: 'users' },
    { ...EMPTY, name: '__proto__' },
  ])
})

test('one name in two namespaces is two streams', () => {
  const catalog = { streams: [{ stream: { name: 'a' } }, { stream: { name: 'a', namespace: 'x' } }] }
  expect(parseCatalog(JSON.stringify(catalog))).toHaveLength(2)
})

test.each([
  ['an array', [], /it has no "streams" list/],
  ['null', 'null', /it has no "streams" list/],
  ['streams null', { streams: null }, /it has no "streams" list/],
  ['no streams', { streams: [] }, /it names no stream: choose at least one\.$/],
  ['a config', { import_url: 'x' }, /no "streams" list, but looks like the config \(--config\)\. A write needs/],
  ['what discover prints', { type: 'CATALOG', catalog: { streams: [] } }, /but is a message that discover prints\. A/],
  ['what discover found', { streams: [{ name: 'a' }] }, /as discover found them, not configured/],
  ['a stream that is null', { streams: [null] }, /stream 1 has no name/],
  [
    'a stream without name',
    { streams: [{ stream: { name: 'a' } }, { stream: { name: '' } }] },
    /used: stream 2 has no name\.$/,
  ],
  [
    'twice',
    { streams: [{ stream: { name: 'a', namespace: null } }, { stream: { name: 'a', namespace: '' } }] },
    /stream "a" occurs twice/,
  ],
  [
    'twice in a namespace',
    { streams: [{ stream: { name: 'a', namespace: 'n' } }, { stream: { name: 'a', namespace: 'n' } }] },
    /stream "a" of namespace "n" occurs twice/,
  ],
])('refuses a catalog: %s', (_, catalog, words) => {
  expect(problems(catalog)).toMatch(words)
})

test.each([
  ['primary_key', 'id'],
  ['primary_key', ['id']],
  ['primary_key', [[]]],
  ['primary_key', [['id'], []]],
  ['primary_key', [[1]]],
  ['primary_key', {}],
  ['cursor_field', 'id'],
  ['cursor_field', [['id']]],
  ['destination_sync_mode', 1],
  ['generation_id', '1'],
  ['generation_id', 1.5],
  ['generation_id', -1],
  ['minimum_generation_id', true],
  ['sync_id', []],
])('refuses %s: %j', (member, value) => {
  expect(problems({ streams: [{ stream: { name: 'a' }, [member]: value }] })).toMatch(
    new RegExp(`${member} of stream "a" is not`),
  )
})

test.each([
  ['namespace', 5],
  ['source_defined_primary_key', [[]]],
])('refuses %s of the stream: %j', (member, value) => {
  expect(problems({ streams: [{ stream: { name: 'a', [member]: value } }] })).toMatch(
    new RegExp(`${member} of stream "a" is not`),
  )
})

test('says everything at once', () => {
  const bad = { stream: { name: 'a', namespace: 1 }, primary_key: 1, generation_id: 'x', cursor_field: 2 }
  expect(problems({ streams: [bad, {}] }).split('; ')).toHaveLength(5)
})

it.each([
  ['', 'it is empty'],
  [' \n', 'it is empty'],
  ['{"streams":[', 'line 1, column 13: the text ends too early'],
  ['{\n "streams": [],\n}', 'line 3, column 1: remove the comma before this }'],
  ['[1,\n]', 'line 2, column 1: remove the comma before this ]'],
  ['rubbish', 'line 1, column 1: a JSON object begins with {'],
  ['{"ä":x}', 'line 1, column 6'],
  ['{} {}', 'line 1, column 4'],
])('tells of %j: %s', (text, words) => {
  expect(problems(text)).toMatch(new RegExp(`the file is not JSON: ${words}\\.$`))
})

it('quotes nothing', () => {
  expect(problems('{"api_key":"canary" canary}')).not.toContain('canary')
})

it('has the properties that are written, whatever was parsed before', () => {
  const catalog = (property: string): string =>
    `{"streams":[{"stream":{"name":"s","json_schema":{"properties":{"id":{},"${property}":{}}}}}]}`
  parseCatalog(catalog(String.raw`a\\`))
  const [stream] = parseCatalog(catalog(String.raw`a\n`))
  expect(stream!.declared).toEqual(['id', 'a\n'])
  expect(stream!.declares(['a\n'])).toBe(true)
})
