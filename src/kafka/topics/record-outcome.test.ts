import { expect, it } from 'vitest'
import { recordOf, topicOf } from '../source/testing/topics.ts'
import { columnsInWords } from './record-outcome.ts'

it('names columns at a length that can be read', () => {
  expect(columnsInWords(['a"\n'])).toBe(String.raw`column "a\"\n"`)
  expect(columnsInWords(['a', 'b'])).toBe('columns "a", "b"')
  expect(columnsInWords(['x'.repeat(300)])).toBe(`column "${'x'.repeat(200)}…"`)
  expect(columnsInWords(Array.from({ length: 12 }, (_, index) => `c${index}`))).toBe(
    'columns "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9" and 2 more',
  )
})

it('says where, what and what to do', () => {
  const topic = topicOf({ format: 'debezium', table: 'docs' })
  const change = '{"op":"u","before":null,"after":{"id":5,"body":"__debezium_unavailable_value"},"source":{}}'
  expect(() => topic.map(recordOf(change, null, 12n))).toThrow(
    expect.objectContaining({
      kind: 'config',
      track: { name: 'shop.public.orders' },
      message:
        'Topic "shop.public.orders", partition 3, offset 12: Debezium did not see the value of column "body" of table "docs": it is large and did not change. Set REPLICA IDENTITY FULL for the table at the source, or choose unavailable: null or unavailable: dead-letter for the topic.',
    }),
  )
})
