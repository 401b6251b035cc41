import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Scanner } from '../../json/scanner.ts'
import { RecordData } from '../../json/record-data.ts'
import { readObject } from './read-object.ts'
import { unavailableColumns } from './unavailable-columns.ts'

const P = '__debezium_unavailable_value'

function found(json: string, placeholder = P): string[] {
  const row = new RecordData()
  const bytes = Buffer.from(json)
  expect(readObject(new Scanner(1), bytes, row)).toBe(undefined)
  const slots: number[] = []
  unavailableColumns(placeholder).find(row, slots)
  return slots.map((slot) => bytes.toString('utf8', row.members[slot], row.members[slot + 1]))
}

const bytesOf = [...Buffer.from(P)]
const one = (byte: number): string => Buffer.from([byte]).toString('base64')

describe('a column without value', () => {
  it.each<[string, unknown]>([
    ['a text', P],
    ['bytes', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='],
    ['bytes in hexadecimal', Buffer.from(P).toString('hex')],
    ['hstore as a map', { [P]: P }],
    ['hstore as JSON', JSON.stringify({ [P]: P })],
    ['an array of texts', [P]],
    ['an array of bytes', [Buffer.from(P).toString('base64')]],
    ['an array of integers', bytesOf],
    ['an array of decimals', bytesOf.map(one)],
    ['an array of decimals of any scale', bytesOf.map((byte) => ({ scale: 0, value: one(byte) }))],
    ['an array of decimals as texts', bytesOf.map(String)],
    ['an array deep down', [[{ a: [P] }]]],
    ['a geometry', { wkb: 'AQEAACDmEAAAAAAA/IPXl8EAAAD8g9eXwQ==', srid: 4326 }],
    ['a geography', { wkb: 'AQEAACDmEAAADCHn/f9/ZkAYQs77/39WQA==', srid: 4326 }],
  ])('is %s', (_what, value) => {
    expect(found(JSON.stringify({ id: 1, body: value, more: 'x' }))).toEqual(['body'])
  })

  const uuidOf = (of: string | Buffer): string => {
    const hex = createHash('md5').update(of).digest()
    hex[6] = (hex[6]! & 0x0f) | 0x30
    hex[8] = (hex[8]! & 0x3f) | 0x80
    return hex.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }

  it('is an array of UUIDs', () => {
    expect(found(JSON.stringify({ ids: [uuidOf(P)] }))).toEqual(['ids'])
  })

  it("is what a user's own placeholder makes of each type, given as text or as bytes, and none of another placeholder", () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((own) => !own.startsWith('hex:'))
    const own = fc.oneof(text, fc.constantFrom('"', '\\', 'é\n', 'NULL', '\u0000'))
    fc.assert(
      fc.property(own, fc.boolean(), (chosen, asBytes) => {
        const bytes = Buffer.from(chosen)
        const signed = [...new Int8Array(bytes)]
        const forms: Record<string, unknown> = {
          text: chosen,
          base64: bytes.toString('base64'),
          hex: bytes.toString('hex'),
          map: { [chosen]: chosen },
          hstore: JSON.stringify({ [chosen]: chosen }),
          texts: [chosen],
          uuids: [uuidOf(bytes)],
          integers: signed,
          decimals: signed.map(one),
          deep: [{ a: [chosen] }],
          geometry: { wkb: 'AQEAACDmEAAAAAAA/IPXl8EAAAD8g9eXwQ==', srid: 4326 },
        }
        const others = { more: `${chosen}!`, less: 1, none: null }
        const json = JSON.stringify({ ...forms, ...others })
        expect(found(json, asBytes ? `hex:${bytes.toString('hex')}` : chosen)).toEqual(Object.keys(forms))
        expect(found(JSON.stringify({ a: P, b: [P] }), chosen)).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    [`{"a":[${bytesOf.map((byte) => `${byte}.0`).join(',')}]}`, ['a']],
    [`{"a":"${P}","b":[ "${P}" ],"c":"x"}`, ['a', 'b']],
    [String.raw`{"a":"\u005f_debezium_unavailable_value"}`, ['a']],
    [`{"a":"${bytesOf.map((byte) => String.raw`\u${byte.toString(16).padStart(4, '0')}`).join('')}"}`, ['a']],
  ])('may be spelt %s', (json, columns) => {
    expect(found(json)).toEqual(columns)
  })

  it('may be spelt in escapes alone, also in the form that is longest when few of its bytes are a character each', () => {
    const own = 'é'.repeat(10)
    const escaped = Buffer.from(own)
      .toString('hex')
      .replaceAll(/./g, (digit) => `\\u00${digit.charCodeAt(0).toString(16)}`)
    expect(found(`{"a":"${escaped}"}`, own)).toEqual(['a'])
  })

  it.each([
    '{}',
    `{"${P}":1}`,
    `{"a":"${P} ","b":" ${P}","c":"${P.toUpperCase()}"}`,
    String.raw`{"a":["x\"__debezium_unavailable_value"],"b":"\"__debezium_unavailable_value\""}`,
    '{"a":"X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1Zg=="}',
    '{"a":{"wkb":"AQEAACDmEAAAAAAA/IPXl8EAAAD8g9eXwg==","srid":4326},"b":{}}',
    `{"a":[${bytesOf.slice(1).join(',')}],"b":null,"c":true,"d":5}`,
  ])('is none of %s', (json) => {
    expect(found(json)).toEqual([])
  })
})
