import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { powerAxis, timeAxis, valueAxis } from './report-axis.ts'

test('a value axis reaches what there is, in a few equal steps', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e15, noNaN: true }), fc.constantFrom(1000, 1024), (most, base) => {
      const { from, to, marks } = valueAxis(most, base)
      expect(from).toBe(0)
      expect(to).toBeGreaterThanOrEqual(most * 0.999_999)
      expect(to).toBeLessThanOrEqual(most * 3)
      expect(marks.length).toBeGreaterThanOrEqual(2)
      expect(marks.length).toBeLessThanOrEqual(7)
      expect(marks.at(-1)).toBeCloseTo(to, 6)
    }),
  )
  for (const nearlyNone of [0, Number.MIN_VALUE, 1e-200, 9e-10])
    expect(valueAxis(nearlyNone, 1024)).toEqual(valueAxis(0))
  expect(valueAxis(1e-9).marks.length).toBeGreaterThanOrEqual(2)
  expect(valueAxis(0)).toEqual({ from: 0, to: 1, marks: [0, 1] })
  expect(valueAxis(3300).marks).toEqual([0, 1000, 2000, 3000, 4000])
  expect(valueAxis(150 * 1024, 1024).marks).toEqual([0, 50 * 1024, 100 * 1024, 150 * 1024])
})

test('a time axis has few marks, none beyond its end', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e11 }), (ms) => {
      const { to, marks } = timeAxis(ms)
      expect(to).toBe(Math.max(1, ms))
      expect(marks[0]).toBe(0)
      expect(marks.length).toBeLessThanOrEqual(4)
      expect(marks.at(-1)!).toBeLessThanOrEqual(to)
    }),
  )
  expect(timeAxis(12_800).marks).toEqual([0, 5000, 10_000])
})

test('an axis of powers of ten holds what there is between two of them', () => {
  expect(powerAxis(4, 95)).toEqual({ from: 1, to: 100, marks: [1, 10, 100] })
  expect(powerAxis(1, 1).marks).toEqual([1, 10])
  expect(powerAxis(20, 61_000).marks).toEqual([10, 100, 1000, 10_000, 100_000])
})
