import { describe, expect, it } from 'vitest'

import { tableName } from '../mapping/table-name.ts'
import { sharedTables } from './shared-tables.ts'

const of = (...topics: string[]): { topic: string; table: undefined; sharedTable: boolean }[] =>
  topics.map((topic) => ({ topic, table: undefined, sharedTable: false }))

describe('topics that share a table', () => {
  it('are told together, with the way out', () => {
    expect(sharedTables(of('a.b', 'c', 'A_b', 'a-b'), '')).toEqual([
      { topics: ['a.b', 'A_b', 'a-b'], problem: expect.stringContaining('"a.b" and "A_b" and "a-b"') },
    ])
  })

  it('count their prefix, unless a table is given', () => {
    const given = { topic: 'x', table: 'shop_orders', sharedTable: false }
    expect(sharedTables([...of('orders'), given], 'shop_')).toHaveLength(1)
    expect(sharedTables([...of('orders'), given], '')).toHaveLength(0)
  })

  it('may, if all say so', () => {
    const shared = of('a.b', 'a-b').map((topic) => Object.assign(topic, { sharedTable: true }))
    expect(sharedTables(shared, '')).toEqual([])
    expect(sharedTables([...shared, ...of('a_b')], '')).toHaveLength(1)
  })

  it('are listed up to a bound', () => {
    const names = Array.from({ length: 100 }, (_, index) => 'a.b'.padEnd(4 + index, '.'))
    const shared = names.map((topic) => ({ topic, table: 't', sharedTable: false }))
    expect(sharedTables(shared, '')[0]!.problem).toContain('and 95 more')
  })

  it('are those whose names the mapping makes equal', () => {
    const names = ['a.b', 'a_b', 'A-B', 'a', '_', '.-', '...', '___', 'a.', '1', 't_1']
    for (const first of names) {
      for (const second of names.filter((name) => name !== first)) {
        const [one, two] = [first, second].map((name) => tableName(undefined, name, 'p.').table.toLowerCase())
        expect(sharedTables(of(first, second), 'p.').length === 1, `${first} ${second}`).toBe(one === two)
      }
    }
  })
})
