import { expect, test } from 'vitest'
import { Timer, Wakeup } from './wakeup.ts'
import { HandClock } from './testing/hand-clock.ts'

async function isResolved(promise: Promise<void>): Promise<boolean> {
  let resolved = false
  void promise.then(() => (resolved = true))
  await new Promise(setImmediate)
  return resolved
}

test('waits until it is notified', async () => {
  const wakeup = new Wakeup()
  const waiting = wakeup.wait()
  expect(await isResolved(waiting)).toBe(false)
  wakeup.notify()
  expect(await isResolved(waiting)).toBe(true)
  expect(await isResolved(wakeup.wait())).toBe(false)
})

test('notifies that nobody waited for are remembered, as one', async () => {
  const wakeup = new Wakeup()
  wakeup.notify()
  wakeup.notify()
  expect(await isResolved(wakeup.wait())).toBe(true)
  expect(await isResolved(wakeup.wait())).toBe(false)
})

test('fires once, at the earliest time set', async () => {
  const clock = new HandClock()
  const fired: number[] = []
  const timer = new Timer(clock, new AbortController().signal, () => fired.push(clock.now()))
  for (const at of [50, 20, 30, Infinity]) timer.set(at)
  for (const at of [10, 20, 30, 50, 99]) await clock.to(at)
  expect(fired).toEqual([20])
})

test('may be set again from where it fires, also to a time gone by', async () => {
  const clock = new HandClock()
  const fired: number[] = []
  const timer = new Timer(clock, new AbortController().signal, () => {
    fired.push(clock.now())
    if (fired.length < 3) timer.set(clock.now() + 10)
    else if (fired.length < 4) timer.set(0)
  })
  timer.set(10)
  for (const at of [10, 20, 30, 30, 40, 50]) await clock.to(at)
  expect(fired).toEqual([10, 20, 30, 30])
})

test('a far deadline that is overtaken again and again costs one wait', async () => {
  const clock = new HandClock()
  const fired: number[] = []
  const timer: Timer = new Timer(clock, new AbortController().signal, () => {
    fired.push(clock.now())
    if (clock.now() < 60_000) timer.set(60_000)
  })
  timer.set(60_000)
  for (let at = 20; at < 2000; at += 20) {
    timer.set(at)
    await clock.to(at)
  }
  expect(clock.waits).toBe(fired.length + 1)
  await clock.to(60_000)
  expect(fired.at(-1)).toBe(60_000)
})

test('never fires once its signal has aborted', async () => {
  const clock = new HandClock()
  const life = new AbortController()
  let fired = 0
  const timer = new Timer(clock, life.signal, () => fired++)
  timer.set(10)
  life.abort()
  timer.set(5)
  await clock.to(20)
  expect(fired).toBe(0)
})
