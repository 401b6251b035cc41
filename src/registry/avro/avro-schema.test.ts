import { expect, test } from 'vitest'
import { avroDecoder } from './avro-decoder.ts'
import { decode, joined, long, sized } from './testing/avro-bytes.ts'
import type { RegisteredSchema } from '../types.ts'

const AVRO = { type: 'AVRO', references: [] } as const

function problem(schema: RegisteredSchema): string {
  const made = avroDecoder(schema)
  return 'problem' in made ? made.problem : 'none'
}

function record(name: string, type: unknown, more: object = {}): object {
  return { type: 'record', name, fields: [{ name: 'f', type }], ...more }
}

test.each([
  ['', 'is not JSON'],
  ['{', 'is not JSON'],
  ['string', 'is not JSON'],
  ['null', 'has null where a type belongs'],
  ['7', 'has a number where a type belongs'],
  ['"strin"', 'names a type "strin" that nothing defines'],
  ['{}', 'has a type without "type"'],
  ['{"type":null}', 'has null where a type belongs'],
  ['{"type":"array"}', 'has an array without "items"'],
  ['{"type":"map","items":"int"}', 'has a map without "values"'],
  ['["null",["int"]]', 'has a union right in a union'],
  ['{"type":"enum","symbols":["A"]}', 'has an enum without a name'],
  ['{"type":"fixed","name":7,"size":3}', 'has a fixed without a name'],
  ['{"type":"fixed","name":"a.","size":3}', 'has a fixed without a name'],
  ['{"type":"fixed","name":"F"}', 'has a fixed "F" without a "size"'],
  ['{"type":"fixed","name":"F","size":-1}', 'has a fixed "F" without a "size"'],
  ['{"type":"fixed","name":"F","size":1.5}', 'has a fixed "F" without a "size"'],
  ['{"type":"enum","name":"E"}', 'has an enum "E" without a list of "symbols"'],
  ['{"type":"enum","name":"E","symbols":["A",1]}', 'has an enum "E" without a list of "symbols"'],
  ['{"type":"record","name":"R"}', 'has a record "R" without a list of "fields"'],
  ['{"type":"record","name":"R","fields":[7]}', 'has a field without a name in "R"'],
  ['{"type":"record","name":"R","fields":[{"type":"int"}]}', 'has a field without a name in "R"'],
  ['{"type":"record","name":"R","fields":[{"name":"f"}]}', 'has no type for the field "f" of "R"'],
  [
    '{"type":"record","name":"n.R","fields":[{"name":"f","type":"int"},{"name":"f","type":"int"}]}',
    'has the field "f" of "n.R" twice',
  ],
  ['[{"type":"fixed","name":"F","size":1},{"type":"enum","name":"F","symbols":[]}]', 'defines "F" twice'],
  ['{"type":"record","name":"R","fields":[{"name":"f","type":"S"}]}', 'names a type "S" that nothing defines'],
  ['{"type":"__proto__"}', 'names a type "__proto__" that nothing defines'],
  ['{"type":"constructor"}', 'names a type "constructor" that nothing defines'],
])('%s cannot be read by: it %s', (text, words) => {
  expect(problem({ ...AVRO, text })).toBe(words)
})

test('a name of any length and content makes a short message of one line', () => {
  const words = problem({ ...AVRO, text: JSON.stringify(`\n\u2028${'x'.repeat(1_000_000)}`) })
  expect(words.length).toBeLessThan(200)
  expect(words).not.toMatch(/\n/)
})

test('nests as deep as the stack allows, and no deeper', () => {
  const nested = (depth: number): string => `${'{"type":"array","items":'.repeat(depth)}"int"${'}'.repeat(depth)}`
  expect(problem({ ...AVRO, text: nested(200) })).toBe('none')
  expect(problem({ ...AVRO, text: nested(100_000) })).toBe('nests types deeper than 256 levels')
  expect(problem({ ...AVRO, text: '['.repeat(1_000_000) })).toBe('is not JSON')
  expect(problem({ ...AVRO, text: `${'['.repeat(100_000)}${']'.repeat(100_000)}` })).toMatch(/union right in a union/)
  const inner = (depth: number): string => `${'{"type":'.repeat(depth)}"int"${'}'.repeat(depth)}`
  expect(problem({ ...AVRO, text: inner(200) })).toBe('none')
  expect(problem({ ...AVRO, text: inner(100_000) })).toBe('nests types deeper than 256 levels')
})

test('a chain of 10,000 records, each named before it is defined', () => {
  const chain = Array.from({ length: 10_000 }, (_, index) =>
    record(`R${index}`, index === 9_999 ? 'int' : `R${index + 1}`),
  )
  expect(problem({ ...AVRO, text: JSON.stringify(chain) })).toBe('none')
  expect(decode(chain, joined(long(9_998), long(7)))).toEqual({ json: '{"f":{"f":7}}' })
  expect(decode(chain, joined(long(0), long(7)))).toEqual({
    problem: expect.stringMatching(/nests deeper than 1024 levels/) as string,
  })
})

const FIXED = { type: 'fixed', name: 'F', size: 1 }

test.each([
  // a type is looked for in the namespace it is named in, then in none
  ['the enclosing one', record('a.b.R', [FIXED, 'F', 'a.b.F'])],
  ['a name with dots', record('R', [{ ...FIXED, name: 'x.y.F' }, 'x.y.F'], { namespace: 'ignored' })],
  ['an attribute', record('R', [FIXED, 'F', 'n.F'], { namespace: 'n' })],
  ['an attribute of its own', record('R', [{ ...FIXED, namespace: 'm' }, 'm.F'], { namespace: 'n' })],
  ['none, within one', record('n.R', [{ ...FIXED, namespace: '' }, 'F'])],
  ['a name with dots, which an attribute does not change', record('a.R', [FIXED, 'a.F'], { namespace: 'b' })],
  ['a dot in front: none', record('n.R', [{ ...FIXED, name: '.F' }, 'F', '.F'])],
  ['null is none said', record('n.R', [{ ...FIXED, namespace: null }, 'n.F'])],
  ['as an object', record('n.R', [FIXED, { type: 'F' }, { type: { type: 'n.F' } }])],
])('namespaces: %s', (_, schema) => {
  expect(decode(schema, joined(long(1), 255))).toEqual({ json: '{"f":"/w=="}' })
})

test.each([
  ['another namespace', [record('n.R', FIXED), 'F']],
  ['another namespace than its own', record('n.R', [{ ...FIXED, name: 'm.F' }, 'F'])],
])('namespaces: not found in %s', (_, schema) => {
  expect(problem({ ...AVRO, text: JSON.stringify(schema) })).toBe('names a type "F" that nothing defines')
})

function registered(schema: unknown, ...references: readonly [string, RegisteredSchema][]): RegisteredSchema {
  return {
    type: 'AVRO',
    text: JSON.stringify(schema),
    references: references.map(([name, schema]) => ({ name, schema })),
  }
}

test('types of the schemas it refers to, and of those they refer to', () => {
  const money = registered({ type: 'fixed', name: 'acme.Money', size: 1 })
  const line = registered(record('acme.Line', 'Money'), ['acme.Money', money])
  const order = [
    { name: 'line', schema: line },
    // twice by two ways
    { name: 'money', schema: money },
  ]
  const schema = {
    type: 'record',
    name: 'acme.Order',
    fields: [
      { name: 'lines', type: { type: 'array', items: 'Line' } },
      { name: 'total', type: 'acme.Money' },
    ],
  }
  expect(decode(schema, joined(long(1), 255, long(0), 254), order)).toEqual({
    json: '{"lines":[{"f":"/w=="}],"total":"/g=="}',
  })
  expect(decode('acme.Line', joined(255), order)).toEqual({ json: '{"f":"/w=="}' })
})

test('a definition of its own goes before one it refers to', () => {
  const other = registered({ type: 'fixed', name: 'F', size: 2 })
  const references = [{ name: 'F', schema: other }]
  expect(decode(record('R', FIXED), joined(255), references)).toEqual({ json: '{"f":"/w=="}' })
})

test('what it refers to may be broken, or of another type', () => {
  const broken: RegisteredSchema = { ...AVRO, text: '{' }
  expect(problem(registered('x', ['acme.X', broken]))).toBe('refers to "acme.X", which is not JSON')
  expect(problem(registered('x', ['y', registered('y', ['acme.X', broken])]))).toBe(
    'refers to "acme.X", which is not JSON',
  )
  expect(problem(registered('x', ['p', { ...broken, type: 'PROTOBUF' }]))).toBe('refers to "p", which is not Avro')
})

test('what is referred to on many ways is read once', () => {
  let shared = registered('int')
  for (let depth = 0; depth < 60; depth++) shared = registered('int', ['a', shared], ['b', shared])
  expect(problem(shared)).toBe('none')
})

test('what it declares is bounded, with all it refers to', () => {
  const fields = (count: number): object[] =>
    Array.from({ length: count }, (_, index) => ({ name: `f${index}`, type: 'int' }))
  const symbols = Array.from({ length: 100_001 }, (_, index) => `S${index}`)
  const text = (schema: unknown): RegisteredSchema => ({ ...AVRO, text: JSON.stringify(schema) })
  const much = 'declares too much to be read'
  expect(problem(text({ type: 'record', name: 'R', fields: fields(50_000) }))).toBe('none')
  expect(problem(text({ type: 'record', name: 'R', fields: fields(100_001) }))).toBe(much)
  expect(problem(text({ type: 'enum', name: 'E', symbols }))).toBe(much)
  expect(problem(text(Array(100_001).fill('int')))).toBe(much)
  const many = (name: string) =>
    Array.from({ length: 400 }, (_, index) => ({ name: `f${index}`, type: record(`${name}${index}`, 'int') }))
  let chain = text({ type: 'record', name: 'C', fields: many('c') })
  for (let depth = 0; depth < 90; depth++)
    chain = {
      ...text({ type: 'record', name: `C${depth}`, fields: many(`c${depth}_`) }),
      references: [{ name: 'C', schema: chain }],
    }
  expect(problem(chain)).toMatch(/^refers to "C", which (?:refers to "C", which )*declares too much to be read$/)
})

test('what only writers and other readers need is not looked at', () => {
  const schema = {
    type: 'error',
    name: 'R',
    doc: 7,
    aliases: 'x',
    fields: [{ name: 'a', type: ['null', 'string'], default: 5, order: 'sideways', aliases: [1], logicalType: 'uuid' }],
  }
  expect(decode(schema, joined(long(1), sized('x')))).toEqual({ json: '{"a":"x"}' })
})
