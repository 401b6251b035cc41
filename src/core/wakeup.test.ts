import { expect, test } from 'vitest'
import { Wakeup } from './wakeup.ts'

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
