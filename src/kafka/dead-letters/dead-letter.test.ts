// Dead letters hold their record byte for byte, whatever its headers are called.

import { assert, property, nat } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromMessage, toMessage, type DeadLetter, type LetterMessage } from './dead-letter.ts'
import { fromLine, isCutOffLetter, toLine } from './letter-line.ts'
import { anyLetter, letterOf } from './testing/letters.ts'
import type { KafkaHeader } from '../types.ts'

function headerTexts({ headers }: LetterMessage): (readonly [string, string | undefined])[] {
  return headers.map(([name, value]) => [name, value?.toString()])
}

/** As a client tells headers that groups them by name. */
function grouped(headers: readonly KafkaHeader[]): KafkaHeader[] {
  const values = new Map<string, (Buffer | null)[]>()
  for (const [name, value] of headers) values.set(name, [...(values.get(name) ?? []), value])
  return [...values].flatMap(([name, all]) => all.map((value): KafkaHeader => [name, value]))
}

describe('a dead letter', () => {
  it('is the record with its origin and the reason in headers behind its own', () => {
    const message = toMessage(letterOf({ headers: [['trace', Buffer.from('a')]] }))
    expect([message.key?.toString(), message.value?.toString()]).toEqual(['k', '{"id":1}'])
    expect(headerTexts(message)).toEqual([
      ['trace', 'a'],
      ['dlq.reason', 'refused'],
      ['dlq.error', 'amount is too large'],
      ['dlq.topic', 'orders'],
      ['dlq.partition', '3'],
      ['dlq.offset', '9007199254740993'],
      ['dlq.timestamp', '1732222222222'],
    ])
  })

  it('says how many older versions it stood for, and where the newest of them were read', () => {
    const supersededAt = [
      { topic: 'orders', partition: 3, offset: 9_007_199_254_740_992n },
      { topic: 'more', partition: 0, offset: 7n },
    ]
    const texts = headerTexts(toMessage(letterOf({ superseded: 2, supersededAt })))
    expect(texts.slice(-2)).toEqual([
      ['dlq.superseded', '2'],
      [
        'dlq.superseded_at',
        '[{"topic":"orders","partition":3,"offset":"9007199254740992"},{"topic":"more","partition":0,"offset":"7"}]',
      ],
    ])
  })

  it('leaves a header of such a name as it is, and takes another name for its own', () => {
    const letter = letterOf({
      headers: [
        ['dlq.topic', null],
        ['dlq.topic', Buffer.from('mine')],
        ['dlq.offset_', null],
      ],
    })
    const texts = headerTexts(toMessage(letter))
    expect(texts.slice(0, 3)).toEqual([
      ['dlq.topic', undefined],
      ['dlq.topic', 'mine'],
      ['dlq.offset_', undefined],
    ])
    expect(texts.slice(3).map(([name]) => name)).toEqual([
      'dlq.reason',
      'dlq.error',
      'dlq.topic_',
      'dlq.partition',
      'dlq.offset__',
      'dlq.timestamp',
    ])
    expect(fromMessage(toMessage(letter))).toEqual(letter)
  })

  it('gives back any record as it was, also through a client that groups headers by name', () => {
    assert(
      property(anyLetter, (letter) => {
        const message = toMessage(letter)
        expect(fromMessage(message)).toEqual(letter)
        const back = fromMessage({ ...message, headers: grouped(message.headers) }) as DeadLetter
        expect(back).toEqual({ ...letter, record: { ...letter.record, headers: grouped(letter.record.headers) } })
      }),
    )
  })

  it.each([
    ['dlq.topic', undefined, 'it has no header dlq.topic'],
    ['dlq.partition', Buffer.from('-1'), 'its header dlq.partition is not a number of that kind'],
    ['dlq.offset', Buffer.from('1e3'), 'its header dlq.offset is not a number of that kind'],
    ['dlq.timestamp', Buffer.from(''), 'its header dlq.timestamp is not a number of that kind'],
    ['dlq.error', null, 'its header dlq.error has no value, or several'],
  ])('is not what has %s wrong', (name, value, problem) => {
    const { headers, ...rest } = toMessage(letterOf({}))
    const others = headers.filter(([other]) => other !== name)
    const wrong = value === undefined ? others : [...others, [name, value] as const]
    expect(fromMessage({ ...rest, headers: wrong })).toEqual({ problem })
  })

  it('is not what has one of our headers twice', () => {
    const message = toMessage(letterOf({}))
    const twice = { ...message, headers: [...message.headers, ['dlq.topic', Buffer.from('other')] as const] }
    expect(fromMessage(twice)).toEqual({ problem: 'its header dlq.topic has no value, or several' })
  })
})

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
    [{ value: 'e' }, 'its member value is not base64'],
    [{ value: undefined }, 'its member value is not base64'],
    [{ key: 'eyJ pZCI6MX0=' }, 'its member key is not base64'],
    [{ superseded_at: 7 }, 'its member superseded_at is not what it should be'],
    [{ superseded_at: [null] }, 'its member superseded_at is not what it should be'],
    [{ headers: {} }, 'its headers are not an array'],
    [{ headers: [null] }, 'one of its headers is not a pair'],
    [{ headers: [['h', 7]] }, 'its member headers is not base64'],
  ])('is not what has %j', (members, problem) => {
    expect(fromLine(line(members))).toEqual({ problem })
  })

  it.each(['', '7', 'null', '[]x', '{"topic":"orders"'])('is not %j', (text) => {
    expect(fromLine(Buffer.from(text))).toEqual({ problem: 'it is not a JSON object' })
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
