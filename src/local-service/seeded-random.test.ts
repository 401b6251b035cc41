import { expect, it } from 'vitest'
import { seededRandom } from './seeded-random.ts'

it('is the same for the same seed, another for another', () => {
  const draw = (seed: number): number[] => {
    const random = seededRandom(seed)
    return Array.from({ length: 1000 }, random)
  }
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
  expect(draw(0)[0]).not.toBe(draw(1)[0])
  expect(draw(2 ** 32 - 1)).toEqual(draw(-1))
})

it('is spread evenly from 0 to below 1', () => {
  const random = seededRandom(1)
  const counts = Array<number>(10).fill(0)
  for (let n = 0; n < 100_000; n++) counts[Math.floor(random() * 10)]!++
  expect(Math.min(...counts)).toBeGreaterThan(9500)
  expect(counts.reduce((sum, count) => sum + count)).toBe(100_000)
})
