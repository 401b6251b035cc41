import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { memberOf, shownRow, type ShownRow } from './row-fields.ts'

function shown(bytes: Buffer): ShownRow {
  return shownRow({ bytes, writtenAt: undefined }, 1)
}

it('shows the fields in their order, numbers as they are written, and strings as what they stand for', () => {
  const row = Buffer.from(
    String.raw`{"keys":["id"], "id" : 12345678901234567890, "price":1.10,"name":"a\u0000\n\"é😀","o":{ "a" : 1 },"t":true,"n":null,"":"","na\tme":[],"id":2}`,
  )
  const { n, bytes, written_at, fields, count } = shownRow({ bytes: row, writtenAt: 8 }, 5)
  expect([n, bytes, written_at, count]).toEqual([5, row.length, 8, 10])
  expect(fields).toEqual([
    { name: 'keys', kind: 'array', text: '["id"]' },
    { name: 'id', kind: 'number', text: '12345678901234567890' },
    { name: 'price', kind: 'number', text: '1.10' },
    { name: 'name', kind: 'string', text: 'a\u0000\n"é😀' },
    { name: 'o', kind: 'object', text: '{ "a" : 1 }' },
    { name: 't', kind: 'boolean', text: 'true' },
    { name: 'n', kind: 'null', text: 'null' },
    { name: '', kind: 'string', text: '' },
    { name: 'na\tme', kind: 'array', text: '[]' },
    { name: 'id', kind: 'number', text: '2' },
  ])
  expect(Buffer.from(memberOf(row, 3)!).toString()).toBe(String.raw`"a\u0000\n\"é😀"`)
  expect(memberOf(row, 10)).toBeUndefined()
})

it('cuts what is long at whole characters and whole escapes', () => {
  const piece = fc.constantFrom(
    'a',
    'é',
    '漢',
    '😀',
    String.raw`\n`,
    String.raw`\\`,
    String.raw`\u00e9`,
    String.raw`\ud83d\ude00`,
  )
  fc.assert(
    fc.property(fc.array(piece, { minLength: 380, maxLength: 460 }), fc.boolean(), (pieces, isText) => {
      const value = isText ? `"${pieces.join('')}"` : JSON.stringify([pieces.join('')])
      const { fields } = shown(Buffer.from(`{"v":${value}}`))
      const { text, cut } = fields[0]!
      const whole = isText ? (JSON.parse(value) as string) : value
      if (cut === undefined) expect(text).toBe(whole)
      else {
        expect(cut).toBe(Buffer.byteLength(value) - (isText ? 2 : 0))
        expect(whole.startsWith(text)).toBe(true)
        expect(Buffer.byteLength(value.slice(0, isText ? text.length : undefined))).toBeGreaterThan(50)
        expect(text).not.toContain('\ufffd')
      }
    }),
  )
})

it('shows 500 fields, whole names, and nothing of what is too large', () => {
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`f${index}${'x'.repeat(900)}`, index]))
  const { fields, count } = shown(Buffer.from(JSON.stringify(many)))
  expect([fields.length, count]).toEqual([500, 600])
  expect(fields[499]!.name).toBe(`f499${'x'.repeat(900)}`)
  const large = Buffer.from(`{"v":"${'x'.repeat(5 * 1024 * 1024)}"}`)
  expect(shown(large)).toEqual({ n: 1, bytes: large.length, written_at: null, fields: [], count: 0 })
  expect(shown(Buffer.from('{}'))).toEqual({ n: 1, bytes: 2, written_at: null, fields: [], count: 0 })
})
