import { expect, it } from 'vitest'
import { Faults } from './faults.ts'

function taken(faults: Faults, tables: string): string {
  return tables
    .split('')
    .map((table) => faults.take(table)?.delay_ms ?? '-')
    .join('')
}

it('gives out faults in the order they were scripted, one an upsert', () => {
  const faults = new Faults()
  faults.add({ delay_ms: 1, next: 2 })
  faults.add({ delay_ms: 2 })
  faults.add({ delay_ms: 3 })
  expect(taken(faults, 'aaaaaa')).toBe('1123--')
})

it('passes over faults of other tables', () => {
  const faults = new Faults()
  faults.add({ delay_ms: 1, table: 'a', next: 2 })
  faults.add({ delay_ms: 2, table: 'b' })
  faults.add({ delay_ms: 3 })
  expect(taken(faults, 'bcaba')).toBe('231-1')
  faults.add({ delay_ms: 4, table: 'a' })
  expect(faults.take(undefined)).toBeUndefined()
})

it('gives an every to each n-th upsert that no earlier fault took', () => {
  const faults = new Faults()
  faults.add({ delay_ms: 1, every: 5 })
  faults.add({ delay_ms: 2, every: 5 })
  expect(taken(faults, 'aaaaaaaaaaaa')).toBe('----12---1-2')
  faults.add({ delay_ms: 3 })
  expect(taken(faults, 'a')).toBe('3')
})

it('counts an every for its table only', () => {
  const faults = new Faults()
  faults.add({ delay_ms: 1, every: 2, table: 'a' })
  expect(taken(faults, 'babbab')).toBe('----1-')
})

it('forgets all of them', () => {
  const faults = new Faults()
  faults.add({ delay_ms: 1, next: 9 })
  faults.add({ delay_ms: 1, every: 1 })
  expect(faults.clear()).toBe(2)
  expect(faults.clear()).toBe(0)
  expect(taken(faults, 'aa')).toBe('--')
})
