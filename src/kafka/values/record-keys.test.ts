import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RecordKeys } from './record-keys.ts'

const DECIMAL = '{"type":"bytes","name":"org.apache.kafka.connect.data.Decimal","parameters":{"scale":"2"}'

type Kind = ReturnType<RecordKeys['fields']>

/** @returns the key's object, `none`, or why it is rejected */
function read(key: string | Buffer | null, how: (keys: RecordKeys, key: Buffer | null) => Kind): string {
  const keys = new RecordKeys()
  const kind = how(keys, typeof key === 'string' ? Buffer.from(key) : key)
  const { bytes, from, to } = keys.object
  return kind === 'object' ? bytes.toString('utf8', from, to) : kind === 'none' ? kind : kind.rejected
}

const fields = (key: string | null) => read(key, (keys, bytes) => keys.fields(bytes))
const decoded = (json: string | null) => read(json, (keys, bytes) => keys.decoded(bytes, 'id'))
const plain = (key: string | Buffer | null, field = 'id') =>
  read(key, (keys, bytes) => {
    const kind = keys.plain(bytes, field)
    if (kind === 'object') expect(keys.object.count).toBe(1)
    return kind
  })

describe('a key of a schema', () => {
  it.each([
    [null, 'none'],
    ['null', 'none'],
    ['\n null ', 'none'],
    ['5', '{"id":5}'],
    ['"5"', '{"id":"5"}'],
    [' 1.10\r\n', '{"id":1.10}'],
    ['"  "', '{"id":"  "}'],
    ['{"id":1}', 'its Kafka key is an object, not a plain value'],
    ['\t{"id":1}', 'its Kafka key is an object, not a plain value'],
    ['[1]', 'its Kafka key is an array'],
    [' [1]', 'its Kafka key is an array'],
  ])('%j is one value, whatever white space is around it', (json, read) => {
    expect(decoded(json)).toBe(read)
  })
})

describe('a key of fields', () => {
  it.each([
    [null, 'none'],
    ['{"id":1}', '{"id":1}'],
    [' {"id":9007199254740993, "b":"x"} ', '{"id":9007199254740993, "b":"x"}'],
    ['{"schema":null,"payload":{"id":1}}', '{"id":1}'],
    ['{"schema":null,"payload":null}', 'none'],
    [
      `{"schema":{"type":"struct","fields":[${DECIMAL},"field":"id"}]},"payload":{"id":"AQ==","b":"AQ=="}}`,
      '{"id":"0.01","b":"AQ=="}',
    ],
    ['{"schema":{},"payload":5}', 'its Kafka key is a plain value, not an object'],
    ['42', 'its Kafka key is JSON but not an object'],
    ['', 'its Kafka key is empty'],
    ['user-1', 'its Kafka key is not JSON: it breaks at byte 1 of 6'],
    [
      `{"schema":{"type":"struct","fields":[${DECIMAL},"field":"id"}]},"payload":{"id":"?"}}`,
      'a decimal in its Kafka key cannot be read',
    ],
  ])('%s is %s', (key, expected) => {
    expect(fields(key)).toBe(expected)
  })
})

describe('a plain key', () => {
  it.each([
    [null, 'none'],
    ['42', '{"id":42}'],
    ['-9223372036854775809', '{"id":-9223372036854775809}'],
    ['0', '{"id":0}'],
    ['user-1', '{"id":"user-1"}'],
    ['', '{"id":""}'],
    ['true', '{"id":"true"}'],
    ['null', '{"id":"null"}'],
    ['007', '{"id":"007"}'],
    ['-0', '{"id":"-0"}'],
    ['1.0', '{"id":"1.0"}'],
    [' 1', '{"id":" 1"}'],
    ['1\n', String.raw`{"id":"1\n"}`],
    ['"quoted"', String.raw`{"id":"\"quoted\""}`],
    ['\uFEFFé\u0000\u2028', '{"id":"\uFEFFé\\u0000\u2028"}'],
    ['{broken', '{"id":"{broken"}'],
    [Buffer.from([0xff]), 'its Kafka key is not valid UTF-8'],
    ['{"id":1}', 'its Kafka key is an object, not a plain value'],
    ['{"schema":{"type":"int64"},"payload":9007199254740993}', '{"id":9007199254740993}'],
    [String.raw`{"schema":{"type":"string"},"payload":"a\u0062"}`, String.raw`{"id":"a\u0062"}`],
    [`{"schema":${DECIMAL}},"payload":"AQ=="}`, '{"id":"0.01"}'],
    ['{"schema":{},"payload":null}', 'none'],
    ['{"schema":{},"payload":[1]}', 'its Kafka key is an array'],
    ['{"schema":{},"payload":{"id":1}}', 'its Kafka key is an object, not a plain value'],
  ])('%s is %s', (key, expected) => {
    expect(plain(key)).toBe(expected)
  })

  it('is sent under any name', () => {
    expect(plain('1', 'a"\n')).toBe(String.raw`{"a\"\n":1}`)
  })

  it('is another value for every other key', () => {
    const keys = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom('1', '1.0', '01', '+1', '-1', '1e0', '10e-1', '"1"', ' 1', '1 '),
      fc.integer().map(String),
    )
    fc.assert(
      fc.property(keys, keys, (a, b) => {
        fc.pre(!a.startsWith('{') && !b.startsWith('{'))
        const [left, right] = [plain(a), plain(b)].map((text) => (JSON.parse(text) as { id: string | number }).id)
        expect(Object.is(left, right)).toBe(a === b)
        expect(String(left)).toBe(a)
      }),
    )
  })
})

describe('a plain key of a type', () => {
  const typed = (key: string | Buffer | null, type: 'text' | 'number' | 'json'): string => {
    const found = read(key, (keys, bytes) => keys.plain(bytes, 'k', type))
    return found === 'none' || found.startsWith('{') ? found : 'rejected'
  }

  it('is a text of its bytes, whatever they are', () => {
    const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.json())
    fc.assert(
      fc.property(texts, (text) => {
        expect(JSON.parse(typed(text, 'text'))).toEqual({ k: text.toWellFormed() })
      }),
    )
    expect(typed(Buffer.from([0xff]), 'text')).toBe('rejected')
  })

  it('is a number or a scalar exactly where JSON.parse makes one', () => {
    const signs = fc.string({ unit: fc.constantFrom('1', '0', '-', '.', 'e', ' ', '"', 'a') })
    fc.assert(
      fc.property(fc.oneof(fc.json({ maxDepth: 1 }), signs), (text) => {
        let value: unknown
        try {
          value = JSON.parse(text)
        } catch {
          value = undefined
        }
        const held = `{"k":${text.trim()}}`
        const isScalar = ['string', 'number', 'boolean'].includes(typeof value)
        expect(typed(text, 'number')).toBe(typeof value === 'number' ? held : 'rejected')
        expect(typed(text, 'json')).toBe(value === null ? 'none' : isScalar ? held : 'rejected')
      }),
      { numRuns: 2000 },
    )
  })

  it('may stand in the wrapper of Connect as JSON, and is its bytes as a text', () => {
    const wrapped = '{"schema":{"type":"string"},"payload":"7"}'
    expect([typed(wrapped, 'json'), typed(wrapped, 'number'), typed(null, 'text')]).toEqual([
      '{"k":"7"}',
      'rejected',
      'none',
    ])
    expect(typed(wrapped, 'text')).toBe(`{"k":${JSON.stringify(wrapped)}}`)
  })
})
