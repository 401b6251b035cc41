// Digests of random runs: what comes to the same has the same ones, each change is seen in its own and in no other, and a secret in
// none. What belongs to a row is judged by `plan`, and for topics by what the change was made to.

import * as fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openAirbyteInput } from '../airbyte/airbyte-input.ts'
import { parseCatalog } from '../airbyte/catalog.ts'
import { innerOf, optionsIn } from '../config/schema-options.ts'
import { readStreamConfig } from '../config/stream/stream-load.ts'
import type { TopicChoice } from '../config/stream/topic-choice.ts'
import { streamSchema } from '../config/stream/stream-options.ts'
import { loadWriteConfig, readWriteConfig } from '../config/write/write-load.ts'
import { writeOptions } from '../config/write/write-options.ts'
import { Tally } from '../core/tally.ts'
import { StreamTopics } from '../kafka/source/stream-topics.ts'
import { topicShared } from '../kafka/topics/topic-tables.ts'
import { topicTableName } from '../mapping/topic-table.ts'
import type { Input } from '../process/pipe-input.ts'
import { systemClock } from '../process/system-clock.ts'
import { ownFolder } from '../process/testing/own-folder.ts'
import { configDigest, digestOf } from '../telemetry/summary/digests.ts'
import { planOf } from './plan-outcome.ts'

type Json = Readonly<Record<string, unknown>>
type Path = readonly (string | number)[]

interface Digests {
  readonly config: string
  readonly catalog?: string | undefined
  readonly rows: ReadonlyMap<string, string>
}

const folder = ownFolder('file')

/** Members in another order, and defaults of the schema written out, each or not. */
function otherwise(value: unknown, schema: z.ZodType | undefined, chance: () => number): unknown {
  let inner = schema
  for (let next = inner && innerOf(inner); next; next = innerOf(next)) inner = next
  if (Array.isArray(value)) {
    const entry = inner instanceof z.ZodArray ? (inner.element as z.ZodType) : undefined
    return value.map((one) => otherwise(one, entry, chance))
  }
  if (typeof value !== 'object' || value === null) return value
  const shape = inner instanceof z.ZodObject ? (inner.shape as Readonly<Record<string, z.ZodType>>) : {}
  const given = Object.entries(value).map(([name, of]) => [name, otherwise(of, shape[name], chance)] as const)
  const defaults = Object.entries(shape).flatMap(([name, option]) => {
    const read = Object.hasOwn(value, name) ? undefined : option.safeParse(undefined)
    return read?.data === undefined || chance() < 0.5 ? [] : [[name, read.data] as const]
  })
  return Object.fromEntries(
    [...given, ...defaults]
      .map((member) => [chance(), member] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, member]) => member),
  )
}

/** In another text of the same. */
function chances(seed: number): () => number {
  let state = seed >>> 0
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32
}

function set(value: unknown, [at, ...rest]: Path, member: unknown): unknown {
  if (at === undefined) return member
  if (Array.isArray(value)) return value.map((one, index) => (index === at ? set(one, rest, member) : (one as unknown)))
  const { [at]: old, ...others } = (value ?? {}) as Json
  const made = set(old, rest, member)
  return made === undefined ? others : { ...others, [at]: made }
}

const ODD = ['__proto__', 'constructor', 'id', 'Größe', '鍵', '0', '10', 'a.b', 'toJSON', '\u00c9', 'E\u0301']
const seed = fc.integer()

// `write`

const WRITE = { import_url: 'https://import.example.com', client_id: 7, api_key: 'key-of-a-test' }

/** Another value of each option, alone. */
const OTHER: Readonly<Record<string, unknown>> = {
  import_url: 'https://other.example.com',
  client_id: 8,
  append_with_primary_key: 'upsert',
  older_rows: 'keep',
  table_prefix: 'p_',
  table_names: 'hashed',
  metadata_columns: ['_loaded_at'],
  rejected_records: { policy: 'table', table: 'kept' },
  max_rejected: 5,
  max_rejected_share: 0.25,
  log_keys: true,
  sandbox: { mode: 'on', import_url: 'https://sandbox.example.com' },
  max_points: 99,
  max_request_bytes: 1_000_000,
  max_wait_ms: 21,
  buffer_bytes: 50_000_000,
  request_timeout_seconds: 41,
  retry_for_seconds: 42,
  concurrency: 3,
  max_requests_per_second: 9,
  late_write_guard_seconds: 43,
}
/** That decide nothing of a run whose address is of https, or that need a certificate. */
const IDLE = ['allow_insecure_http', 'api_key', 'ca_certificate', 'client_certificate', 'client_key', 'streams']

const noInput: Input = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }), destroy() {} }

async function ofWrite(config: unknown, catalogText: string): Promise<Digests> {
  const { config: loaded } = loadWriteConfig(JSON.stringify(config), () => {})
  const catalogFile = join(folder, 'catalog.json')
  writeFileSync(catalogFile, catalogText)
  const opening = {
    catalogFile,
    config: loaded,
    openInput: () => Promise.resolve(noInput),
    stdout: { write: () => Promise.resolve() },
    reservedPaths: [],
  }
  const { digests, rows } = await openAirbyteInput(opening, {
    runId: 'run-1',
    tally: new Tally(),
    log: () => Promise.resolve(),
    scrub: (text) => text,
    clock: systemClock,
    samplesFields: true,
  })
  return {
    config: configDigest(loaded.service, loaded),
    catalog: digests!.catalog,
    rows: new Map(rows.all.map(({ name, table }) => [name, digests!.digestOf({ name, table: table!.name })!])),
  }
}

/** Names of streams whose rows or table are others, as `plan` has them. */
function movedBetween(before: [unknown, unknown], after: [unknown, unknown]): string[] {
  const [old, now] = [before, after].map(([config, catalog]) => {
    const { tables } = readWriteConfig(JSON.stringify(config))
    const { streams } = planOf(parseCatalog(JSON.stringify(catalog)), tables!, [], [])
    return new Map(
      streams.map(({ stream, table, keys, row, hoisted }) => [stream, JSON.stringify([table, keys, row, hoisted])]),
    )
  })
  return [...now!].flatMap(([name, row]) => (old!.get(name) === row ? [] : [name]))
}

function changedRows(before: Digests, after: Digests): string[] {
  return [...after.rows].flatMap(([name, digest]) => (before.rows.get(name) === digest ? [] : [name]))
}

const aStream = (name: string, at: number) =>
  fc.record({
    stream: fc.record(
      {
        name: fc.constant(name),
        json_schema: fc.record({
          properties: fc
            .uniqueArray(fc.constantFrom(...ODD))
            .map((names) => Object.fromEntries(names.map((one) => [one, { type: ['null', 'string'] }]))),
        }),
        namespace: fc.constantFrom('', null),
        source_defined_primary_key: fc.constant([]),
      },
      { requiredKeys: ['name', 'json_schema'] },
    ),
    sync_mode: fc.constant('incremental'),
    destination_sync_mode: fc.constantFrom('append_dedup', 'append'),
    destination_object_name: fc.constant(`t${at}`),
    primary_key: fc
      .uniqueArray(fc.constantFrom('id', 'Größe', 'constructor', '10'), { minLength: 1, maxLength: 2 })
      .map((names) => names.map((one) => [one])),
    cursor_field: fc.constant([]),
    sync_id: fc.nat(99),
  })
const catalogs = fc
  .uniqueArray(fc.constantFrom(...ODD), { minLength: 1, maxLength: 5 })
  .chain((names) => fc.tuple(...names.map(aStream)))
  .map((streams) => ({ streams }))

/** To the stream at a place. */
const CATALOG_CHANGES: readonly (readonly [Path, unknown])[] = [
  [['primary_key'], [['other']]],
  [['primary_key'], [['a', 'b']]],
  [['destination_object_name'], 'elsewhere'],
  [['destination_sync_mode'], 'append'],
  [['cursor_field'], ['at']],
  [['sync_mode'], 'full_refresh'],
  [['generation_id'], 4],
  [['stream', 'json_schema', 'properties', 'more'], {}],
  [['stream', 'json_schema', 'properties', 'nothing'], null],
]

test('of 500 random runs of write, the same is the same, and each change is seen in its own digests alone', async () => {
  await fc.assert(
    fc.asyncProperty(
      catalogs,
      fc.subarray(Object.keys(OTHER)),
      fc.constantFrom(...Object.keys(OTHER), 'streams'),
      fc.constantFrom(...CATALOG_CHANGES),
      fc.tuple(seed, seed, fc.nat()),
      async (catalog, options, option, [path, member], [one, two, nth]) => {
        const own = Object.fromEntries(options.filter((name) => name !== option).map((name) => [name, OTHER[name]]))
        // the address of production is idle beside that of the sandbox
        if (option === 'import_url') delete own['sandbox']
        const config = { ...WRITE, ...own }
        const told = await ofWrite(config, JSON.stringify(catalog))
        const chance = chances(one)
        const another = set(otherwise(config, writeOptions, chance), ['api_key'], `other-key-${two}`)
        const shuffled = otherwise(catalog, undefined, chance) as typeof catalog
        const streams = shuffled.streams.toReversed().map((entry) => Object.assign(entry, { sync_id: 100 }))
        const told2 = await ofWrite(another, `\uFEFF${JSON.stringify({ streams, more: 1 })}`)
        expect(told2).toEqual(told)

        const at = nth % catalog.streams.length
        const { name } = catalog.streams[at]!.stream
        const value = option === 'streams' ? [{ name, keys: ['other'], table: 'own' }] : OTHER[option]
        const changed = { ...config, [option]: value }
        const seen = await ofWrite(changed, JSON.stringify(catalog))
        expect(seen.config).not.toBe(told.config)
        expect(seen.catalog).toBe(told.catalog)
        expect(changedRows(told, seen)).toEqual(movedBetween([config, catalog], [changed, catalog]))

        const moved = set(catalog, ['streams', at, ...path], member)
        const after = await ofWrite(config, JSON.stringify(moved))
        expect(after.config).toBe(told.config)
        const had = path.reduce<unknown>((of, step) => (of as Json | undefined)?.[step], catalog.streams[at])
        expect(after.catalog === told.catalog).toBe(JSON.stringify(had) === JSON.stringify(member))
        expect(changedRows(told, after)).toEqual(movedBetween([config, catalog], [config, moved]))
      },
    ),
    { numRuns: 500 },
  )
}, 120_000)

test('every option of write has another value here, or is known to be none', () => {
  const names = new Set(optionsIn(writeOptions).flatMap(({ path: [name] }) => name ?? []))
  expect(new Set([...Object.keys(OTHER), ...IDLE])).toEqual(names)
})

// `stream`

const KAFKA = { brokers: ['kafka.example.com:9092'], group: 'g' }
const BASE = { import_url: 'https://import.example.com', client_id: 7, api_key: '${API_KEY}', kafka: KAFKA }
const SECRETS = ['API_KEY', 'PASSWORD', 'TOKEN', 'CLIENT_SECRET']
const OAUTH = { token_url: 'https://login.example.com/token', client_id: 'a', client_secret: '${CLIENT_SECRET}' }
const REGISTRY = { url: 'https://registry.example.com', username: 'u', password: '${PASSWORD}' }
const ROUTE = { by: { field: 'type' }, tables: { a: { table: 'ta' }, 鍵: {}, constructor: {} } }

/** Several, as some options exclude each other. Topics are found by their names. */
const SCENES: readonly Json[] = [
  {
    ...BASE,
    kafka: { ...KAFKA, tls: true, sasl: { mechanism: 'scram-sha-256', username: 'u', password: '${PASSWORD}' } },
    schema_registry: REGISTRY,
    dead_letters: { topic: 'letters' },
    topics: [
      { topic: 'orders', keys: ['id'], value_encoding: 'registry' },
      { topic: 'routed', keys: ['id'], route: { ...ROUTE, any: { matching: '[a-z]+', most: 3 } } },
      { pattern: String.raw`shop\..*`, keys: { key: 'nr' } },
    ],
  },
  {
    ...BASE,
    kafka: {
      ...KAFKA,
      tls: true,
      sasl: { mechanism: 'oauthbearer', oauth: OAUTH, extensions: { logicalCluster: 'l' } },
    },
    schema_registry: { url: 'https://registry.example.com', oauth: OAUTH },
    dead_letters: { file: '/data/letters' },
    health: { port: 8080 },
    topics: [
      { topic: 'orders', format: 'debezium', key_encoding: 'registry' },
      { topic: 'log', keys: { offset: true }, format: 'airbyte', stream: 's' },
      { topic: 'routed', keys: { key: true }, route: { by: { header: 'h' }, tables: { a: {} } } },
    ],
  },
  {
    ...BASE,
    kafka: { ...KAFKA, sasl: { mechanism: 'oauthbearer', token: '${TOKEN}' }, tls: true },
    schema_registry: { url: 'https://registry.example.com', token: '${TOKEN}' },
    topics: [{ topic: 'orders', keys: ['id'], value_encoding: 'registry' }],
  },
]
const THERE = ['orders', 'routed', 'log', 'shop.a', 'shop.b']

/** Another value of an option, with the rows that are others by it: those of topics, or of `topic → table`. */
type Change = readonly [path: string, value: unknown, rows?: readonly string[]]
const SHOP = ['shop.a → shop_a', 'shop.b → shop_b']
const KANJI = topicTableName('鍵')
const OF_WRITE = new Set([
  'table_names',
  'streams',
  'rejected_records',
  'older_rows',
  'append_with_primary_key',
  'metadata_columns',
])
const CHANGES: readonly (readonly Change[])[] = [
  [
    ...Object.entries(OTHER)
      .filter(([name]) => !OF_WRITE.has(name) && name !== 'table_prefix')
      .map(([name, value]): Change => [name, value]),
    ['table_prefix', 'p_', ['orders → orders', 'routed', `routed → ${KANJI}`, 'routed → constructor', ...SHOP]],
    ['metadata_columns', ['_kafka_offset']],
    ['kafka.brokers', ['other.example.com:9092']],
    ['kafka.group', 'h'],
    ['kafka.client_id', 'c'],
    ['kafka.session_timeout_seconds', 46],
    ['kafka.rebalance_timeout_seconds', 61],
    ['kafka.heartbeat_seconds', 4],
    ['kafka.broker_deadline_seconds', 901],
    ['kafka.topic_refresh_seconds', 61],
    ['kafka.tls', undefined],
    ['kafka.sasl', undefined],
    ['kafka.sasl.mechanism', 'scram-sha-512'],
    ['kafka.sasl.username', 'v'],
    ['kafka.allow_insecure_login', true],
    ['schema_registry.url', 'https://registry.example.com/v7'],
    ['schema_registry.username', 'v'],
    ['dead_letters.topic', 'others'],
    ['dead_letters', { file: 'letters' }],
    ['health', { port: 80 }],
    ['commit_every_seconds', 2],
    ['stall_deadline_seconds', 901],
    ['topics.0.topic', 'log', ['orders → orders']],
    ['topics.0.table', 'own', ['orders → orders']],
    ['topics.0.keys', ['nr'], ['orders → orders']],
    ['topics.0.keys', [['id', 'nr']], ['orders → orders']],
    ['topics.0.keys', { key: 'id' }, ['orders → orders']],
    ['topics.0.keys', { offset: true }, ['orders → orders']],
    ['topics.0.null_keys', 'dead-letter', ['orders → orders']],
    ['topics.0.shared_table', true],
    ['topics.0.start', 'latest'],
    ['topics.0.out_of_range', 'earliest'],
    ['topics.0.keep_last', false],
    ['topics.0.format', 'airbyte'],
    ['topics.0.value_encoding', 'text'],
    ['topics.0.max_rejected', 4],
    ['topics.0.max_rejected_share', 0.125],
    ['topics.0.tombstones', 'dead-letter'],
    ['topics.1.keys', ['nr'], ['routed → ta', `routed → ${KANJI}`, 'routed → constructor']],
    ['topics.1.route.by.field', 'kind', ['routed']],
    ['topics.1.route.others', 'ignore', ['routed']],
    ['topics.1.route.any.most', 4, ['routed']],
    ['topics.1.route.any.matching', '[a-f]+', ['routed']],
    ['topics.1.route.tables.a.keys', ['nr'], ['routed → ta']],
    ['topics.1.route.tables.a.table', 'tb', ['routed', 'routed → ta']],
    ['topics.1.route.tables.b', {}, ['routed']],
    ['topics.2.keys', { key: 'number' }, SHOP],
    ['topics.2.keys', { key: 'nr', type: 'text' }, SHOP],
    ['topics.2.pattern', String.raw`shop\.a`, ['shop.b → shop_b']],
  ],
  [
    ['kafka.sasl.oauth.token_url', 'https://other.example.com/token'],
    ['kafka.sasl.oauth.client_id', 'b'],
    ['kafka.sasl.oauth.scope', 's'],
    ['kafka.sasl.oauth.audience', 's'],
    ['kafka.sasl.oauth.client_auth', 'post'],
    ['kafka.sasl.extensions.logicalCluster', 'm'],
    ['schema_registry.oauth.scope', 's'],
    ['schema_registry.oauth', 'kafka'],
    ['schema_registry.logical_cluster', 'l'],
    ['schema_registry.identity_pool_id', 'l'],
    ['dead_letters.file', '/data/others'],
    ['health.port', 8081],
    ['health.host', '127.0.0.1'],
    ['topics.0.unavailable', 'null'],
    ['topics.0.unavailable_placeholder', 'x'],
    ['topics.0.truncate', 'ignore'],
    ['topics.0.key_encoding', 'text'],
    ['topics.0.tombstones', 'ignore'],
    ['topics.1.stream', 't'],
    ['topics.1.namespace', 't'],
    ['topics.1.keys.epoch', 1, ['log → log']],
    ['topics.2.route.by', { header: 'k' }, ['routed']],
    ['topics.2.route.tables.a.null_keys', 'offset', ['routed → a']],
  ],
  [['schema_registry.token', undefined]],
]

async function ofStream(given: unknown, env: Readonly<Record<string, string>>, isInFile = false): Promise<Digests> {
  const text = JSON.stringify(given).replaceAll(/"\$\{(\w+)\}"/g, (variable, name: string) => {
    if (!isInFile) return variable
    writeFileSync(join(folder, name), env[name]!)
    return JSON.stringify({ file: name })
  })
  const { config, problems } = await readStreamConfig(text, { env, folder })
  expect(problems).toEqual([])
  // on this thread, and not for a tenth of a second alone
  for (const { topic } of config!.topics)
    if ('pattern' in topic)
      for (const name of THERE)
        topic.pattern.known.set(name, new RegExp(topic.pattern.source, 'u').test(name) ? 'matches' : 'differs')
  const topics = new StreamTopics(config!.topics, topicShared(config!.tablePrefix))
  for (const name of THERE) if (config!.topics.some(({ topic }) => isFor(topic, name))) topics.find(name)
  const rows = topics.all.flatMap(({ name, mapper }) => {
    const tables = [mapper.table, ...(mapper.route?.all ?? []).map(({ table }) => table)]
    return tables.map((table) => {
      const row = table ? `${name} → ${table.name}` : name
      return [row, topics.digest({ name, table: table?.name })!] as const
    })
  })
  const rejectLimits = { ...config!.rejectLimits, isShareGiven: false }
  return { config: configDigest(config!.service, { ...config!, rejectLimits }), rows: new Map(rows) }
}

function isFor(topic: TopicChoice, name: string): boolean {
  return 'name' in topic ? topic.name === name : topic.pattern.test(name) === 'matches'
}

const pathOf = (path: string): Path => path.split('.').map((step) => (/^\d$/.test(step) ? Number(step) : step))

async function isSeen(scene: number, [path, value, rows = []]: Change, before: Digests): Promise<void> {
  const after = await ofStream(set(SCENES[scene], pathOf(path), value), envOf('a'))
  expect(after.config, path).not.toBe(before.config)
  const gone = [...before.rows].flatMap(([row, digest]) => (after.rows.get(row) === digest ? [] : [row]))
  expect(gone.toSorted(), path).toEqual([...rows].toSorted())
}

const envOf = (secret: string): Readonly<Record<string, string>> =>
  Object.fromEntries(SECRETS.map((name) => [name, `${secret}-of-a-test`]))

test('of 500 random runs of stream too', async () => {
  const scenes = await Promise.all(SCENES.map((scene) => ofStream(scene, envOf('a'))))
  const change = fc
    .nat(SCENES.length - 1)
    .chain((scene) => fc.tuple(fc.constant(scene), fc.constantFrom(...CHANGES[scene]!)))
  await fc.assert(
    fc.asyncProperty(change, seed, seed, fc.boolean(), async ([scene, changed], one, two, isInFile) => {
      const told = scenes[scene]!
      const another = otherwise(SCENES[scene], streamSchema, chances(one))
      expect(await ofStream(another, envOf(`secret-${two}`), isInFile)).toEqual(told)
      await isSeen(scene, changed, told)
    }),
    { numRuns: 500 },
  )
}, 120_000)

test.each([0, 1, 2])('each change of stream is seen: scene %s', async (scene) => {
  const told = await ofStream(SCENES[scene], envOf('a'))
  expect(told.rows.size).toBeGreaterThan(0)
  for (const change of CHANGES[scene]!) await isSeen(scene, change, told)
})

test('every option of stream is among these changes, is a secret, or decides nothing of a run', () => {
  const changed = CHANGES.flat().map(([path]) => path.replaceAll(/\b\d\b/g, '[]'))
  const left = optionsIn(streamSchema).flatMap(({ path, meta, isGroup }) => {
    const name = path.join('.')
    const isThere = changed.some((one) => `${one}.`.startsWith(`${name}.`) || `${name}.`.startsWith(`${one}.`))
    return isGroup || isThere || meta['airbyte_secret'] === true ? [] : [name]
  })
  expect(left.filter((name) => !/(?:_certificate|allow_insecure_http|\.issuer)$/.test(name))).toEqual([])
})

test('no address may hold a user and a password, so none is in a digest', async () => {
  for (const [scene, path] of [
    [0, 'import_url'],
    [0, 'sandbox'],
    [0, 'schema_registry.url'],
    [1, 'kafka.sasl.oauth.token_url'],
  ] as const) {
    const address = 'https://user:canary@host.example.com'
    const value = path === 'sandbox' ? { mode: 'on', import_url: address } : address
    const { config, problems } = await readStreamConfig(JSON.stringify(set(SCENES[scene], pathOf(path), value)), {
      env: envOf('a'),
      folder,
    })
    expect([config, problems.join()]).toEqual([undefined, expect.stringContaining('no user name and no password')])
  }
})

test('of members of one name the last counts, and any name is one', async () => {
  const names = ['__proto__', 'constructor', 'toJSON', '\u00c9', 'E\u0301', '\\ud800', '10', '9']
  const digests = names.map((name) => digestOf(JSON.parse(`{"a":{"${name}":1}}`)))
  expect(new Set(digests).size).toBe(names.length)
  expect(digestOf(JSON.parse('{"__proto__":1,"b":[{"d":1,"c":2}]}'))).toBe(
    digestOf(JSON.parse('{"b":[{"c":2,"d":1}],"__proto__":1}')),
  )
  const catalog = (name: string): string =>
    `{"streams":[{"stream":{${name},"json_schema":{}},"destination_sync_mode":"append"}]}`
  const told = await ofWrite(WRITE, catalog('"name":"b"'))
  expect(await ofWrite(WRITE, catalog(String.raw`"name":"a","n\u0061me":"b"`))).toEqual(told)
  const deep = (levels: number): string => catalog(`"more":${'['.repeat(levels)}${']'.repeat(levels)},"name":"b"`)
  const [some, more] = [await ofWrite(WRITE, deep(50_000)), await ofWrite(WRITE, deep(50_001))]
  expect(some.catalog).not.toBe(more.catalog)
  expect(some.rows).toEqual(told.rows)
})
