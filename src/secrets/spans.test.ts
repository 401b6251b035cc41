import { expect, test } from 'vitest'
import { Spans } from './spans.ts'

test('those that overlap become one, those that touch do not', () => {
  const spans = new Spans()
  for (const [start, end] of [
    [0, 3],
    [3, 6],
    [8, 10],
    [5, 9],
    [20, 21],
  ] as const)
    spans.add(start, end)
  expect(spans.before(15)).toBe(15)
  expect(spans.before(7)).toBe(7)
  expect(spans.take(15)).toEqual([
    { start: 0, end: 3 },
    { start: 3, end: 10 },
  ])
  expect(spans.take(15)).toEqual([])
  expect(spans.take(21)).toEqual([{ start: 20, end: 21 }])
  expect(spans.last).toEqual({ start: 20, end: 21 })
})

test('a place inside of the latest', () => {
  const spans = new Spans()
  spans.add(2, 6)
  expect([1, 2, 3, 5, 6].map((place) => spans.before(place))).toEqual([1, 2, 2, 2, 6])
})
