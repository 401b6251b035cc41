import { expect, it } from 'vitest'
import { Patches } from './patches.ts'

it('puts texts in the place of ranges and inserts at empty ones', () => {
  const bytes = Buffer.from('..{"a":1,"bé":22}..')
  const patches = new Patches()
  expect(patches.isEmpty).toBe(true)
  patches.add(3, 3, '"x":"ü",')
  patches.add(7, 8, 'null')
  expect(patches.isEmpty).toBe(false)
  expect(patches.length).toBe(12)
  const copy = patches.apply(bytes, 2, bytes.length - 2)
  expect(copy.toString()).toBe('{"x":"ü","a":null,"bé":22}')
  patches.clear()
  expect(patches.apply(bytes, 2, 5).toString()).toBe('{"a')
  expect(patches.length).toBe(0)
})
