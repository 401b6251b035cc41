// Rows of several topics in one table: two keys are equal when they name the same fields with equal values, whatever the order.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import { exactOf, fenceOf } from '../../core/key.ts'
import type { Key } from '../../core/types.ts'
import { recordOf, topicOf, type MadeOf } from '../source/testing/topics.ts'
import { topicShared } from './topic-tables.ts'

const value = (...names: string[]): TopicConfig['keys'] => ({ from: 'value', paths: names.map((name) => [name]) })
const KAFKA_KEY: TopicConfig['keys'] = { from: 'key', field: undefined }
const SHARED = { sharedTable: true, tombstones: 'mark' } as const

function keyOf(made: MadeOf): Key {
  if (!('point' in made)) throw new Error(JSON.stringify(made))
  return made.key
}

describe('topics of one table', () => {
  it('have the same keys where they list the same fields in another order', () => {
    const shared = topicShared('')
    const a = topicOf({ ...SHARED, keys: value('src', 'dst') }, shared, 'a')
    const b = topicOf({ ...SHARED, keys: value('dst', 'src') }, shared, 'b')
    const c = topicOf({ ...SHARED, keys: KAFKA_KEY }, shared, 'c')
    const oneToTwo = '{"src":1,"dst":2}'
    const key = keyOf(a.map(recordOf(oneToTwo)))
    expect(keyOf(b.map(recordOf(oneToTwo)))).toEqual(key)
    expect(keyOf(b.map(recordOf('{"dst":2,"src":1}')))).toEqual(key)
    expect(keyOf(b.map(recordOf(null, oneToTwo)))).toEqual(key)
    expect(keyOf(c.map(recordOf('{}', oneToTwo)))).toEqual(key)
    expect(keyOf(c.map(recordOf('{}', '{"dst":2,"src":1}')))).toEqual(key)
    expect(keyOf(c.map(recordOf(null, '{"dst":2,"src":1}')))).toEqual(key)
    const twoToOne = '{"src":2,"dst":1}'
    for (const { map } of [a, b]) expect(keyOf(map(recordOf(twoToOne)))).not.toEqual(key)
    expect(keyOf(c.map(recordOf('{}', twoToOne)))).not.toEqual(key)
  })

  it('name the fields of a point in the order they were given', () => {
    const shared = topicShared('')
    const keysOf = (keys: TopicConfig['keys'], name: string, kafkaKey: string | null): unknown => {
      const made = topicOf({ ...SHARED, keys }, shared, name).map(recordOf('{"src":1,"dst":2}', kafkaKey))
      return 'point' in made && (JSON.parse(made.point) as { keys: unknown }).keys
    }
    expect(keysOf(value('src', 'dst'), 'a', null)).toEqual(['src', 'dst'])
    expect(keysOf(value('dst', 'src'), 'b', null)).toEqual(['dst', 'src'])
    expect(keysOf(KAFKA_KEY, 'c', '{"src":1,"dst":2}')).toEqual(['src', 'dst'])
  })
})

it('a Kafka key has one text, though its fields were seen in another order long ago', () => {
  const { map } = topicOf({ keys: KAFKA_KEY })
  const before = keyOf(map(recordOf('{}', '{"src":1,"dst":2}')))
  // more sets of fields than are kept
  for (let other = 0; other < 100; other++) map(recordOf('{}', `{"f${other}":1}`))
  expect(keyOf(map(recordOf('{}', '{"dst":2,"src":1}')))).toEqual(before)
})

/** As JSON, and what it is at each level. */
interface Spelt {
  readonly json: string
  readonly exact: string
  readonly fence: string
}

const number = (json: string, byValue: string): Spelt => ({ json, exact: `number ${json}`, fence: byValue })
const text = (content: string, byValue = `text ${content}`): Spelt => ({
  json: JSON.stringify(content),
  exact: `text ${content}`,
  fence: byValue,
})
const VALUES: readonly Spelt[] = [
  number('1', '1'),
  number('1.0', '1'),
  text('1', '1'),
  { ...text('1', '1'), json: String.raw`"\u0031"` },
  number('2', '2'),
  number('12', '12'),
  number('-1', '-1'),
  number('9007199254740993', 'large'),
  text('9007199254740993', 'large'),
  text('9007199254740993e0', 'large'),
  { json: 'true', exact: 'true', fence: 'true' },
  text('true'),
  text(''),
  text('1,2'),
  text('["a","b"]1,2,'),
  text('["a"]'),
  text('#1.0'),
  text('2:"x'),
]
const NAMES = ['a', 'b', 'B', 'ab', '10', '9', '', 'é', '\u{1F6B2}', '\uFFFD', 'n_a', 'keys', 'keys_', '["a"]', 'a","b']
const path = fc.oneof(
  fc.constantFrom(...NAMES).map((name) => [name]),
  fc.constantFrom(['n', 'a'], ['n', 'b']),
)
const paths = fc.uniqueArray(path, { selector: (each) => each.join('.'), minLength: 1, maxLength: 3 })
const records = fc.array(
  fc.record({
    topic: fc.nat(5),
    shape: fc.nat(2),
    values: fc.array(fc.constantFrom(...VALUES), { minLength: 3, maxLength: 3 }),
    turn: fc.nat(2),
    isGone: fc.boolean(),
  }),
  { minLength: 2, maxLength: 24 },
)

it('keys are equal exactly where the fields that name the row are, at both levels', () => {
  let equal = 0
  fc.assert(
    fc.property(
      fc.array(paths, { minLength: 1, maxLength: 3 }),
      fc.array(fc.record({ shape: fc.nat(2), turn: fc.nat(2), inKey: fc.boolean() }), { minLength: 1, maxLength: 6 }),
      records,
      (shapes, topics, sent) => {
        const rows = rowsOf(shapes, topics, sent)
        for (const one of rows)
          for (const other of rows) {
            expect(exactOf(one.key) === exactOf(other.key)).toBe(one.exact === other.exact)
            expect(fenceOf(one.key) === fenceOf(other.key)).toBe(one.fence === other.fence)
            if (one !== other && one.exact === other.exact && one.topic !== other.topic) equal++
          }
      },
    ),
    { numRuns: 2000 },
  )
  expect(equal).toBeGreaterThan(100)
})

interface Row {
  readonly topic: number
  readonly key: Key
  readonly exact: string
  readonly fence: string
}

interface Planned {
  readonly shape: number
  readonly turn: number
  readonly inKey: boolean
}

type SentRecord = {
  readonly topic: number
  readonly shape: number
  readonly values: readonly Spelt[]
  readonly turn: number
  readonly isGone: boolean
}

/** What the topics make of the records that they can have. */
function rowsOf(
  shapes: readonly (readonly (readonly string[])[])[],
  topics: readonly Planned[],
  sent: readonly SentRecord[],
): Row[] {
  const shared = topicShared('')
  const shapeAt = (index: number) => shapes[index % shapes.length]!
  const made = topics.map(({ shape, turn, inKey }, index) => {
    const keys: TopicConfig['keys'] = inKey ? KAFKA_KEY : { from: 'value', paths: turned(shapeAt(shape), turn) }
    try {
      return topicOf({ ...SHARED, keys }, shared, `t${index}`)
    } catch (error) {
      if (error instanceof ConnectorError) return undefined
      throw error
    }
  })
  return sent.flatMap(({ topic: any, shape, values, turn, isGone }) => {
    const topic = any % topics.length
    const { inKey, shape: own } = topics[topic]!
    const wanted = shapeAt(inKey ? shape : own)
    // a Kafka key has no nested fields
    if (inKey && wanted.some((each) => each.length > 1)) return []
    const members = wanted.map((each, index) => ({ path: each, value: values[index]! }))
    const json = objectOf(turned(members, turn))
    const record = inKey ? recordOf(isGone ? null : '{}', json) : recordOf(isGone ? null : json, json)
    const what = made[topic]?.map(record)
    if (what === undefined || !('point' in what)) return []
    const { keys } = JSON.parse(what.point) as { keys: string[] }
    const fields = members.map(({ path: [...names], value: spelt }): [string, Spelt] => {
      const joined = names.join('_')
      return [joined === 'keys' ? 'keys_' : joined, spelt]
    })
    expect(keys.toSorted()).toEqual(fields.map(([name]) => name).toSorted())
    const identity = (level: 'exact' | 'fence'): string =>
      JSON.stringify(fields.map(([name, spelt]) => JSON.stringify([name, spelt[level]])).toSorted())
    return [{ topic, key: what.key, exact: identity('exact'), fence: identity('fence') }]
  })
}

function turned<T>(list: readonly T[], by: number): T[] {
  return list.map((_, index) => list[(index + by) % list.length]!)
}

function objectOf(members: readonly { path: readonly string[]; value: Spelt }[]): string {
  const nested = members.filter(({ path: { length } }) => length > 1)
  const member = (name: string, json: string): string => `${JSON.stringify(name)}:${json}`
  const flat = members
    .filter(({ path: { length } }) => length === 1)
    .map(({ path: [name], value: { json } }) => member(name!, json))
  const inner = nested.map(({ path: [, name], value: { json } }) => member(name!, json))
  return `{${[...flat, ...(inner.length > 0 ? [`"n":{${inner.join(',')}}`] : [])].join(',')}}`
}
