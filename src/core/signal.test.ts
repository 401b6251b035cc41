import { expect, test } from 'vitest'
import { Signal } from './signal.ts'

async function isResolved(promise: Promise<void>): Promise<boolean> {
  let resolved = false
  void promise.then(() => (resolved = true))
  await new Promise(setImmediate)
  return resolved
}

test('waits until it is notified', async () => {
  const signal = new Signal()
  const waiting = signal.wait()
  expect(await isResolved(waiting)).toBe(false)
  signal.notify()
  expect(await isResolved(waiting)).toBe(true)
  expect(await isResolved(signal.wait())).toBe(false)
})

test('notifies that nobody waited for are remembered, as one', async () => {
  const signal = new Signal()
  signal.notify()
  signal.notify()
  expect(await isResolved(signal.wait())).toBe(true)
  expect(await isResolved(signal.wait())).toBe(false)
})
