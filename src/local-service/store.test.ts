import { expect, it } from 'vitest'
import { MemoryStore } from './store.ts'
import { rowsOf } from './testing/upserts.ts'

function texts(store: MemoryStore, table: string): string[] {
  return Array.from(rowsOf(store, table), ({ bytes }) => Buffer.from(bytes).toString())
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

it('keeps nothing of the body it was given', () => {
  using store = new MemoryStore()
  const body = Buffer.from('ab')
  store.upsert(7, 't', body, [{ identity: '1', from: 0, to: 2 }], 0)
  body.fill(0)
  expect(texts(store, 't')).toEqual(['ab'])
})

it('knows when rows were written last', () => {
  using store = new MemoryStore()
  const point = (identity: string) => ({ identity, from: 0, to: 1 })
  store.upsert(7, 't', Buffer.from('x'), [point('1'), point('2')], 5)
  store.upsert(7, 't', Buffer.from('y'), [point('1')], 8)
  expect(Array.from(rowsOf(store, 't'), ({ writtenAt }) => writtenAt)).toEqual([8, 5])
  expect(store.tables()).toMatchObject([{ writtenAt: 8 }])
})
