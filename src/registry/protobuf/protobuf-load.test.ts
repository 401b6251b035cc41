import { expect, test } from 'vitest'
import { knownFile } from './protobuf-known-files.ts'
import { number, read, decoderOf, reference, schemaProblem, sized } from './testing/protobuf-bytes.ts'

const message = (name: string, fields: string, head = '') => `syntax = "proto3"; ${head} message ${name} { ${fields} }`

test('imports come from the references, and theirs', () => {
  const deep = reference('deep/c.proto', message('C', 'int32 c = 1;', 'package c;'))
  const middle = reference('b.proto', message('B', 'c.C c = 1;', 'import "deep/c.proto";'), [deep])
  const text = message('A', 'B b = 1;', 'import "b.proto";')
  expect(read(decoderOf(text, [middle]), sized(1, sized(1, number(1, 5))))).toBe('{"b":{"c":{"c":5}}}')
})

test.each([
  ['import "b.proto";', 'imports "b.proto", which is not among its references'],
  ['import public "b.proto";', 'imports "b.proto", which is not among its references'],
  [
    'import "google/protobuf/nothing.proto";',
    'imports "google/protobuf/nothing.proto", which is not among its references',
  ],
  ['import weak "b.proto";', undefined],
])('%s without a reference', (head, problem) => {
  expect(schemaProblem(message('A', 'int32 a = 1;', head))).toBe(problem)
})

test.each(['cpp', 'go', 'java'])('features of %s are known, which editions name in options', (name) => {
  const text = `edition = "2023"; import "google/protobuf/${name}_features.proto";
    option features.(pb.${name}).legacy_closed_enum = true; option features.(pb.go).api_level = API_OPAQUE;
    message A { int32 a = 1; google.protobuf.FeatureSet f = 2; }`
  const imported = text.replace('message', 'import "google/protobuf/descriptor.proto"; message')
  expect(read(decoderOf(imported), number(1, 5))).toBe('{"a":5}')
  const extended = { cpp: 1000, java: 1001, go: 1002 }[name]!
  const value = sized(2, sized(extended, number(1, 1)))
  expect(read(decoderOf(imported), value)).toMatch(new RegExp(`^\\{"f":\\{"\\[pb\\.${name}\\]":\\{"legacy_\\w+":true`))
})

test('an import of an import is asked for too, and a broken one is named', () => {
  const text = message('A', '', 'import "b.proto";')
  expect(schemaProblem(text, [reference('b.proto', message('B', '', 'import "c.proto";'))])).toBe(
    'imports "c.proto", which is not among its references',
  )
  expect(schemaProblem(text, [reference('b.proto', 'message {')])).toBe(
    `imports "b.proto", which is no .proto text that can be read: illegal type name '{' (line 1)`,
  )
})

test('files may import each other and be imported twice', () => {
  const b = reference('b.proto', message('B', 'C c = 1;', 'import "c.proto";'))
  const c = reference('c.proto', message('C', 'repeated B b = 1;', 'import "b.proto";'))
  const text = message('A', 'B b = 1; C c = 2;', 'import "b.proto"; import "c.proto"; import "c.proto";')
  expect(read(decoderOf(text, [b, c]), sized(1, sized(1)))).toBe('{"b":{"c":{"b":[]}}}')
})

test('of two references of one path the nearer one counts', () => {
  const far = reference('c.proto', message('C', 'int32 far = 1;'))
  const b = reference('b.proto', message('B', 'C c = 1;', 'import "c.proto";'), [far])
  const near = reference('c.proto', message('C', 'int32 near = 1;'))
  const text = message('A', 'B b = 1;', 'import "b.proto";')
  expect(read(decoderOf(text, [b, near]), sized(1, sized(1)))).toBe('{"b":{"c":{"near":0}}}')
})

test('a reference wins over the file everybody has', () => {
  const own = reference('google/type/money.proto', message('Money', 'int32 cents = 1;', 'package google.type;'))
  const text = message('A', 'google.type.Money m = 1;', 'import "google/type/money.proto";')
  expect(read(decoderOf(text, [own]), sized(1))).toBe('{"m":{"cents":0}}')
  expect(read(decoderOf(text), sized(1))).toBe('{"m":{"currency_code":"","units":0,"nanos":0}}')
})

test('a copy of a known file under another path is the same, another content is not', () => {
  const text = message('A', 'google.type.Date a = 1;', 'import "google/type/date.proto"; import "copy.proto";')
  expect(schemaProblem(text, [reference('copy.proto', knownFile('google/type/date.proto')!)])).toBeUndefined()
  expect(schemaProblem(text, [reference('copy.proto', message('Date', '', 'package google.type;'))])).toBe(
    'declares "google.type.Date" twice, and not the same',
  )
})

test('an unused reference is not looked into', () => {
  expect(schemaProblem(message('A', ''), [reference('broken.proto', '}')])).toBeUndefined()
})

test.each([[''], ['  \n'], ['syntax = "proto3";'], ['syntax = "proto3"; enum E { A = 0; }']])(
  '%j declares no message',
  (text) => {
    expect(schemaProblem(text)).toBe('declares no message')
  },
)
