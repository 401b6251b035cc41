import { expect, it } from 'vitest'
import { until } from './until.ts'

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
