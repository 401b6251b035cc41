// How long bodies wait for more, by what is sent.

import { expect, it } from 'vitest'
import { Linger } from './linger.ts'

function opened(maxWaitMs = 1000) {
  const limits = { lingerMs: 20, maxPoints: 100, maxWaitMs }
  const clock = { ms: 0 }
  const linger = new Linger(limits)
  /** Seconds of requests, each of so many points. @returns what bodies wait after them */
  const sends = (perSecond: number, points: number): number => {
    for (let sent = 0; sent < 5 * perSecond; sent++) {
      clock.ms += 1000 / perSecond
      linger.cut(points, clock.ms)
    }
    return linger.ms
  }
  /** So many tables, each with a request as often as it may. */
  const tables = (count: number): number => {
    const end = clock.ms + 30_000
    for (let due = 0; clock.ms < end; due--) {
      while (due < 1) {
        clock.ms++
        due += count / linger.ms
      }
      linger.cut(3, clock.ms)
    }
    return linger.ms
  }
  return { sends, tables }
}

it('is 20 ms where few requests are small', () => {
  expect(opened().sends(50, 10)).toBe(20)
  expect(opened().sends(5000, 100)).toBe(20)
  expect(opened().tables(1)).toBe(20)
})

it('is as long as about 60 small ones a second need, and at most as long as a record may wait', () => {
  const ms = opened().tables(8)
  expect(8 / (ms / 1000)).toBeGreaterThan(45)
  expect(8 / (ms / 1000)).toBeLessThan(75)
  expect(opened().tables(200)).toBe(1000)
  expect(opened(300).tables(200)).toBe(300)
  expect(opened(5).tables(200)).toBe(20)
})

it('is short again once requests are few or full', () => {
  const { tables, sends } = opened()
  expect(tables(64)).toBeGreaterThan(500)
  expect(sends(1000, 100)).toBe(20)
  expect(tables(64)).toBeGreaterThan(500)
  expect(sends(20, 1)).toBeLessThan(400)
})
