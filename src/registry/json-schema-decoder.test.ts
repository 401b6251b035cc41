import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { makeJsonSchemaDecoder } from './json-schema-decoder.ts'
import { asText, type DecodedText } from './testing/as-text.ts'

const made = makeJsonSchemaDecoder({ type: 'JSON', text: '{"type":"object"}', references: [] })

function decode(payload: Buffer | string): DecodedText {
  if ('problem' in made) return made
  return asText(made.decode(Buffer.concat([Buffer.from([0, 0, 0, 0, 9]), Buffer.from(payload)]), 5, undefined))
}

it.each(['{"a":1}', '{"n":9007199254740993,"d":1.10,"e":1e400}', ' [1, 2]\n', '"é😀"', 'null', '0', '{"a":1,"a":2}'])(
  'stays as it is: %s',
  (text) => {
    expect(decode(text)).toEqual({ json: text })
  },
)

it('loses a byte order mark', () => {
  expect(decode('\uFEFF{"a":1}')).toEqual({ json: '{"a":1}' })
})

it.each([
  ['', 'holds nothing behind the id of its schema'],
  [' \n', 'holds nothing behind the id of its schema'],
  ['\uFEFF', 'holds nothing behind the id of its schema'],
  ['{"a":1', 'is not JSON: it stops after the 6 behind the id of its schema'],
  ['{"a":1}}', 'is not JSON: it breaks at byte 8 of the 8 behind the id of its schema'],
  [
    '{"secret":-Infinity}',
    'is not JSON: it breaks at byte 12 of the 20 behind the id of its schema, at -Infinity, which is not valid JSON',
  ],
  ['NaN', 'is not JSON: it breaks at byte 1 of the 3 behind the id of its schema, at NaN, which is not valid JSON'],
  [Buffer.from([0x22, 0xff, 0x22]), 'is not valid UTF-8'],
])('is no JSON: %j', (payload, problem) => {
  expect(decode(payload)).toEqual({ problem })
})

it('is read where all of the value is the payload', () => {
  if ('problem' in made) throw new Error(made.problem)
  expect(asText(made.decode(Buffer.from('{}'), 0, Buffer.alloc(0)))).toEqual({ json: '{}' })
})

it('looks at nothing beyond its bytes', () => {
  if ('problem' in made) throw new Error(made.problem)
  const larger = Buffer.from('     12345')
  expect(asText(made.decode(larger.subarray(0, 8), 5, undefined))).toEqual({ json: '123' })
})

it('takes what JSON.parse takes, and nothing else', () => {
  const text = fc.oneof(
    fc.json(),
    fc.string(),
    fc.json().map((json) => json.slice(0, -1)),
  )
  fc.assert(
    fc.property(text, (text) => {
      const decoded = decode(text)
      if ('json' in decoded) expect([decoded.json, isJson(text)]).toEqual([text, true])
      else expect(isJson(text)).toBe(false)
    }),
  )
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return text.isWellFormed()
  } catch {
    return false
  }
}
