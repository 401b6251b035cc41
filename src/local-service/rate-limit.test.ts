import { expect, it } from 'vitest'
import { RateLimit } from './rate-limit.ts'

it("lets a second's worth pass at once, then says how long to wait", () => {
  const limit = new RateLimit(3)
  expect([limit.take(7, 0), limit.take(7, 0), limit.take(7, 0)]).toEqual([0, 0, 0])
  expect(limit.take(7, 0)).toBe(1)
  expect(limit.take(7, 400)).toBe(0)
  expect(limit.take(7, 400)).toBe(1)
})

it('keeps to the rate in the long run', () => {
  const limit = new RateLimit(10)
  let passed = 0
  for (let now = 0; now < 100_000; now += 10) if (limit.take(7, now) === 0) passed++
  expect(passed).toBeGreaterThanOrEqual(1000)
  expect(passed).toBeLessThanOrEqual(1010)
})

it('counts below one a second, in whole seconds', () => {
  const limit = new RateLimit(0.25)
  expect(limit.take(7, 0)).toBe(0)
  expect(limit.take(7, 1000)).toBe(3)
  expect(limit.take(7, 4000)).toBe(0)
})

it('counts each client apart, and bears a clock that goes back', () => {
  const limit = new RateLimit(1)
  expect(limit.take(7, 5000)).toBe(0)
  expect(limit.take(8, 5000)).toBe(0)
  expect(limit.take(7, 1000)).toBe(1)
  expect(limit.take(7, 2000)).toBe(0)
})

it('has no limit when it is infinite', () => {
  const limit = new RateLimit(Infinity)
  for (let i = 0; i < 1000; i++) expect(limit.take(7, 0)).toBe(0)
})
