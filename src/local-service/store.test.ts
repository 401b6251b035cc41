import { expect, it } from 'vitest'
import { MemoryStore } from './store.ts'
import { rowsOf } from './testing/upserts.ts'

function texts(store: MemoryStore, table: string, clientId = 7): string[] {
  return Array.from(rowsOf(store, table, clientId), ({ bytes }) => Buffer.from(bytes).toString())
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
  expect(store.upsert(7, 't', body, [a, e], 0)).toBe(2)
  expect(store.upsert(7, 't', body, [emoji, rest], 0)).toBe(1)
  expect(texts(store, 't')).toEqual(['😀', 'é', 'b\u0000c'])
})

it('counts a row that comes twice at once as one', () => {
  using store = new MemoryStore()
  const twice = [
    { identity: '1', from: 0, to: 1 },
    { identity: '1', from: 1, to: 2 },
  ]
  expect(store.upsert(7, 't', Buffer.from('ab'), twice, 0)).toBe(1)
  expect(texts(store, 't')).toEqual(['b'])
})

it('keeps nothing of the body it was given', () => {
  using store = new MemoryStore()
  const body = Buffer.from('ab')
  store.upsert(7, 't', body, [{ identity: '1', from: 0, to: 2 }], 0)
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
    store.upsert(client, table, Buffer.from('x'), one, 0)
  }
  expect(store.tables()).toEqual([
    { clientId: 8, table: 'z', id: 1, rows: 1, writtenAt: 0 },
    { clientId: 7, table: '__proto__', id: 2, rows: 1, writtenAt: 0 },
    { clientId: 7, table: 'a', id: 3, rows: 1, writtenAt: 0 },
    { clientId: 8, table: 'a', id: 4, rows: 1, writtenAt: 0 },
  ])
  expect(texts(store, 'z')).toEqual([])
  expect(texts(store, 'z', 8)).toEqual(['x'])
})

it('knows when rows were written last', () => {
  using store = new MemoryStore()
  const point = (identity: string) => ({ identity, from: 0, to: 1 })
  store.upsert(7, 't', Buffer.from('x'), [point('1'), point('2')], 5)
  store.upsert(7, 't', Buffer.from('y'), [point('1')], 8)
  expect(Array.from(rowsOf(store, 't'), ({ writtenAt }) => writtenAt)).toEqual([8, 5])
  expect(store.tables()).toMatchObject([{ writtenAt: 8 }])
})
