// The connector specification: what is committed is what the schema says, and it fits a form.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { readWriteConfig } from '../src/config/write/write-load.ts'
import { anchors } from './anchors.ts'
import { specDocument } from './file-schema.ts'
import { readPage } from './pages.ts'
import { writeOptions } from '../src/config/write/write-options.ts'

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
  always_show?: boolean
  const?: string
  items?: { type: string; properties?: Record<string, Property> }
  display_type?: string
  oneOf?: { title: string; description: string; properties: Record<string, Property>; required: string[] }[]
}

interface Specification {
  documentationUrl?: string
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

type Config = Record<string, object>

/** A config of a time when `sandbox` and `rejected_records` had only their older names; the last ones are what a form of 0.2 saves
 *  with every field in use. `becomes`: what the loader of then made of it, where that differs from the least config. `isInForm`:
 *  whether it fitted the form of then. */
interface OlderConfig {
  given: object
  becomes: Config
  isInForm?: boolean
}

const text = readFileSync(new URL('./connector-specification.json', import.meta.url), 'utf8')
const specification = JSON.parse(text) as Specification
const form = specification.connectionSpecification
const properties = Object.entries(form.properties)

test('it says what the connector can do', () => {
  expect(specification).toMatchObject({
    supported_destination_sync_modes: ['append_dedup', 'append'],
    supportsIncremental: true,
    protocol_version: '0.19.0',
  })
  expect(specDocument('https://publisher.test/a/b')['documentationUrl']).toBe(
    'https://publisher.test/a/b/tree/HEAD/docs/airbyte.md',
  )
})

test('with a homepage, descriptions link to pages and headings that exist; without one, nowhere', () => {
  const linked = JSON.stringify(specDocument('https://publisher.test/a/b'))
  const links = [
    ...linked.matchAll(/<a href=\\"https:\/\/publisher\.test\/a\/b\/tree\/HEAD\/(docs\/[\w-]+\.md)#([\w-]+)\\">/g),
  ]
  expect(links.length).toBeGreaterThan(4)
  expect(links.length).toBe(linked.split('<a ').length - 1)
  for (const [, page, heading] of links) expect(anchors(readPage(page!)), `${page}#${heading}`).toContain(heading)
  expect(JSON.stringify(specDocument(undefined))).not.toMatch(/<a |"page"|documentationUrl/)
})

test('it is an open draft-07 object that asks for what has no default', () => {
  expect(form).toMatchObject({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    additionalProperties: true,
    required: ['import_url', 'client_id', 'api_key'],
  })
  expect(Object.keys(form.properties)).toEqual(Object.keys(writeOptions.shape))
})

test('it has five groups, the last for tuning, and few fields before the optional ones', () => {
  expect(form.groups.map(({ title }) => title)).toEqual([
    'Connection',
    'Sync behaviour',
    'Rejected records',
    'TLS and network',
    'Advanced',
  ])
  const visible = properties.filter(([name, of]) => form.required.includes(name) || of.always_show === true)
  expect(visible.map(([name]) => name)).toEqual(['import_url', 'client_id', 'api_key', 'rejected_records'])
  // no field of a group stands among those of another
  const groups = properties.map(([, { group }]) => group)
  expect(groups.filter((group, at) => group !== groups[at - 1])).toEqual(form.groups.map(({ id }) => id))
})

test('a choice is one of several objects, told apart by a constant', () => {
  const choices = properties.filter(([, { oneOf }]) => oneOf !== undefined)
  expect(choices.map(([name]) => name)).toEqual(['rejected_records', 'sandbox'])
  for (const [name, { type, oneOf, display_type }] of choices) {
    expect([type, display_type], name).toEqual(['object', 'radio'])
    const kinds = oneOf!.map(({ properties: members, required }) => {
      const [[kind, of]] = Object.entries(members) as [[string, Property]]
      expect([of.type, required[0]], name).toEqual(['string', kind])
      return `${kind}: ${of.const}`
    })
    expect(new Set(kinds).size, name).toBe(oneOf!.length)
    for (const { title } of oneOf!) expect(title, name).toMatch(/^[A-Z]/)
    // a form shows what the choice says, an editor what its constant says
    for (const one of oneOf!) expect(one.description, name).toBe(Object.values(one.properties)[0]!.description)
  }
})

test('older names are not in the form', () => {
  expect(text).not.toMatch(/"(?:on_rejected|rejected_table|rejected_file|use_sandbox|sandbox_import_url)"/)
})

/** Every option, and the members of each entry of one that is a list of objects, and of each object of a choice. */
const shownInForm = properties.flatMap(([name, property]): [string, Property][] => [
  [name, property],
  ...Object.entries(property.items?.properties ?? {}).map(([member, of]): [string, Property] => [
    `${name}[].${member}`,
    { ...of, group: property.group },
  ]),
  ...(property.oneOf ?? []).flatMap((one) =>
    Object.entries(one.properties).map(([member, of]): [string, Property] => [
      `${name}.${member}`,
      { ...of, group: property.group },
    ]),
  ),
])

test('every option fits a form', () => {
  for (const [name, property] of shownInForm) {
    expect(property.title, name).toMatch(/^[A-Z].*[^.]$/i)
    expect(property.description, name).toMatch(/^[A-Za-z].*\.$/)
    expect(['string', 'integer', 'number', 'boolean', 'array', 'object'], name).toContain(property.type)
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

test('configs of before load as before, and fit the form if they did', () => {
  const asSchema = z.fromJSONSchema(form as unknown as Parameters<typeof z.fromJSONSchema>[0])
  const load = (given: object): Config => {
    const { config, problems } = readWriteConfig(JSON.stringify(given))
    expect(problems).toEqual([])
    return JSON.parse(JSON.stringify(config, (_, value: unknown) => value ?? null)) as Config
  }
  const least = load({ import_url: 'https://import.example.com', client_id: 7, api_key: 'key' })
  const lines = readFileSync(new URL('./older-configs.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  expect(lines.length).toBeGreaterThan(100)
  for (const line of lines) {
    const { given, becomes, isInForm = true } = JSON.parse(line) as OlderConfig
    const sections = Object.entries(least).map(([name, members]) => [name, { ...members, ...becomes[name] }])
    expect(load(given), line).toEqual({ ...Object.fromEntries(sections), service: becomes['service'] })
    // what did not fit may fit now: an empty older name is none of the form's
    if (isInForm) expect(asSchema.safeParse(given), line).toMatchObject({ success: true })
  }
})

test('no address has a default, and examples are of reserved domains', () => {
  for (const [name, { default: given, examples = [] }] of shownInForm.filter(([name]) => name.endsWith('_url'))) {
    expect(given, name).toBeUndefined()
    expect(examples.length, name).toBeGreaterThan(0)
    for (const example of examples) expect(new URL(String(example)).hostname, name).toMatch(/\.example\.com$/)
  }
})

test('an option without default that is not required may be left out', () => {
  for (const [name, option] of Object.entries(writeOptions.shape))
    expect(option.safeParse(undefined).success, name).toBe(!form.required.includes(name))
})
