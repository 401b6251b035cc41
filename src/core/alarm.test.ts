import { expect, test } from 'vitest'
import { Alarm } from './alarm.ts'
import type { Clock } from './types.ts'

/** A clock that is moved by hand. */
function handClock(): Clock & { waits: number; to(at: number): Promise<void> } {
  let now = 0
  let timers: { at: number; resolve: () => void }[] = []
  return {
    waits: 0,
    now: () => now,
    random: () => 0,
    wait(ms) {
      this.waits++
      return new Promise((resolve) => {
        timers.push({ at: now + ms, resolve })
      })
    },
    async to(at) {
      now = at
      for (const timer of timers.filter((timer) => timer.at <= at)) timer.resolve()
      timers = timers.filter((timer) => timer.at > at)
      await new Promise(setImmediate)
    },
  }
}

test('rings once, at the earliest time set', async () => {
  const clock = handClock()
  const rings: number[] = []
  const alarm = new Alarm(clock, new AbortController().signal, () => rings.push(clock.now()))
  for (const at of [50, 20, 30, Infinity]) alarm.set(at)
  for (const at of [10, 20, 30, 50, 99]) await clock.to(at)
  expect(rings).toEqual([20])
})

test('may be set again from where it rings, also to a time gone by', async () => {
  const clock = handClock()
  const rings: number[] = []
  const alarm = new Alarm(clock, new AbortController().signal, () => {
    rings.push(clock.now())
    if (rings.length < 3) alarm.set(clock.now() + 10)
    else if (rings.length < 4) alarm.set(0)
  })
  alarm.set(10)
  for (const at of [10, 20, 30, 30, 40, 50]) await clock.to(at)
  expect(rings).toEqual([10, 20, 30, 30])
})

test('a far deadline that is overtaken again and again costs one wait', async () => {
  const clock = handClock()
  const rings: number[] = []
  const alarm: Alarm = new Alarm(clock, new AbortController().signal, () => {
    rings.push(clock.now())
    alarm.set(60_000)
  })
  alarm.set(60_000)
  for (let at = 20; at < 2000; at += 20) {
    alarm.set(at)
    await clock.to(at)
  }
  expect(clock.waits).toBe(rings.length + 1)
  await clock.to(60_000)
  expect(rings.at(-1)).toBe(60_000)
})

test('never rings once its signal has aborted', async () => {
  const clock = handClock()
  const life = new AbortController()
  let rings = 0
  const alarm = new Alarm(clock, life.signal, () => rings++)
  alarm.set(10)
  life.abort()
  alarm.set(5)
  await clock.to(20)
  expect(rings).toBe(0)
})
