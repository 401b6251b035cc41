// Lines of dead letters hold their record byte for byte, and lines that are none are told.

import { assert, nat, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromLine, isCutOffLetter, toLine } from './dead-letter-line.ts'
import { anyLetter, letterOf } from './testing/letters.ts'

const AT = '2024-11-21T20:50:22.222Z'

describe('a line of a dead letter', () => {
  it('is JSON with base64', () => {
    const letter = letterOf({
      key: null,
      headers: [
        ['h', null],
        ['h', Buffer.of(0xff)],
      ],
      superseded: 2,
      supersededAt: [{ topic: 'orders', partition: 3, offset: 9_007_199_254_740_992n }],
    })
    expect(toLine(letter, AT).toString()).toBe(
      '{"topic":"orders","partition":3,"offset":"9007199254740993","timestamp":"1732222222222","reason":"refused",' +
        '"error":"amount is too large","superseded":2,' +
        '"superseded_at":[{"topic":"orders","partition":3,"offset":"9007199254740992"}],"rejected_at":"2024-11-21T20:50:22.222Z","key":null,' +
        '"value":"eyJpZCI6MX0=","headers":[["h",null],["h","/w=="]]}',
    )
  })

  it('gives back any record as it was, is one line, and cut off is told', () => {
    assert(
      property(anyLetter, nat(), (letter, cut) => {
        const line = toLine(letter, AT)
        expect(line.indexOf('\n')).toBe(-1)
        expect(fromLine(line)).toEqual(letter)
        expect(isCutOffLetter(line)).toBe(false)
        expect(fromLine(line.subarray(0, cut % line.length))).toHaveProperty('problem')
      }),
    )
  })

  const line = (members: object): Buffer =>
    Buffer.from(JSON.stringify({ ...JSON.parse(toLine(letterOf({}), AT).toString()), ...members }))

  it.each([
    [{ offset: 12 }, 'its member offset is not what it should be'],
    [{ offset: '-1' }, 'its member offset is not what it should be'],
    [{ topic: '' }, 'its member topic is not what it should be'],
    [{ partition: 1.5 }, 'its member partition is not what it should be'],
    [{ value: 'e' }, 'its member value is no base64'],
    [{ value: undefined }, 'its member value is no base64'],
    [{ key: 'eyJ pZCI6MX0=' }, 'its member key is no base64'],
    [{ superseded_at: 7 }, 'its member superseded_at is not what it should be'],
    [{ superseded_at: [null] }, 'its member superseded_at is not what it should be'],
    [{ headers: {} }, 'its headers are no array'],
    [{ headers: [null] }, 'one of its headers is no pair'],
    [{ headers: [['h', 7]] }, 'its member headers is no base64'],
  ])('is not what has %j', (members, problem) => {
    expect(fromLine(line(members))).toEqual({ problem })
  })

  it.each(['', '7', 'null', '[]x', '{"topic":"orders"'])('is not %j', (text) => {
    expect(fromLine(Buffer.from(text))).toEqual({ problem: 'it is no JSON object' })
  })

  it.each([
    ['{"topic":"orders","parti', true],
    ['{"to', true],
    ['{"topic":"orders"} \r', false],
    ['{"Topic":"orders"', false],
    ['garbage', false],
  ])('was %j cut off: %s', (text, cutOff) => {
    expect(isCutOffLetter(Buffer.from(text))).toBe(cutOff)
  })

  it('may have more members', () => {
    expect(fromLine(line({ note: 'looked at' }))).toEqual(letterOf({}))
  })
})
