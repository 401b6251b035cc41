import { describe, expect, it } from 'vitest'
import { Scanner } from '../../json/scanner.ts'
import { RecordData } from '../../json/record-data.ts'
import { readObject } from './read-object.ts'

const OF_REGISTRY =
  'it begins like the output of a serialiser of a schema registry: set value_encoding (of a key: key_encoding) to registry'

function read(bytes: Buffer | string): string | { from: number; to: number; count: number; tooDeep: boolean } {
  const object = new RecordData()
  const reason = readObject(new Scanner(1), Buffer.from(bytes), object)
  const { from, to, count, tooDeep } = object
  return reason ?? { from, to, count, tooDeep }
}

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

describe('an object', () => {
  it.each([
    ['{}', { from: 0, to: 2, count: 0, tooDeep: false }],
    ['\uFEFF{"a":1}', { from: 3, to: 10, count: 1, tooDeep: false }],
    [' \r\n\t{"a":1,"b":[]}\n ', { from: 4, to: 18, count: 2, tooDeep: false }],
    [nested(1024), { from: 0, to: 6145, count: 1, tooDeep: false }],
    [nested(1025), { from: 0, to: 6151, count: 1, tooDeep: true }],
  ])('is found in %s', (text, place) => {
    expect(read(text)).toEqual(place)
  })

  it.each([
    ['', 'is empty'],
    [' \n', 'is blank'],
    ['\uFEFF', 'is blank'],
    ['[]', 'is JSON but not an object'],
    ['null', 'is JSON but not an object'],
    [' 5 ', 'is JSON but not an object'],
    ['{"a":1', 'is not JSON: it stops after 6 bytes'],
    ['{"a":1}}', 'is not JSON: it breaks at byte 8 of 8'],
    ['{"secret":-Infinity}', 'is not JSON: it breaks at byte 12 of 20, at -Infinity, which is not valid JSON'],
    ['\uFEFF\uFEFF{}', 'is not JSON: it breaks at byte 4 of 8'],
    [Buffer.from([0, 0, 0, 0]), 'is not JSON: it breaks at byte 1 of 4'],
    [Buffer.from([0, 0, 0, 0, 1, 2]), `is not JSON: it breaks at byte 1 of 6; ${OF_REGISTRY}`],
    [Buffer.from([0, 0, 0, 0, 1, 0xff]), `is not valid UTF-8; ${OF_REGISTRY}`],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'is not valid UTF-8'],
    [Buffer.from('{"a":"\uD800"}', 'utf16le'), 'is not valid UTF-8'],
  ])('is none: %s', (bytes, reason) => {
    expect(read(bytes)).toBe(reason)
  })

  it('inside another has its members behind the other’s', () => {
    const scanner = new Scanner(1)
    const bytes = Buffer.from('{"a":{"b":1,"c":2},"d":3}')
    const outer = new RecordData()
    readObject(scanner, bytes, outer)
    const inner = new RecordData()
    inner.locate(scanner, bytes, 5, 18, outer.count)
    expect([inner.first, inner.count, inner.from, inner.to]).toEqual([2, 2, 5, 18])
    const names = Array.from({ length: 4 }, (_, index) => bytes[inner.members[4 * index]!])
    expect(String.fromCharCode(...names.map((byte) => byte!))).toBe('adbc')
  })
})

it('lets a table go that an enormous record needed', () => {
  const scanner = new Scanner(1)
  const many = Buffer.from(`{${Array.from({ length: 300_000 }, () => '"":0').join(',')}}`)
  const object = new RecordData()
  readObject(scanner, many, object)
  expect(object.count).toBe(300_000)
  readObject(scanner, Buffer.from('{"a":1}'), object)
  expect(object.count).toBe(1)
  expect(scanner.members.length).toBe(1 << 20)
})
