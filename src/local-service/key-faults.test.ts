import { expect, it } from 'vitest'
import { keyFaults } from './key-faults.ts'

it('takes scalars under any name', () => {
  const names = ['id', '', '__proto__', 'constructor', 'a.b', '\ud800']
  for (const value of ['""', '0', 'false', '1e400', '"x"']) {
    const members = names.map((name) => `${JSON.stringify(name)}:${value}`).join(',')
    expect(keyFaults(JSON.parse(`{"keys":${JSON.stringify(names)},${members}}`))).toEqual([])
  }
})

it('does not take what an object inherits for a field', () => {
  expect(keyFaults({ keys: ['toString'] })).toEqual(['keys names "toString", a field the point does not have'])
  expect(keyFaults(JSON.parse('{"__proto__":{"keys":["id"],"id":1}}'))).toEqual(['keys is missing'])
})

it('names every fault', () => {
  expect(keyFaults({ keys: ['a', 'b', 'a', 'c', 'd'], a: 1, b: null, c: [], d: {} })).toEqual([
    'the key field "b" is null',
    'keys names "a" twice',
    'the key field "c" is an array',
    'the key field "d" is an object',
  ])
})

it('shows the beginning of a long name', () => {
  expect(keyFaults({ keys: ['x'.repeat(10_000)] })[0]!.length).toBeLessThan(200)
})
