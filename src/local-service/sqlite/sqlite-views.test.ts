import { expect, it } from 'vitest'
import { Columns } from './sqlite-views.ts'

function named(...fields: string[]): string[] {
  const columns = new Columns()
  return fields.map((field) => columns.add(field)?.column ?? '-')
}

it('calls a column as its field, and numbers what SQLite could not tell apart', () => {
  expect(named('id', 'Id', 'ID', 'É', 'é', 'a.b', 'select', 'a"b', "a'b", ' ', '#1')).toEqual([
    'id',
    'Id.2',
    'ID.3',
    'É',
    'é',
    'a.b',
    'select',
    'a"b',
    "a'b",
    ' ',
    '#1',
  ])
  expect(named('_point', '_POINT', '', 'id.2', 'id', 'ID')).toEqual([
    '_point.2',
    '_POINT.3',
    '.2',
    'id.2',
    'id',
    'ID.3',
  ])
  expect(named('a\0b', 'a\ufffdb', '\ud800', '\udc00')).toEqual(['a\ufffdb', 'a\ufffdb.2', '\ufffd', '\ufffd.2'])
})

it('keeps a name that was given before', () => {
  const columns = new Columns()
  expect(columns.add('id', 'id.7')?.column).toBe('id.7')
  expect(columns.add('id.7')?.column).toBe('id.7.2')
  expect(columns.add('ID')?.column).toBe('ID')
})

it('has room for 1,999 fields, and for 900,000 bytes', () => {
  const many = new Columns()
  const all = Array.from({ length: 2500 }, (_, n) => many.add(`field ${n}`))
  expect(all.findIndex((it) => it === undefined)).toBe(1999)
  expect(many.size).toBe(1999)
  const long = new Columns()
  expect(long.add('x'.repeat(500_000))).toBeUndefined()
  expect(long.add('é'.repeat(200_000))).toMatchObject({ column: 'é'.repeat(200_000) })
  expect(long.add('ü'.repeat(100_000))).toBeUndefined()
  expect(long.add('id')).toMatchObject({ column: 'id' })
})
