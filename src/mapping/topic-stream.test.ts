import { expect, it } from 'vitest'
import { topicKeyFields, topicStream, topicWords } from './topic-stream.ts'

it('hoists nested keys and follows a reserved name', () => {
  expect(topicKeyFields([['id'], ['customer', 'id'], ['keys'], ['id']])).toEqual([
    { path: ['id'], field: 'id' },
    { path: ['customer', 'id'], field: 'customer_id' },
    { path: ['keys'], field: 'keys_' },
  ])
})

it.each([
  [[]],
  [[[]]],
  [[['a'], ['a', 'b']]],
  [[['a_b'], ['a', 'b']]],
  [
    [
      ['a', 'b_c'],
      ['a_b', 'c'],
    ],
  ],
  [[['keys'], ['keys_']]],
  [[['__deleted']]],
  [[['_', 'deleted']]],
])('cannot form a key from %j', (paths) => {
  expect(topicKeyFields(paths)).toBe(undefined)
})

it('says what identifies a row', () => {
  expect(topicWords(['a', ''], true)).toBe('one row per a, "", newest arrival')
  const table = { name: 't', keepLast: false }
  expect(topicStream('topic', table, [{ path: ['a', 'b'], field: 'a_b' }])).toMatchObject({
    track: { name: 'topic' },
    table,
    row: 'keys',
    words: 'one row per a_b, newest arrival, every version sent',
  })
})
