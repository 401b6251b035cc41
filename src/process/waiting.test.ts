import { describe, expect, it } from 'vitest'
import { TestClock } from '../kafka/client/testing/clock.ts'
import { until, within } from './waiting.ts'

it('is what was waited for, its error, or the reason to wait no longer', async () => {
  const life = new AbortController()
  const never = Promise.withResolvers<string>()
  expect(await until(Promise.resolve('done'), life.signal)).toBe('done')
  await expect(until(Promise.reject(new Error('broken')), life.signal)).rejects.toThrow('broken')
  const waiting = until(never.promise, life.signal)
  life.abort(new Error('too late'))
  await expect(waiting).rejects.toThrow('too late')
  await expect(until(never.promise, life.signal)).rejects.toThrow('too late')
  never.reject(new Error('nobody hears this'))
})

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
