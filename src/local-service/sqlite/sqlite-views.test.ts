import { expect, it } from 'vitest'
import { Columns } from './sqlite-schema.ts'
import { viewName, viewSql } from './sqlite-views.ts'

it('calls a view as its table, and numbers what would be taken', () => {
  const taken = new Set<string>()
  const named = (table: string, client: number): string => {
    const name = viewName(table, client, (it) => taken.has(it.toLowerCase()))
    taken.add(name.toLowerCase())
    return name
  }
  expect(
    (
      [
        ['orders', 7],
        ['orders', 8],
        ['Orders', 7],
        ['ORDERS', 7],
        ['oRDERS', 7],
        ['sqlite_master', 7],
        ['SQLITE_master', 7],
        ['sqlite', 7],
        ['select', 7],
        ['_', 7],
        ['0', 7],
      ] as const
    ).map(([table, client]) => named(table, client)),
  ).toEqual([
    'orders',
    'orders.8',
    'Orders.7',
    'ORDERS.7.2',
    'oRDERS.7.3',
    '.sqlite_master',
    '.SQLITE_master.7',
    'sqlite',
    'select',
    '_',
    '0',
  ])
})

it('shows fields as they came, then keys, then the point', () => {
  const columns = new Columns()
  for (const field of ['keys', 'id', "it's", 'a"b']) columns.add(field)
  expect(viewSql('a "b"', 3, columns.all())).toBe(
    `CREATE VIEW "a ""b""" AS SELECT json_extract(j, '$."id"') AS "id", json_extract(j, '$."it''s"') AS "it's", ` +
      `json_extract(j, '$."#4"') AS "a""b", json_extract(j, '$."keys"') AS "keys", point AS "_point" ` +
      `FROM (SELECT coalesce(readable, point) AS j, point FROM "local service rows" ` +
      `WHERE seq BETWEEN 12884901889 AND 17179869184 ORDER BY seq)`,
  )
})
