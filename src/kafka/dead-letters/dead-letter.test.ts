// Dead letters hold their record byte for byte, whatever its headers are called.

import { assert, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromMessage, toMessage } from './dead-letter.ts'
import type { DeadLetter, LetterMessage } from './dead-letter.ts'
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

  it('says how many older versions it stood for', () => {
    expect(headerTexts(toMessage(letterOf({ superseded: 2 }))).at(-1)).toEqual(['dlq.superseded', '2'])
  })

  it('says where the newest of them were read', () => {
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

  it('of a dead letter comes apart one by one', () => {
    const first = letterOf({ superseded: 1 })
    const outer = (inner: DeadLetter): DeadLetter =>
      letterOf({ ...inner.record, headers: toMessage(inner).headers }, { topic: 'letters', partition: 0 })
    const third = outer(outer(first))
    const second = fromMessage(toMessage(third)) as DeadLetter
    expect(second).toEqual(third)
    expect(fromMessage(second.record)).toEqual(outer(first))
    expect(fromMessage((fromMessage(second.record) as DeadLetter).record)).toEqual(first)
  })

  it('gives back any record as it was', () => {
    assert(
      property(anyLetter, (letter) => {
        expect(fromMessage(toMessage(letter))).toEqual(letter)
      }),
    )
  })

  it('gives back any record also through a client that groups headers by name', () => {
    assert(
      property(anyLetter, (letter) => {
        const message = toMessage(letter)
        const back = fromMessage({ ...message, headers: grouped(message.headers) }) as DeadLetter
        expect(back).toEqual({ ...letter, record: { ...letter.record, headers: grouped(letter.record.headers) } })
      }),
    )
  })

  it.each([
    ['dlq.topic', undefined, 'it has no header dlq.topic'],
    ['dlq.partition', Buffer.from('-1'), 'its header dlq.partition is no number of that kind'],
    ['dlq.offset', Buffer.from('1e3'), 'its header dlq.offset is no number of that kind'],
    ['dlq.timestamp', Buffer.from(''), 'its header dlq.timestamp is no number of that kind'],
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
