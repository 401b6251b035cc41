import { describe, expect, it } from 'vitest'
import { ConnectorError } from '../core/errors.ts'
import { TestClock } from '../kafka/client/testing/clock.ts'
import { SchemaFetcher } from './fetch-schema.ts'
import { RetryingClient } from './retrying-client.ts'
import { answered, TestRegistry } from './testing/registry.ts'
import type { SchemaId } from './types.ts'

const never = new AbortController().signal
const address = 'https://registry/apis/ccompat/v7'

/** Nobody waits. */
class HastyClock extends TestClock {
  override async wait(): Promise<void> {}
}

const fetcherOf = ({ ask }: TestRegistry): SchemaFetcher => {
  const clock = new HastyClock()
  return new SchemaFetcher(new RetryingClient({ ask, address, clock }), address)
}
const fetched = (registry: TestRegistry, id: SchemaId = 17) => fetcherOf(registry).fetch(id, never)

const refer = (...subjects: string[]) => subjects.map((subject) => ({ name: `n.${subject}`, subject, version: 1 }))
const at = (subject: string, version: number | string = 1): string => `/subjects/${subject}/versions/${version}`

async function stopOf(registry: TestRegistry, id: SchemaId = 17): Promise<string> {
  const error: unknown = await fetched(registry, id).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ConnectorError)
  expect((error as ConnectorError).kind).toBe('config')
  return (error as ConnectorError).message
}

describe('a schema', () => {
  it('is asked for by its id, or by its GUID', async () => {
    const registry = new TestRegistry()
    registry.has('/schemas/ids/17', { schema: '"int"' })
    registry.has('/schemas/guids/00112233-4455-6677-8899-aabbccddeeff', { schema: 'syntax', schemaType: 'PROTOBUF' })
    expect(await fetched(registry)).toEqual({ schema: { type: 'AVRO', text: '"int"', references: [] }, rules: [] })
    expect(await fetched(registry, '00112233-4455-6677-8899-aabbccddeeff')).toMatchObject({
      schema: { type: 'PROTOBUF', text: 'syntax' },
    })
  })

  it('comes with all it refers to, each asked for once', async () => {
    const registry = new TestRegistry()
    registry.has('/schemas/ids/17', { schema: 'root', references: refer('left', 'right') })
    registry.has(at('left'), { schema: 'left', references: refer('base') })
    registry.has(at('right'), { schema: 'right', references: refer('base') })
    registry.has(at('base'), { schema: 'base', subject: 'base', version: 1, id: 5 })
    const base = { type: 'AVRO', text: 'base', references: [] }
    const side = (text: string) => ({
      name: `n.${text}`,
      schema: { type: 'AVRO', text, references: [{ name: 'n.base', schema: base }] },
    })
    expect(await fetched(registry)).toMatchObject({ schema: { references: [side('left'), side('right')] } })
    expect(registry.paths).toEqual(['/schemas/ids/17', at('left'), at('base'), at('right')])
  })

  it('refers to subjects of any name, to the latest version and to deleted ones', async () => {
    const registry = new TestRegistry()
    const references = [
      { name: 'a', subject: 'a/b c?#é%😀', version: 2 },
      { name: 'b', subject: '\uD800', version: -1 },
      { name: 'c', subject: 'gone', version: 1 },
    ]
    registry.has('/schemas/ids/17', { schema: 'root', references })
    registry.has(at('a%2Fb%20c%3F%23%C3%A9%25%F0%9F%98%80', 2), { schema: 'a' })
    registry.has(at('%EF%BF%BD', 'latest'), { schema: 'b' })
    registry.has(`${at('gone')}?deleted=true`, { schema: 'c' })
    expect(await fetched(registry)).toMatchObject({
      schema: { references: [{ schema: { text: 'a' } }, { schema: { text: 'b' } }, { schema: { text: 'c' } }] },
    })
  })
})

describe('no schema, and words for it', () => {
  const mayChange = true

  it('where the registry does not know it', async () => {
    const registry = new TestRegistry()
    expect(await fetched(registry)).toEqual({ problem: 'is not known to the registry (40403)', mayChange })
    expect(await fetched(registry, 0)).toEqual({
      problem: expect.stringMatching(/^is not known to the registry \(40403\); .*Legacy4ByteIdHandler\)$/) as string,
      mayChange,
    })
  })

  it('where the registry knows no GUIDs, or refuses what a record holds', async () => {
    const registry = new TestRegistry()
    const guid = '00112233-4455-6677-8899-aabbccddeeff'
    registry.answers.set(`/schemas/guids/${guid}`, answered(404, { error_code: 0 }))
    expect(await fetched(registry, guid)).toEqual({ problem: 'is not known to the registry (404)', mayChange })
    registry.answers.set(`/schemas/guids/${guid}`, answered(422, { error_code: 42_201 }))
    expect(await fetched(registry, guid)).toEqual({ problem: 'is refused by the registry (42201)', mayChange })
    registry.has('/schemas/ids/17', { schema: 'root', references: refer('a') })
    registry.answers.set(at('a'), answered(414))
    expect(await fetched(registry)).toEqual({
      problem: 'refers to version 1 of subject "a", which is refused by the registry (414)',
      mayChange,
    })
  })

  it('where a reference is missing or of no known type, however deep', async () => {
    const registry = new TestRegistry()
    registry.has('/schemas/ids/17', { schema: 'root', references: refer('a') })
    registry.has(at('a'), { schema: 'a', references: refer('b') })
    const missing = 'refers to version 1 of subject "b", which is not known to the registry (40403)'
    expect(await fetched(registry)).toEqual({ problem: missing, mayChange })
    registry.has(at('b'), { schema: 'b', schemaType: 'THRIFT\n' })
    const strange = 'is of the type "THRIFT?", and only AVRO, PROTOBUF, JSON are read'
    expect(await fetched(registry)).toEqual({
      problem: `refers to version 1 of subject "b", which ${strange}`,
      mayChange: false,
    })
    registry.has('/schemas/ids/17', { schema: 'root', schemaType: 'THRIFT\n' })
    expect(await fetched(registry)).toEqual({ problem: strange, mayChange: false })
  })

  it('where references go round in circles', async () => {
    const registry = new TestRegistry()
    registry.has('/schemas/ids/17', { schema: 'root', references: refer('a') })
    registry.has(at('a'), { schema: 'a', references: refer('b') })
    registry.has(at('b'), { schema: 'b', references: refer('a') })
    const problem = 'refers to version 1 of subject "a", which refers to itself'
    expect(await fetched(registry)).toEqual({ problem, mayChange: false })
  })

  it('where there are too many, or too much of them', async () => {
    const registry = new TestRegistry()
    const names = Array.from({ length: 201 }, (_, index) => `s${index}`)
    registry.has('/schemas/ids/17', { schema: 'root', references: refer(...names) })
    for (const name of names) registry.has(at(name), { schema: name })
    expect(await fetched(registry)).toEqual({ problem: 'refers to more than 200 schemas', mayChange: false })
    expect(registry.paths).toHaveLength(201)
    for (const name of names.slice(0, 6)) registry.has(at(name), { schema: 'x'.repeat(3_000_000) })
    const problem = expect.stringMatching(/is longer than 16 MiB with all it refers to$/) as string
    expect(await fetched(registry)).toEqual({ problem, mayChange: false })
  })

  it('a chain as long as may be is followed', async () => {
    const registry = new TestRegistry()
    registry.has('/schemas/ids/17', { schema: 'root', references: refer('s0') })
    for (let index = 0; index < 200; index++) {
      registry.has(at(`s${index}`), { schema: 's', references: index === 199 ? [] : refer(`s${index + 1}`) })
    }
    expect(await fetched(registry)).toHaveProperty('schema')
  })

  it('where it is longer than what is taken', async () => {
    const registry = new TestRegistry()
    const cut = `{"schema":"${'x'.repeat(4 * 1_048_576 - 11)}`
    registry.answers.set('/schemas/ids/17', answered(200, cut, { isCut: true }))
    expect(await fetched(registry)).toEqual({ problem: 'is longer than the 4 MiB that are accepted', mayChange: false })
  })
})

describe('an error that ends the run', () => {
  const path = '/schemas/ids/17'

  it.each([
    [
      401,
      { words: 'Unauthorized' },
      / answered 401 \(Unauthorized\) when asked for schema 17: .*username and password, or token, in schema_registry/,
    ],
    [403, {}, / answered 403 when asked for schema 17: .*username or token in schema_registry may read/],
    [400, { words: 'no' }, / answered 400 \(no\) when asked for schema 17\. Check url in schema_registry/],
    [418, {}, / answered 418 /],
    [501, {}, / answered 501 /],
    [
      302,
      { leadsTo: 'https://login.example.com' },
      / answered 302 .* a redirect to https:\/\/login\.example\.com\. .*set url/,
    ],
    [308, {}, / a redirect to nowhere/],
    [600, {}, / answered 600 /],
  ])('%i', async (status, more, words) => {
    const registry = new TestRegistry()
    registry.answers.set(path, answered(status, '', more))
    const message = await stopOf(registry)
    expect(message).toMatch(words)
    expect(message).toContain(address)
  })

  it.each([
    ['', false, 'an empty body'],
    ['<html>…', false, 'an HTML page'],
    ['{"id":17}', false, 'JSON that is not a schema'],
    ['nonsense', false, 'a body that is not JSON'],
    ['<html>…', true, 'an HTML page'],
    [undefined, false, 'bytes that are not UTF-8'],
  ])('a 200 with %j', async (body, isCut, words) => {
    const registry = new TestRegistry()
    registry.answers.set(path, answered(200, '', { body, isCut }))
    expect(await stopOf(registry)).toContain(
      `answered 200 with ${words} when asked for schema 17: this is not a schema registry`,
    )
  })

  it('refused for a reference names it', async () => {
    const registry = new TestRegistry()
    registry.has(path, { schema: 'root', references: refer('a') })
    registry.answers.set(at('a'), answered(403))
    expect(await stopOf(registry)).toContain('when asked for version 1 of subject "a": the login may not')
  })
})

describe('a 404 without a registry’s code', () => {
  const nothing = answered(404, '<h1>404 page not found</h1>')
  const path = '/schemas/ids/18'

  it('is an address where no registry stands, if nothing there answers as one', async () => {
    const registry = new TestRegistry()
    for (const path of ['/schemas/ids/18', '/schemas/types', '/subjects']) registry.answers.set(path, nothing)
    expect(await stopOf(registry, 18)).toMatch(/ answered 404 when asked for schema 18, and nothing there .*ccompat/)
  })

  it.each(['/schemas/types', '/subjects'])('is an unknown schema, if %s is a list', async (proof) => {
    const registry = new TestRegistry()
    for (const path of ['/schemas/ids/18', '/schemas/types', '/subjects']) registry.answers.set(path, nothing)
    registry.answers.set(proof, answered(200, ['x']))
    expect(await fetched(registry, 18)).toHaveProperty('problem', 'is not known to the registry (404)')
  })

  it('is an unknown schema, if one that was known still is', async () => {
    const registry = new TestRegistry()
    for (const path of ['/schemas/ids/18', '/schemas/types', '/subjects']) registry.answers.set(path, nothing)
    registry.has('/schemas/ids/17', { schema: '"int"' })
    const fetcher = fetcherOf(registry)
    await fetcher.fetch(17, never)
    expect(await fetcher.fetch(18, never)).toHaveProperty('problem', 'is not known to the registry (404)')
    registry.answers.set('/schemas/ids/17', nothing)
    await expect(fetcher.fetch(18, never)).rejects.toThrow('nothing there answers as a schema registry does')
    expect(registry.paths.filter((asked) => asked === path)).toHaveLength(2)
  })
})
