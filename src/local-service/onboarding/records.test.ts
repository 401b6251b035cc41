import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import type { Entity, EntityStore } from '../store.ts'
import { testFolder } from '../testing/folder.ts'
import { Records } from './records.ts'
import { entitiesIn } from '../sqlite/sqlite-store.ts'

function plain({ kind, id, json }: Entity): Entity {
  return { kind, id, json }
}

class Kept implements EntityStore {
  readonly puts: (readonly Entity[])[] = []
  isFull = false
  put(entities: readonly Entity[]): void {
    if (this.isFull) throw new Error('full')
    this.puts.push(entities)
  }
  entities(): (Entity & { json: string })[] {
    return this.puts.flat() as (Entity & { json: string })[]
  }
}

it('holds what it was given, and gives it to be kept first', () => {
  const store = new Kept()
  const records = new Records(store)
  records.keep(['login', 'a', { id: 1, name: 'a' }], ['import-key', 'h', { clientId: 7 }])
  records.keep()
  expect(store.puts).toEqual([
    [
      { kind: 'login', id: 'a', json: '{"id":1,"name":"a"}' },
      { kind: 'import-key', id: 'h', json: '{"clientId":7}' },
    ],
  ])
  store.isFull = true
  expect(() => records.keep(['login', 'b', { id: 2, name: 'b' }])).toThrow('full')
  expect(records.all('login')).toEqual([{ id: 1, name: 'a' }])
  expect(new Records(store).entries('import-key')).toEqual([['h', { clientId: 7 }]])
})

it('passes over kinds it does not know', () => {
  const store = new Kept()
  for (const kind of ['later', '__proto__', 'toString']) store.put([{ kind, id: 'x', json: '{}' }])
  expect(new Records(store).all('login')).toEqual([])
})

it('keeps entities in an SQLite file: in order, all or none, and removed ones no more', () => {
  using folder = testFolder()
  const open = (): EntityStore => entitiesIn(new DatabaseSync(folder.file('data')))
  const odd = `é😀'"\u0000\\`
  const store = open()
  store.put([
    { kind: 'a', id: '2', json: '{}' },
    { kind: 'a', id: '1', json: JSON.stringify(odd) },
    { kind: 'b', id: '2', json: '2' },
  ])
  store.put([
    { kind: 'a', id: '2', json: '{"again":1}' },
    { kind: 'b', id: '2', json: undefined },
    { kind: 'b', id: 'none', json: undefined },
  ])
  expect(() =>
    store.put([
      { kind: 'c', id: '1', json: '1' },
      { kind: 'c', id: '2', json: 5 as unknown as string & { x: 1 } },
      { kind: 'c', id: null as unknown as string, json: '1' },
    ]),
  ).toThrow()
  const all = [
    { kind: 'a', id: '2', json: '{"again":1}' },
    { kind: 'a', id: '1', json: JSON.stringify(odd) },
  ]
  expect(store.entities().map(plain)).toEqual(all)
  expect(open().entities().map(plain)).toEqual(all)
  expect(readFileSync(folder.file('data')).length).toBeGreaterThan(0)
})
