import { expect, test } from 'vitest'
import { asText } from '../testing/as-text.ts'
import { decoderOf, number, read, reference, schemaProblem, sized } from './testing/protobuf-bytes.ts'

/* Descriptors as protoc wrote them, of
   syntax = "proto2"; package fix.v1; import "google/protobuf/timestamp.proto"; import "common.proto";
   message Outer {
     required int64 id = 1; map<string, Inner> parts = 2;
     message Inner { optional sint32 z = 1; repeated Kind kinds = 2 [packed = true]; enum Kind { NONE = 0; SOME = 5; } }
     optional group Total = 3 { optional double sum = 1; }
     oneof which { string name = 4; shop.common.Address address = 5; }
     optional google.protobuf.Timestamp at = 6; extensions 100 to 200;
     message Last { optional bool yes = 1; }
   }
   extend Outer { optional string note = 100; }
   message Second { optional Outer.Inner inner = 1; } */
const PROTO2 =
  'CglmaXgucHJvdG8SBmZpeC52MRofZ29vZ2xlL3Byb3RvYnVmL3RpbWVzdGFtcC5wcm90bxoMY29tbW9uLnByb3RvIpwDCgVPdXRlchIKCgJpZBgBIAIo' +
  'AxInCgVwYXJ0cxgCIAMoCzIYLmZpeC52MS5PdXRlci5QYXJ0c0VudHJ5EiIKBXRvdGFsGAMgASgKMhMuZml4LnYxLk91dGVyLlRvdGFsEg4KBG5hbWUY' +
  'BCABKAlIABInCgdhZGRyZXNzGAUgASgLMhQuc2hvcC5jb21tb24uQWRkcmVzc0gAEiYKAmF0GAYgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFt' +
  'cBpBCgpQYXJ0c0VudHJ5EgsKA2tleRgBIAEoCRIiCgV2YWx1ZRgCIAEoCzITLmZpeC52MS5PdXRlci5Jbm5lcjoCOAEaWwoFSW5uZXISCQoBehgBIAEo' +
  'ERIrCgVraW5kcxgCIAMoDjIYLmZpeC52MS5PdXRlci5Jbm5lci5LaW5kQgIQASIaCgRLaW5kEggKBE5PTkUQABIICgRTT01FEAUaFAoFVG90YWwSCwoD' +
  'c3VtGAEgASgBGhMKBExhc3QSCwoDeWVzGAEgASgIKgUIZBDJAUIHCgV3aGljaCIsCgZTZWNvbmQSIgoFaW5uZXIYASABKAsyEy5maXgudjEuT3V0ZXIu' +
  'SW5uZXI6GwoEbm90ZRINLmZpeC52MS5PdXRlchhkIAEoCQ=='
/** message Address { string street = 1; int32 zip = 2; repeated string lines = 3; } */
const COMMON =
  'Cgxjb21tb24ucHJvdG8SC3Nob3AuY29tbW9uIjUKB0FkZHJlc3MSDgoGc3RyZWV0GAEgASgJEgsKA3ppcBgCIAEoBRINCgVsaW5lcxgDIAMoCSpECgVD' +
  'b2xvchIVChFDT0xPUl9VTlNQRUNJRklFRBAAEgcKA1JFRBABEgkKBUdSRUVOEAISEAoDTkVHEPv//////////wFiBnByb3RvMw=='
/** edition = "2023"; message E { int32 a = 1; int32 b = 2 [features.field_presence = IMPLICIT];
 *  E c = 3 [features.message_encoding = DELIMITED]; repeated E d = 4; } */
const EDITION =
  'CgpmaXgzLnByb3RvEgVmaXguZSJRCgFFEgkKAWEYASABKAUSEAoBYhgCIAEoBUIFqgECCAISGgoBYxgDIAEoCzIILmZpeC5lLkVCBaoBAigCEhMKAWQY' +
  'BCADKAsyCC5maXguZS5FYghlZGl0aW9uc3DoBw=='
/** syntax = "proto3"; message P { int32 a = 1; optional int32 b = 2; oneof o { int32 c = 3; bool d = 4; } map<int32, P> m = 5; } */
const PROTO3 =
  'CgpmaXg0LnByb3RvEgZmaXgucDMilQEKAVASCQoBYRgBIAEoBRIOCgFiGAIgASgFSAGIAQESCwoBYxgDIAEoBUgAEgsKAWQYBCABKAhIABIbCgFtGAUg' +
  'AygLMhAuZml4LnAzLlAuTUVudHJ5GjMKBk1FbnRyeRILCgNrZXkYASABKAUSGAoFdmFsdWUYAiABKAsyCS5maXgucDMuUDoCOAFCAwoBb0IECgJfYmIG' +
  'cHJvdG8z'

test('a value protoc wrote, by the descriptor it wrote', () => {
  const decoder = decoderOf(PROTO2, [reference('common.proto', COMMON)])
  const written = '08fbffffffffffffffff01120b0a016b12060805120205001b09000000000000f83f1c22016e32020807a20602c3a9'
  expect(read(decoder, Buffer.from(written, 'hex'))).toBe(
    '{"id":-5,"parts":{"k":{"z":-3,"kinds":["SOME","NONE"]}},"total":{"sum":1.5},"name":"n","at":"1970-01-01T00:00:07Z","[fix.v1.note]":"é"}',
  )
  expect(read(decoder, number(1, 1), sized(4, 'x'), sized(5))).toBe(
    '{"id":1,"parts":{},"address":{"street":"","zip":0,"lines":[]}}',
  )
  expect(read(decoder)).toBe('lacks what its schema requires in field "id"')
})

test('message indexes count the entry of the map', () => {
  const decoder = decoderOf(PROTO2, [reference('common.proto', COMMON)])
  const decode = (hex: string) => asText(decoder.decode(Buffer.from(hex, 'hex'), 0, undefined))
  expect(decode('0400020805')).toEqual({ json: '{"z":-3,"kinds":[]}' })
  expect(decode('0400060801')).toEqual({ json: '{"yes":true}' })
  expect(decode('02020a00')).toEqual({ json: '{"inner":{"kinds":[]}}' })
  expect(decode('04000808')).toEqual({ problem: 'has message indexes of no message in its schema' })
})

test('editions and proto3', () => {
  expect(read(EDITION, Buffer.from('08001b08041c22021002', 'hex'))).toBe(
    '{"a":0,"b":0,"c":{"a":4,"b":0,"d":[]},"d":[{"b":2,"d":[]}]}',
  )
  expect(read(PROTO3, Buffer.from('100020002a06080312020801', 'hex'))).toBe(
    '{"a":0,"b":0,"d":false,"m":{"3":{"a":1,"m":{}}}}',
  )
  expect(read(PROTO3, number(4, 1), number(3, 2))).toBe('{"a":0,"c":2,"m":{}}')
})

test('base64 in lines, and text and descriptor mixed', () => {
  const lines = PROTO2.replaceAll(/.{76}/g, '$&\r\n')
  const common = 'syntax = "proto3"; package shop.common; message Address { int32 zip = 1; }'
  expect(read(decoderOf(` ${lines}\n`, [reference('common.proto', common)]), number(1, 1), sized(5))).toBe(
    '{"id":1,"parts":{},"address":{"zip":0}}',
  )
  const text = 'syntax = "proto3"; import "common.proto"; message M { shop.common.Color c = 1; }'
  expect(read(decoderOf(text, [reference('common.proto', COMMON)]), number(1, -5))).toBe('{"c":"NEG"}')
})

/** A descriptor of one message M with the fields. */
function described(...fields: readonly Buffer[][]): string {
  return sized(4, sized(1, 'M'), ...fields.map((parts) => sized(2, ...parts))).toString('base64')
}

const NAME = sized(1, 'a')
const NUMBER = number(3, 1)

test.each([
  [PROTO2, 'imports "common.proto", which is not among its references'],
  ['AAAA', 'is neither a .proto text nor base64 of a file descriptor'],
  [PROTO3.slice(0, 40), 'is neither a .proto text nor base64 of a file descriptor'],
  ['message', 'is neither a .proto text nor base64 of a file descriptor'],
  ['EgR0ZXN0', 'is a file descriptor without messages'],
  [sized(4).toString('base64'), 'uses the name "", which is none'],
  [described([NAME, number(5, 5)]), 'numbers the field "a" 0, which is not a valid field number'],
  [described([NUMBER]), 'uses the name "", which is none'],
  [described([NAME, NUMBER]), 'uses the type "nothing", which is declared nowhere'],
  [described([NAME, NUMBER, number(5, 99)]), 'uses the type "99", which is declared nowhere'],
  [described([sized(1, 'a"b'), NUMBER, number(5, 5)]), 'uses the name "a\\"b", which is none'],
  [described([NAME, number(3, -1), number(5, 5)]), 'numbers the field "a" -1, which is not a valid field number'],
])('%s is a schema with a problem', (text, problem) => {
  expect(schemaProblem(text)).toBe(problem)
})

test('messages within messages as deep as nobody declares them are a problem', () => {
  let message = sized(1, 'M')
  for (let level = 0; level < 1000; level++) message = Buffer.concat([sized(1, 'M'), sized(3, message)])
  expect(schemaProblem(sized(4, message).toString('base64'))).toBe(
    'is neither a .proto text nor base64 of a file descriptor',
  )
})

test('a descriptor may declare much, but not anything', () => {
  const text = (...parts: readonly Buffer[]): string => Buffer.concat(parts).toString('base64')
  const field = (index: number, ...more: readonly Buffer[]): Buffer =>
    Buffer.concat([sized(1, `f${index}`), number(3, index + 1), number(4, 1), number(5, 5), ...more])
  const fields = (count: number): Buffer[] => Array.from({ length: count }, (_, index) => sized(2, field(index)))
  const extensions = (count: number): Buffer[] =>
    Array.from({ length: count }, (_, index) => sized(7, field(index, sized(2, '.M'))))
  // each is looked up among the others: not one after another
  const decoder = decoderOf(text(sized(4, sized(1, 'M')), ...extensions(50_000)))
  expect(read(decoder, number(50_000, 7))).toBe('{"[f49999]":7}')
  const problem = 'declares too much to be read'
  expect(schemaProblem(text(sized(4, sized(1, 'M')), ...extensions(100_001)))).toBe(problem)
  expect(schemaProblem(text(sized(4, sized(1, 'M'), ...fields(100_001))))).toBe(problem)
  const values = Array.from({ length: 100_001 }, (_, index) => sized(2, sized(1, `V${index}`), number(2, index)))
  expect(schemaProblem(text(sized(4, sized(1, 'M')), sized(5, sized(1, 'E'), ...values)))).toBe(problem)
  expect(schemaProblem(text(sized(2, Array(101).fill('p').join('.')), sized(4, sized(1, 'M'))))).toBe(
    'has a package of more than 100 names',
  )
})

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
})

test('an import of an import is asked for too, and a broken one is named', () => {
  const text = message('A', '', 'import "b.proto";')
  expect(schemaProblem(text, [reference('b.proto', message('B', '', 'import "c.proto";'))])).toBe(
    'imports "c.proto", which is not among its references',
  )
  expect(schemaProblem(text, [reference('b.proto', 'message {')])).toBe(
    `imports "b.proto", which is not a .proto text that can be read: found "{" in line 1`,
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
  const copy = message('Date', 'int32 year = 1; int32 month = 2; int32 day = 3;', 'package google.type;')
  expect(schemaProblem(text, [reference('copy.proto', copy)])).toBeUndefined()
  expect(schemaProblem(text, [reference('copy.proto', message('Date', '', 'package google.type;'))])).toBe(
    'declares "google.type.Date" twice',
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

test('an imported descriptor may declare enums only, extensions only, or nothing', () => {
  const file = (...parts: readonly Buffer[]) => Buffer.concat(parts).toString('base64')
  const references = [
    reference('colours.proto', file(sized(5, sized(1, 'Colour'), sized(2, sized(1, 'RED'), number(2, 1))))),
    reference(
      'more.proto',
      file(sized(3, 'main.proto'), sized(7, NAME, sized(2, '.M'), number(3, 5), number(4, 1), number(5, 5))),
    ),
    reference('none.proto', file(sized(2, 'p'))),
    reference('main.proto', ''),
  ]
  const text = `import "colours.proto"; import "more.proto"; import "none.proto"; message M { optional Colour c = 1; extensions 5; }`
  expect(read(decoderOf(text, references), number(1, 1), number(5, 3))).toBe('{"c":"RED","[a]":3}')
})

test('public imports of a descriptor go onward', () => {
  const middle = Buffer.concat([sized(3, 'd.proto'), sized(3, 'e.proto'), number(10, 1)]).toString('base64')
  const deep = (name: string) => reference(`${name}.proto`, `message ${name.toUpperCase()} {}`)
  const text = (type: string) => `import "middle.proto"; message M { optional ${type} t = 1; }`
  const warning = (type: string) =>
    decoderOf(text(type), [reference('middle.proto', middle, [deep('d'), deep('e')])]).warning
  expect(warning('E')).toBeUndefined()
  expect(warning('D')).toMatch(/^uses "D" in files/)
})

test.each([
  ['type', 'Type', number(6, 2), '"syntax":"SYNTAX_EDITIONS"'],
  ['type', 'Type', sized(7, '2023'), '"edition":"2023"'],
  ['api', 'Api', sized(8, '2023'), '"edition":"2023"'],
  ['descriptor', 'FileDescriptorProto', number(14, 9999), '"edition":"EDITION_UNSTABLE"'],
])('google/protobuf/%s.proto has the newest %s', (path, type, value, json) => {
  const text = `import "google/protobuf/${path}.proto"; message M { optional google.protobuf.${type} t = 1; }`
  expect(read(text, sized(1, value))).toContain(json)
})
