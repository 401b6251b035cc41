// The scanner against JSON.parse on mutated texts.

import { isUtf8 } from 'node:buffer'
import { expect, test } from 'vitest'
import { Scanner } from './scanner.ts'

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

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

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
    const expected = parses(text)
    const isObject = expected && text.trimStart().startsWith('{')
    if (expected) valid++
    if (accepts(bytes) !== expected || walks(bytes) !== isObject || tables(bytes) !== isObject) wrong.push(text)
  }
  expect(wrong).toEqual([])
  expect(valid).toBeGreaterThan(10_000)
})
