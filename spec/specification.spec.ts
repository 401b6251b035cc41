// The connector specification: what is committed is what the schema says, and it fits a form.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { readWriteConfig } from '../src/config/write/write-load.ts'
import { specDocument } from '../src/config/file-schema.ts'
import { OPTION_NAMES, writeOptions } from '../src/config/write/write-options.ts'

interface Property {
  type: string
  title: string
  description: string
  order: number
  group: string
  default?: unknown
  examples?: unknown[]
  pattern?: string
  pattern_descriptor?: string
  airbyte_secret?: boolean
  minimum?: number
  maximum?: number
  items?: { type: string; properties?: Record<string, Property> }
}

interface Specification {
  documentationUrl: string
  supported_destination_sync_modes: string[]
  protocol_version: string
  supportsIncremental: boolean
  connectionSpecification: {
    $schema: string
    type: string
    required: string[]
    additionalProperties: boolean
    properties: Record<string, Property>
    groups: { id: string; title: string }[]
  }
}

const text = readFileSync(new URL('./connector-specification.json', import.meta.url), 'utf8')
const specification = JSON.parse(text) as Specification
const form = specification.connectionSpecification
const properties = Object.entries(form.properties)

test('the committed file is what `node spec/generate.ts` writes', () => {
  expect(text).toBe(`${JSON.stringify(specDocument(), null, 2)}\n`)
})

test('it says what the connector can do', () => {
  expect(specification).toMatchObject({
    supported_destination_sync_modes: ['append_dedup', 'append'],
    supportsIncremental: true,
    protocol_version: '0.19.0',
  })
  expect(new URL(specification.documentationUrl).hostname).toMatch(/\.example\.com$/)
})

test('it is an open draft-07 object that asks for what has no default', () => {
  expect(form).toMatchObject({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    additionalProperties: true,
    required: ['import_url', 'client_id', 'api_key'],
  })
  expect(Object.keys(form.properties)).toEqual(OPTION_NAMES)
})

/** Every option, and the members of each entry of one that is a list of objects. */
const shownInForm = properties.flatMap(([name, property]): [string, Property][] => [
  [name, property],
  ...Object.entries(property.items?.properties ?? {}).map(([member, of]): [string, Property] => [
    `${name}[].${member}`,
    { ...of, group: property.group },
  ]),
])

test('every option fits a form', () => {
  for (const [name, property] of shownInForm) {
    expect(property.title, name).toMatch(/^[A-Z].*[^.]$/i)
    expect(property.description, name).toMatch(/^[A-Za-z].*\.$/)
    expect(['string', 'integer', 'number', 'boolean', 'array'], name).toContain(property.type)
    if (property.type === 'array') expect(['string', 'object'], name).toContain(property.items!.type)
    expect(
      form.groups.map(({ id }) => id),
      name,
    ).toContain(property.group)
    expect(property.pattern === undefined, name).toBe(property.pattern_descriptor === undefined)
    if (property.type === 'integer' || property.type === 'number') {
      expect(property.minimum, name).toBeTypeOf('number')
      expect(property.maximum, name).toBeTypeOf('number')
    }
  }
})

test('the order is that of the options, each number once', () => {
  expect(properties.map(([, { order }]) => order)).toEqual(properties.map((_, at) => at))
})

test('secrets are marked, and have neither default nor example', () => {
  const secrets = properties.filter(([, { airbyte_secret }]) => airbyte_secret)
  expect(secrets.map(([name]) => name)).toEqual(['api_key', 'client_key'])
  for (const [, property] of secrets) expect(property).not.toHaveProperty(['examples'])
  for (const [, property] of secrets) expect(property).not.toHaveProperty(['default'])
})

test('every default and every example is valid, for the form and for the connector', () => {
  const least = { import_url: 'https://import.example.com', client_id: 7, api_key: 'demo-key' }
  const asSchema = z.fromJSONSchema(form as unknown as Parameters<typeof z.fromJSONSchema>[0])
  for (const [name, property] of properties) {
    const values = [...(property.examples ?? []), ...('default' in property ? [property.default] : [])]
    for (const value of values) {
      const config = { ...least, [name]: value }
      expect(asSchema.safeParse(config), name).toMatchObject({ success: true })
      expect(readWriteConfig(JSON.stringify(config)).problems, name).toEqual([])
    }
  }
  expect(asSchema.safeParse({ ...least, max_points: 101 }).success).toBe(false)
})

test('no address has a default, and examples are of reserved domains', () => {
  for (const [name, { default: given, examples = [] }] of properties.filter(([name]) => name.endsWith('_url'))) {
    expect(given, name).toBeUndefined()
    expect(examples.length, name).toBeGreaterThan(0)
    for (const example of examples) expect(new URL(String(example)).hostname, name).toMatch(/\.example\.com$/)
  }
})

test('an option without default that is not required may be left out', () => {
  const optional = OPTION_NAMES.filter((name) => !form.required.includes(name))
  for (const name of optional) expect(writeOptions.shape[name].safeParse(undefined).success, name).toBe(true)
})
