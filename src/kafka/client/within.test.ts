import { describe, expect, it } from 'vitest'
import { TestClock } from './testing/clock.ts'
import { within } from './within.ts'

describe('within', () => {
  it('ends with what it waits for, well or not', async () => {
    const clock = new TestClock()
    const began = clock.now()
    const waits = [within(Promise.resolve(), 1000, clock), within(Promise.reject(new Error('no')), 1000, clock)]
    expect(await Promise.all(waits)).toEqual([undefined, undefined])
    expect(clock.now()).toBe(began)
  })

  it('ends after its time', async () => {
    const clock = new TestClock()
    let isOver = false
    const waited = within(new Promise(() => undefined), 1000, clock).then(() => (isOver = true))
    await clock.pass(999)
    expect(isOver).toBe(false)
    await clock.pass(1)
    await waited
  })
})
