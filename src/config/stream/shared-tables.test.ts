import { describe, expect, it } from 'vitest'
import { tableNameOf } from '../../mapping/table-name.ts'
import { sharedTables, tablesOf } from './shared-tables.ts'

const of = (topics: readonly string[], prefix = '', sharedTable = false) =>
  topics.flatMap((topic) => tablesOf(topic, { table: undefined, sharedTable, route: undefined }, prefix))

describe('topics that share a table', () => {
  it('are told together, with the way out', () => {
    const [first, ...more] = sharedTables(of(['a.b', 'c', 'A_b', 'a-b']))
    expect(first!.entries.map(({ topic }) => topic)).toEqual(['a.b', 'A_b', 'a-b'])
    expect(first!.problem).toContain('"a.b" and "A_b" and "a-b"')
    expect(more).toEqual([])
  })

  it('count their prefix, unless a table is given', () => {
    const given = { topic: 'x', table: 'shop_orders', sharedTable: false }
    expect(sharedTables([...of(['orders'], 'shop_'), given])).toHaveLength(1)
    expect(sharedTables([...of(['orders']), given])).toHaveLength(0)
  })

  it('may, if all say so', () => {
    const shared = of(['a.b', 'a-b'], '', true)
    expect(sharedTables(shared)).toEqual([])
    expect(sharedTables([...shared, ...of(['a_b'])])).toHaveLength(1)
  })

  it('are listed up to a bound', () => {
    const names = Array.from({ length: 100 }, (_, index) => 'a.b'.padEnd(4 + index, '.'))
    const shared = names.map((topic) => ({ topic, table: 't', sharedTable: false }))
    expect(sharedTables(shared)[0]!.problem).toContain('and 95 more')
  })

  it('are those whose names the mapping makes equal', () => {
    const names = ['a.b', 'a_b', 'A-B', 'a', '_', '.-', '...', '___', 'a.', '1', 't_1']
    for (const first of names) {
      for (const second of names.filter((name) => name !== first)) {
        const [one, two] = [first, second].map((name) => tableNameOf(undefined, name, 'p.').toLowerCase())
        expect(sharedTables(of([first, second], 'p.')).length === 1, `${first} ${second}`).toBe(one === two)
      }
    }
  })
})
