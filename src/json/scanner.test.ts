import { isUtf8 } from 'node:buffer'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Scanner, STRIDE } from './scanner.ts'
import { decodeString } from './strings.ts'
import { isJson } from './testing/is-json.ts'

const scanner = new Scanner(1)

function accepts(bytes: Uint8Array, from = 0, to = bytes.length): boolean {
  scanner.start(bytes, from, to)
  scanner.skip()
  const whole = scanner.finish()
  if (!whole && !(scanner.failedAt >= from && scanner.failedAt <= to))
    throw new Error(`fault outside the text: ${scanner.failedAt}`)
  return whole
}

function walks(bytes: Uint8Array): boolean {
  scanner.start(bytes, 0, bytes.length)
  for (let more = scanner.open(); more; more = scanner.next()) scanner.skip()
  return scanner.finish()
}

function tables(bytes: Uint8Array): boolean {
  scanner.start(bytes, 0, bytes.length)
  scanner.table()
  return scanner.finish()
}

/** Texts between bars, as they stand. */
const LEGAL = [
  ...String.raw`0|-0|-0.0e-0|10|1.5|1E5|1e+5|1e400|12345678901234567890.123|""|"a"|"\u0000"|"\ud800"|"\udc00\ud800"`.split(
    '|',
  ),
  ...String.raw`"\"\\\/\b\f\n\r\t\uAbCd"|"日本 😀"|true|false|null|[]|{}|[[]]|[{}]|{"":{}}|{"a":1,"a":2}`.split('|'),
  ...String.raw`{ "a" : [ { "b" : null } , true ] }|{"__proto__":1}`.split('|'),
  '"\u2028\u2029\u0085\u007f"',
  ' \t\r\n[ 1 , 2 ] ',
]
const ILLEGAL = [
  ...String.raw`| |01|-|-a|+1|.5|1.|1.e5|1e|1e+|0x1|1_0|--1|NaN|Infinity|-Infinity|nul|nulll|True|tru|undefined`.split(
    '|',
  ),
  ...String.raw`"|"a|a"|'a'|"\x41"|"\u12"|"\u12G4"|"\|"\"|[|]|[1|[1,|[1,]|[,1]|[1 2]|[1}|{|}|{"a"|{"a":|{"a":1|{"a":1,`.split(
    '|',
  ),
  ...String.raw`{"a":1,}|{,}|{a:1}|{1:1}|{"a" 1}|{"a":1]|{"a":1 "b":2}|{"a"::1}|[1]]|{}{}|1 2|/**/1|[1]//|{"a":tru}`.split(
    '|',
  ),
  ...String.raw`{"a":[}|[{"a":1},{"b":}]|[[[]]|{"a":{"b":[1,{}]}`.split('|'),
  ...'"\t"|"\n"|"\u0000"|"\u001f"|\ufeff1|[\ufeff]|{"a":\ufeff1}|\u00a01|[1,\u20282]|\f1|\v1'.split('|'),
]

test.each(LEGAL)('takes %j', (text) => {
  expect(isJson(text)).toBe(true)
  expect(accepts(Buffer.from(text))).toBe(true)
})

test.each(ILLEGAL)('refuses %j', (text) => {
  expect(isJson(text)).toBe(false)
  expect(accepts(Buffer.from(text))).toBe(false)
  expect(accepts(Buffer.from(`[0,${text}`))).toBe(isJson(`[0,${text}`))
})

test('the same in the middle of a buffer: neither more nor less than the region is read', () => {
  for (const around of ['1', '"', '}', ']', ',', 'e', '\n', ' ', '\\']) {
    for (const text of [...LEGAL, ...ILLEGAL]) {
      const bytes = Buffer.from(text)
      const within = Buffer.concat([Buffer.from(around), bytes, Buffer.from(around.repeat(5))])
      expect(accepts(within, 1, 1 + bytes.length), JSON.stringify([around, text])).toBe(isJson(text))
    }
  }
})

test('a text that goes on behind its LF is not whole', () => {
  const bytes = Buffer.from('{"a":1,\n"b":2}\n')
  expect(accepts(bytes, 0, 7)).toBe(false)
  expect(scanner.failedAt).toBe(7)
  expect(accepts(bytes, 0, 14)).toBe(true)
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

const member = fc.tuple(
  fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'a', '\\', '"', 'é')),
  fc.jsonValue(),
)
const space = fc.constantFrom('', '', ' ', '\t\r\n ')

test('tables every member, duplicates too, in order, with its exact range, names escaped or not', () => {
  fc.assert(
    fc.property(fc.array(member, { maxLength: 12 }), space, fc.boolean(), fc.nat(3), (members, gap, escape, kept) => {
      const spelt = members.map(([name, value]) => {
        const plain = JSON.stringify(name)
        // an "a" within an escape such as \u001a stays
        const text = escape ? plain.replaceAll(/\\u[0-9a-f]{4}|a/g, (part) => (part === 'a' ? '\\u0061' : part)) : plain
        return { name, text, value: JSON.stringify(value) }
      })
      const json = `${gap}{${spelt.map((each) => `${gap}${each.text}${gap}:${gap}${each.value}${gap}`).join(',')}${gap}}${gap}`
      const bytes = Buffer.from(json)
      const scanner = new Scanner(1)
      scanner.start(bytes, 0, bytes.length)
      scanner.count = kept
      scanner.members = new Int32Array(kept * STRIDE + STRIDE)
      const from = scanner.at
      expect(scanner.table() && scanner.finish()).toBe(true)
      expect(bytes.toString('utf8', from, scanner.at).trim()).toBe(json.trim())
      const found = Array.from({ length: scanner.count - kept }, (_, i) => {
        const [nameFrom, nameTo, valueFrom, valueTo] = scanner.members.subarray(
          (kept + i) * STRIDE,
          (kept + i + 1) * STRIDE,
        )
        const raw = nameFrom! < 0 ? ~nameFrom! : nameFrom!
        expect(nameFrom! < 0).toBe(bytes.subarray(raw, nameTo).includes(0x5c))
        return {
          name: decodeString(bytes, raw, nameTo!),
          text: bytes.toString('utf8', raw - 1, nameTo! + 1),
          value: bytes.toString('utf8', valueFrom, valueTo),
        }
      })
      expect(found).toEqual(spelt)
      expect(scanner.depth).toBe(1 + Math.max(0, ...members.map(([, value]) => depthOf(value))))
    }),
    { numRuns: 2000 },
  )
})

test('walks objects inside objects and sees names and places', () => {
  const bytes = Buffer.from('{"a":{"b":1,"\\u0063":{}},"d":[{"e":1}]}')
  const scanner = new Scanner()
  const seen: string[] = []
  scanner.start(bytes, 0, bytes.length)
  for (let more = scanner.open(); more; more = scanner.next()) {
    seen.push(bytes.toString('utf8', scanner.nameFrom, scanner.nameTo))
    if (bytes[scanner.at] !== 0x7b) scanner.skip()
    else
      for (let inner = scanner.open(); inner; inner = scanner.next()) {
        const from = scanner.at
        seen.push(decodeString(bytes, scanner.nameFrom < 0 ? ~scanner.nameFrom : scanner.nameFrom, scanner.nameTo))
        scanner.skip()
        seen.push(bytes.toString('utf8', from, scanner.at))
      }
  }
  expect(scanner.finish()).toBe(true)
  expect(seen).toEqual(['a', 'b', '1', 'c', '{}', 'd'])
})

test('neither open nor table takes anything but an object, and nothing goes on after a fault', () => {
  for (const text of ['1', '[]', '"a"', '']) {
    const bytes = Buffer.from(text)
    scanner.start(bytes, 0, bytes.length)
    expect([
      scanner.open(),
      scanner.next(),
      scanner.skip(),
      scanner.table(),
      scanner.finish(),
      scanner.failedAt,
    ]).toEqual([false, false, false, false, false, 0])
    scanner.start(bytes, 0, bytes.length)
    expect([scanner.table(), scanner.failedAt]).toEqual([false, 0])
  }
})

test('says where a text breaks', () => {
  for (const [text, at] of [
    ['{"a":NaN}', 5],
    ['{"a":-Infinity}', 6],
    ['[1,]', 3],
    ['{"a":1', 6],
    ['"ab', 3],
    ['{} x', 3],
    ['[1}', 2],
  ] as const) {
    accepts(Buffer.from(text))
    expect(scanner.failedAt, text).toBe(at)
  }
})

test('a million levels cost no stack; depth is counted', () => {
  const levels = 1_000_000
  expect(accepts(Buffer.from('[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2)))).toBe(true)
  expect(scanner.depth).toBe(levels)
  expect(accepts(Buffer.from('['.repeat(levels)))).toBe(false)
  expect(scanner.failedAt).toBe(levels)
  expect(accepts(Buffer.from('['.repeat(levels) + ']'.repeat(levels - 1) + '}'))).toBe(false)
  expect(tables(Buffer.from(`{"a":[],"b":${'{"c":'.repeat(levels)}0${'}'.repeat(levels)},"d":[[]]}`))).toBe(true)
  expect(scanner.depth).toBe(levels + 1)
})

test('of more members than wanted the table has not all, and the count says so', () => {
  const bytes = Buffer.from(`{${'"a":1,'.repeat(2000)}"b":2}`)
  const small = new Scanner(16, 100)
  for (const first of [0, 3, 120]) {
    small.start(bytes, 0, bytes.length)
    small.count = first
    expect([small.table(), small.finish()]).toEqual([true, true])
    expect(small.count - first).toBeGreaterThan(100)
    expect(small.count * STRIDE).toBeLessThanOrEqual(small.members.length)
    expect(small.members.length).toBeLessThanOrEqual(512 * STRIDE)
    const fits = Buffer.from(`{${'"a":1,'.repeat(99)}"b":2}`)
    small.start(fits, 0, fits.length)
    small.count = first
    expect([small.table(), small.count - first]).toEqual([true, 100])
    expect(small.members[(first + 99) * STRIDE]).toBe(fits.length - 5)
  }
})

const SEEDS = [
  '{"type":"RECORD","record":{"stream":"users","namespace":null,"data":{"id":1,"n":"Zo\\u00eb\\n","f":-1.5e+3,"ok":true,"l":[1,{"a":[]},null]},"emitted_at":1730000000000}}',
  '{ "type" : "STATE" , "state" : { "type" : "GLOBAL" , "global" : { "stream_states" : [ ] } , "id" : 7 } }',
  '[0,-0,1.0,1e5,"",{},[],[[]],{"":""},true,false,null,"日本 😀 ü","\\ud83d\\ude00\\\\"]',
]
const SPARE = Buffer.from('{}[]",:\\/bfnrtu0123456789-+.eEdDaAxX \t\r\n\u0000\u001f\u007fNnIi')

test('agrees with JSON.parse on 240,000 mutated texts, walked, tabled and skipped', () => {
  let state = 20240501
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const seeds = SEEDS.map((text) => Buffer.from(text))
  let valid = 0
  const wrong: string[] = []
  for (let round = 0; round < 240_000; round++) {
    let bytes = Buffer.from(seeds[round % seeds.length]!)
    for (let edits = 1 + random(2); edits > 0; edits--) {
      const at = random(bytes.length)
      const byte = random(20) === 0 ? random(256) : SPARE[random(SPARE.length)]!
      const kind = random(4)
      if (kind === 0) bytes[at] = byte
      else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(3))])
      else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, at), Buffer.of(byte), bytes.subarray(at)])
      else bytes = bytes.subarray(0, at)
      if (bytes.length === 0) break
    }
    // What isn't UTF-8 is not the scanner's to find.
    if (!isUtf8(bytes)) continue
    const text = bytes.toString()
    const expected = isJson(text)
    const isObject = expected && text.trimStart().startsWith('{')
    if (expected) valid++
    if (accepts(bytes) !== expected || walks(bytes) !== isObject || tables(bytes) !== isObject) wrong.push(text)
  }
  expect(wrong).toEqual([])
  expect(valid).toBeGreaterThan(10_000)
})
