import { expect, it } from 'vitest'
import { faultFaults } from './fault-description.ts'
import { RandomFaults } from './random-faults.ts'
import { seededRandom } from './seeded-random.ts'

function kinds(rate: number, count: number): Map<string, number> {
  const faults = new RandomFaults(rate, seededRandom(1))
  const counts = new Map<string, number>()
  for (let n = 0; n < count; n++) {
    const fault = faults.take()
    const answer = fault?.answer as { status: number } | undefined
    const kind = fault === undefined ? 'none' : String(fault.reset ?? answer!.status)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}

it('falls on the share it is given, in four kinds alike', () => {
  const counts = kinds(0.2, 10_000)
  expect([...counts.keys()].sort()).toEqual(['500', '503', 'after', 'before', 'none'])
  expect(counts.get('none')).toBeGreaterThan(7800)
  expect(counts.get('none')).toBeLessThan(8200)
  for (const kind of ['500', '503', 'after', 'before']) expect(counts.get(kind)).toBeGreaterThan(400)
})

it('never falls, or always', () => {
  expect([...kinds(0, 100).keys()]).toEqual(['none'])
  expect(kinds(1, 100).has('none')).toBe(false)
  expect(new RandomFaults(1, () => 1 - 2 ** -53).take()).toEqual({ reset: 'after' })
})

it('makes faults that could be scripted too', () => {
  for (const draw of [0, 0.25, 0.5, 0.75])
    expect(faultFaults(new RandomFaults(1, () => draw).take(), false)).toEqual([])
})
