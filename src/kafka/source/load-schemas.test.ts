import { expect, it } from 'vitest'
import type { SchemaId, SchemaProblem } from '../../registry/types.ts'
import { loadSchemas } from './load-schemas.ts'

const never = new AbortController().signal

/** One that forgets all but the ids it was asked for last. */
function forgetful() {
  let kept = new Map<SchemaId, SchemaProblem>()
  const asked: number[] = []
  return {
    asked,
    known: (id: SchemaId) => kept.get(id),
    load(ids: Iterable<SchemaId>) {
      kept = new Map(Array.from(ids, (id) => [id, { problem: `problem ${id}` }]))
      asked.push(kept.size)
      return Promise.resolve()
    },
  }
}

it('is everything that was asked for, also of a store that does not keep so many', async () => {
  const store = forgetful()
  const ids = new Set<SchemaId>(Array.from({ length: 2_500 }, (_, id) => id))
  const schemas = await loadSchemas(store, ids, never)
  expect([...schemas.keys()]).toEqual([...ids])
  expect(schemas.get(2_400)).toEqual({ problem: 'problem 2400' })
  expect(store.asked).toEqual([1000, 1000, 500])
})

it('asks only for what is not known', async () => {
  const store = forgetful()
  await store.load(['a'])
  await loadSchemas(store, new Set(['a']), never)
  expect(store.asked).toEqual([1])
  expect(await loadSchemas(store, new Set(), never)).toEqual(new Map())
})

it('fails as the store does', async () => {
  const store = { known: () => undefined, load: () => Promise.reject(new Error('refused')) }
  await expect(loadSchemas(store, new Set([1]), never)).rejects.toThrow('refused')
})
