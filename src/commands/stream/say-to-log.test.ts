import { expect, it } from 'vitest'
import { sayToLog } from './say-to-log.ts'

it.each([
  ['DEBUG', 'debug'],
  ['INFO', 'info'],
  ['WARN', 'warn'],
  // the one error of a run is its end, which is not said here
  ['ERROR', 'warn'],
  ['FATAL', 'warn'],
] as const)('what is said as %s is logged as %s, as it is and without fields', async (level, logged) => {
  const entries: unknown[][] = []
  const say = sayToLog((...entry) => {
    entries.push(entry)
    return Promise.resolve()
  })
  await say(level, 'two\nlines, "é"')
  expect(entries).toEqual([[logged, 'two\nlines, "é"']])
})

it('who says something waits until there is room in the log', async () => {
  const room = Promise.withResolvers<void>()
  let isSaid = false
  const said = sayToLog(() => room.promise)('INFO', 'a').then(() => (isSaid = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(isSaid).toBe(false)
  room.resolve()
  await said
  expect(isSaid).toBe(true)
})
