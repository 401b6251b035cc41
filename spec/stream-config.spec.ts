// The config of `stream`: the schema for editors is what the options say, it takes what `stream` takes, and the example shows
// every option.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { exampleOf } from './example.ts'
import { parse } from 'yaml'
import { z } from 'zod'
import { optionsIn } from '../src/config/schema-options.ts'
import { readStreamConfig } from '../src/config/stream/stream-load.ts'
import { streamFileOptions, streamSchema } from '../src/config/stream/stream-options.ts'
import { streamFileSchema } from './file-schema.ts'
import { OLDER } from '../src/config/older-names.ts'
import { writeOptions } from '../src/config/write/write-options.ts'

const STREAM_EXAMPLE = exampleOf('stream', streamSchema)

const text = readFileSync(new URL('./stream-config.schema.json', import.meta.url), 'utf8')
const schema = z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0])
const options = optionsIn(streamSchema).filter(({ path }) => path.length > 0 && path.at(-1) !== '[]')
const fits = (config: unknown): boolean => schema.safeParse(config).success
const ENV = { ANALYTICS_API_KEY: 'a', KAFKA_PASSWORD: 'b', KAFKA_TOKEN: 'c' }

test('the groups of `write` that say where and how much are here, all of them', () => {
  const shared = Object.entries(writeOptions.shape).filter(([, option]) =>
    ['connection', 'tls', 'advanced'].includes(String(option.meta()?.['group'])),
  )
  expect(shared.length).toBeGreaterThanOrEqual(17)
  for (const [name] of shared) expect(Object.keys(streamSchema.shape)).toContain(name)
  expect(Object.keys(streamFileOptions.shape)).toEqual(Object.keys({ ...streamSchema.shape, ...OLDER.sandbox }))
})

test('every option has a title and a description', () => {
  for (const { path, meta } of options) {
    expect(meta['title'], path.join('.')).toMatch(/^[A-Z].*[^.]$/i)
    expect(meta['description'], path.join('.')).toMatch(/^[A-Za-z].*\.$/)
  }
})

test('secrets are marked', () => {
  const secrets = options.filter(({ meta }) => meta['airbyte_secret'] === true).map(({ path }) => path.join('.'))
  expect(secrets).toEqual([
    'api_key',
    'client_key',
    'kafka.tls.client_key',
    'kafka.sasl.password',
    'kafka.sasl.token',
    'kafka.sasl.oauth.client_secret',
    'kafka.sasl.oauth.assertion',
    'kafka.sasl.oauth.client_key',
    'schema_registry.password',
    'schema_registry.token',
    'schema_registry.oauth.client_secret',
    'schema_registry.oauth.assertion',
    'schema_registry.oauth.client_key',
    'schema_registry.client_key',
  ])
})

describe('the example', () => {
  /** Each begins with an option or a group of the top. */
  const sections = STREAM_EXAMPLE.split(/^(?=(?:# )?[a-z_]+:)/m)

  test.each(options.map(({ path }) => path.join('.')))('shows %s', (path) => {
    const names = path.split('.')
    const mine = sections.filter((section) => new RegExp(`^(?:# )?${names[0]}:`).test(section)).join('')
    expect(mine).toMatch(new RegExp(String.raw`(?:^|[\s{])${names.at(-1)}: ?\S?`, 'm'))
  })

  test('shows defaults as they are', () => {
    const shown = Array.from(STREAM_EXAMPLE.matchAll(/^( *)# ([a-z_]+): +(\{[^}]*\}|\S+)/gm))
    const defaults = optionsWithDefaults()
    const checked = shown.filter(([, indent, name, value]) => {
      const own = defaults.filter(({ path, depth }) => path.at(-1) === name && depth === indent!.length)
      for (const { preset } of own) expect(parse(value!), name).toEqual(preset)
      return own.length > 0
    })
    expect(checked.length).toBeGreaterThan(25)
  })

  test('is right, for `stream` and for editors', async () => {
    expect(fits(parse(STREAM_EXAMPLE))).toBe(true)
    expect((await readStreamConfig(STREAM_EXAMPLE, { env: ENV, folder: '/etc' })).problems).toEqual([])
  })
})

/** Depth: columns their line is indented by. */
function optionsWithDefaults(): { path: readonly string[]; depth: number; preset: unknown }[] {
  return options.flatMap(({ path }) => {
    const preset = path.reduce<Node | undefined>((node, name) => memberOf(node, name), streamFileSchema())?.default
    return preset === undefined ? [] : [{ path, depth: 2 * (path.length - 1), preset }]
  })
}

type Node = z.core.JSONSchema.BaseSchema

function memberOf(node: Node | undefined, name: string): Node | undefined {
  const own = node?.anyOf === undefined ? node : (node.anyOf[0] as Node)
  return (name === '[]' ? own?.items : own?.properties?.[name]) as Node | undefined
}

const least = {
  import_url: 'https://import.example.com',
  client_id: 7,
  api_key: '${ANALYTICS_API_KEY}',
  kafka: { brokers: ['a:1'], group: 'g' },
  topics: [{ topic: 'orders', keys: ['id'] }],
}

describe('the schema for editors and `stream` agree on', () => {
  const topic = (members: object): object => ({ ...least, topics: [{ ...least.topics[0], ...members }] })
  const kafka = (members: object): object => ({ ...least, kafka: { ...least.kafka, ...members } })

  test.each<[object, boolean]>([
    [least, true],
    [{ ...least, client_id: '${ANALYTICS_API_KEY}x' }, false],
    [{ ...least, api_key: 'written-out' }, false],
    [{ ...least, surplus: 1 }, false],
    [{ ...least, max_points: 101 }, false],
    [{ ...least, health: { port: 8080 } }, true],
    [{ ...least, dead_letters: { topic: 'letters' } }, true],
    [kafka({ brokers: 'a:1,b:2' }), true],
    [kafka({ brokers: ['a'] }), false],
    [kafka({ tls: true }), true],
    [kafka({ tls: {} }), true],
    [kafka({ sasl: { mechanism: 'SCRAM-SHA-512', username: 'u', password: '${KAFKA_PASSWORD}' } }), true],
    [kafka({ tls: true, sasl: { mechanism: 'plain', username: 'u', password: 'p' } }), false],
    [kafka({ tls: true, sasl: { mechanism: 'plain', username: 'u', password: '${KAFKA_PASSWORD}' } }), true],
    [topic({ keys: { value: ['id', '/a/b', ['c', 'd']] } }), true],
    [topic({ keys: { key: true } }), true],
    [topic({ keys: { key: 'id' } }), true],
    [topic({ keys: { offset: true, epoch: 1 } }), true],
    [topic({ keys: { offset: false } }), false],
    [topic({ keys: 'id' }), false],
    [topic({ start: '2026-01-31T00:00:00Z' }), true],
    [topic({ start: 1_769_817_600_000 }), true],
    [topic({ unavailable: null }), true],
    [topic({ tombstones: 'keep' }), false],
  ])('%j', async (config, right) => {
    const { problems } = await readStreamConfig(JSON.stringify(config), { env: ENV, folder: '/etc' })
    expect({ editors: fits(config), stream: problems.length === 0 }).toEqual({ editors: right, stream: right })
  })
})
