import { expect, it } from 'vitest'
import { Base64Columns } from './base64-columns.ts'

const suspects = (...rows: unknown[]): readonly string[] => {
  const columns = new Base64Columns()
  for (const row of rows) columns.note(Buffer.from(typeof row === 'string' ? row : JSON.stringify(row)))
  return columns.names
}
const created = (after: unknown): unknown => ({ before: null, after, op: 'c', source: {} })

it('are those whose every value is base64, once as nothing else is', () => {
  expect(suspects({ price: 'AfQ=', word: 'open' }, { price: 'D0JA', word: 'shut' })).toEqual(['price'])
  expect(
    suspects(created({ id: 1, price: 'AfQ=' }), { before: { id: 1, price: 'BQ==' }, after: null, op: 'd' }),
  ).toEqual(['price'])
  expect(suspects(created({ amount: { scale: 2, value: 'D0JA' } }))).toEqual(['amount'])
  expect(suspects({ price: null }, { price: '__debezium_unavailable_value' }, { price: 'AfQ=' })).toEqual(['price'])
})

it('are none that hold something else, or that a schema explains', () => {
  expect(suspects({ note: 'AfQ=' }, { note: 'a text' })).toEqual([])
  expect(suspects({ note: 'AfQ=' }, { note: 7 }, { note: '' })).toEqual([])
  expect(suspects({ word: 'open' }, { word: 'done' })).toEqual([])
  expect(suspects({ long: `${'A'.repeat(70)}==` })).toEqual([])
  expect(suspects({ schema: { type: 'struct' }, payload: created({ price: 'AfQ=' }) })).toEqual([])
  expect(suspects({ schema: null, payload: created({ price: 'AfQ=' }) })).toEqual(['price'])
  expect(suspects('no JSON', '[1]', '7', created('text'), { schema: null, payload: 3 })).toEqual([])
})
