import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Unwrapper } from './unwrapper.ts'

const SCHEMA =
  '{"type":"struct","fields":[{"type":"bytes","name":"org.apache.kafka.connect.data.Decimal","parameters":{"scale":"2"},"field":"p"}]}'

function told(unwrapper: Unwrapper, text: string): unknown {
  const bytes = Buffer.from(text)
  const reason = unwrapper.read(bytes)
  if (reason !== undefined) return reason
  const { payload, decimals, from, to, object } = unwrapper
  const place = bytes.toString('utf8', from, to)
  if (payload !== 'object') return { payload, decimals, place }
  const names = Array.from({ length: object.count }, (_, index) => {
    const slot = 4 * (object.first + index)
    const start = object.members[slot]!
    return bytes.toString('utf8', start < 0 ? ~start : start, object.members[slot + 1])
  })
  return { payload, decimals, place: bytes.toString('utf8', object.from, object.to), names }
}

const read = (text: string): unknown => told(new Unwrapper(), text)
const DECIMALS = { kind: 'struct', fields: new Map([['p', { kind: 'decimal', scale: 2 }]]) }

describe('a wrapper', () => {
  it.each([
    [
      `{"schema":${SCHEMA},"payload":{"p":"AQ=="}}`,
      { payload: 'object', decimals: DECIMALS, place: '{"p":"AQ=="}', names: ['p'] },
    ],
    [
      ` { "payload" : {"p":1} , "schema" : ${SCHEMA} } `,
      { payload: 'object', decimals: DECIMALS, place: '{"p":1}', names: ['p'] },
    ],
    ['{"schema":null,"payload":{}}', { payload: 'object', decimals: undefined, place: '{}', names: [] }],
    [String.raw`{"sch\u0065ma":null,"payload":{}}`, { payload: 'object', decimals: undefined, place: '{}', names: [] }],
    ['{"schema":null,"payload":null}', { payload: 'null', decimals: undefined, place: 'null' }],
    ['{"schema":{},"payload":[1]}', { payload: 'scalar', decimals: undefined, place: '[1]' }],
    ['{"schema":{},"payload":"a"}', { payload: 'scalar', decimals: undefined, place: '"a"' }],
  ])('comes off %s', (text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  it.each([
    ['{"schema":"public","payload":{}}', ['schema', 'payload']],
    ['{"schema":{},"payload":{},"id":1}', ['schema', 'payload', 'id']],
    ['{"schema":{},"schema":{}}', ['schema', 'schema']],
    ['{"payload":{}}', ['payload']],
    ['{}', []],
  ])('is none: %s', (text, names) => {
    expect(read(text)).toEqual({ payload: 'object', decimals: undefined, place: text, names })
  })

  it.each([
    ['{"schema":{},"payload":{}', 'is not JSON: it stops after 25 bytes'],
    ['5', 'is JSON but not an object'],
  ])('cannot be read: %s', (text, reason) => {
    expect(read(text)).toBe(reason)
  })

  it('of a known schema is the same as one of a new schema, whatever is behind it', () => {
    const start = fc.constantFrom(
      `{"schema":${SCHEMA},"payload":`,
      '{"schema":null,"payload":',
      '{"schema":{},"payload": ',
      '\uFEFF{"schema":{} , "payload":',
      `{"payload":1,"schema":`,
    )
    const payload = fc.oneof(fc.json(), fc.constantFrom('{"p":"AQ=="}', '', '{', '{"a":', 'nul', '"\u{1F6B2}"', '"'))
    const end = fc.constantFrom('}', '} \n', ',"id":1}', '}}', '', ' }', ']')
    const texts = fc.array(
      fc.tuple(start, payload, end).map((parts) => parts.join('')),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(texts, (texts) => {
        const unwrapper = new Unwrapper()
        for (const text of texts) expect(told(unwrapper, text)).toEqual(read(text))
      }),
    )
  })

  it('of a known schema is checked for UTF-8 too', () => {
    const unwrapper = new Unwrapper()
    const text = `{"schema":${SCHEMA},"payload":{"p":"A"}}`
    expect(unwrapper.read(Buffer.from(text))).toBe(undefined)
    const broken = Buffer.from(text)
    broken[broken.length - 4] = 0xff
    expect(unwrapper.read(broken)).toBe('is not valid UTF-8')
  })

  it('may have another schema in every record', () => {
    const unwrapper = new Unwrapper()
    for (let round = 0; round < 2; round++) {
      for (let version = 0; version < 40; version++) {
        const text = `{"schema":{"version":${version}},"payload":{"v":${version}}}`
        expect(told(unwrapper, text)).toMatchObject({ place: `{"v":${version}}` })
      }
    }
  })
})
