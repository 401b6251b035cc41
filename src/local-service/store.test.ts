import { expect, it } from 'vitest'
import { MemoryStore } from './store.ts'

function texts(store: MemoryStore, table: string, clientId = 7): string[] | undefined {
  const rows = store.rows(clientId, table)
  return rows && Array.from(rows, (row) => Buffer.from(row).toString())
}

it('keeps the place of the first arrival and the bytes of the last', () => {
  using store = new MemoryStore()
  const body = Buffer.from('aé😀b\u0000c')
  const [a, e, emoji, rest] = [
    { identity: '1', from: 0, to: 1 },
    { identity: '2', from: 1, to: 3 },
    { identity: '1', from: 3, to: 7 },
    { identity: '3', from: 7, to: 10 },
  ] as const
  expect(store.upsert(7, 't', body, [a, e])).toBe(2)
  expect(store.upsert(7, 't', body, [emoji, rest])).toBe(1)
  expect(texts(store, 't')).toEqual(['😀', 'é', 'b\u0000c'])
})

it('counts a row that comes twice at once as one', () => {
  using store = new MemoryStore()
  const twice = [
    { identity: '1', from: 0, to: 1 },
    { identity: '1', from: 1, to: 2 },
  ]
  expect(store.upsert(7, 't', Buffer.from('ab'), twice)).toBe(1)
  expect(texts(store, 't')).toEqual(['b'])
})

it('keeps nothing of the body it was given', () => {
  using store = new MemoryStore()
  const body = Buffer.from('ab')
  store.upsert(7, 't', body, [{ identity: '1', from: 0, to: 2 }])
  body.fill(0)
  expect(texts(store, 't')).toEqual(['ab'])
})

it('keeps clients and tables apart, in the order of their first push', () => {
  using store = new MemoryStore()
  const one = [{ identity: '1', from: 0, to: 1 }]
  for (const [client, table] of [
    [8, 'z'],
    [7, '__proto__'],
    [7, 'a'],
    [7, '__proto__'],
    [8, 'a'],
  ] as const) {
    store.upsert(client, table, Buffer.from('x'), one)
  }
  expect(store.tables()).toEqual([
    { clientId: 8, table: 'z', rows: 1 },
    { clientId: 7, table: '__proto__', rows: 1 },
    { clientId: 7, table: 'a', rows: 1 },
    { clientId: 8, table: 'a', rows: 1 },
  ])
  expect(texts(store, 'z')).toBeUndefined()
  expect(texts(store, 'z', 8)).toEqual(['x'])
})

it('gives back what was there when the reading began, however much is added meanwhile', () => {
  using store = new MemoryStore()
  const point = (identity: string): { identity: string; from: number; to: number } => ({ identity, from: 0, to: 1 })
  store.upsert(7, 't', Buffer.from('x'), [point('1'), point('2')])
  let seen = 0
  for (const _row of store.rows(7, 't')!) store.upsert(7, 't', Buffer.from('y'), [point(`more ${seen++}`)])
  expect(seen).toBe(2)
})
