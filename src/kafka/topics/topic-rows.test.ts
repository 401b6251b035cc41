import { expect, it } from 'vitest'
import { columnsInWords, unavailableStop } from './topic-rows.ts'

it('names columns at a length that can be read', () => {
  expect(columnsInWords(['a"\n'])).toBe(String.raw`column "a\"\n"`)
  expect(columnsInWords(['a', 'b'])).toBe('columns "a", "b"')
  expect(columnsInWords(['x'.repeat(300)])).toBe(`column "${'x'.repeat(200)}…"`)
  expect(columnsInWords(Array.from({ length: 12 }, (_, index) => `c${index}`))).toBe(
    'columns "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9" and 2 more',
  )
})

it('says where, what and what to do', () => {
  const error = unavailableStop({ topic: 't', partition: 3, offset: 12n, table: 'docs' }, ['body'])
  expect(error.kind).toBe('config')
  expect(error.track).toEqual({ name: 't' })
  expect(error.message).toBe(
    'Topic "t", partition 3, offset 12: Debezium did not see the value of column "body" of table "docs": it is large and did not change. Set REPLICA IDENTITY FULL for the table at the source, or choose unavailable: null or unavailable: dead-letter for the topic.',
  )
})
