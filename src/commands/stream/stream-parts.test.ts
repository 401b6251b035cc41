import { expect, it } from 'vitest'
import { sayToLog, logReplayed } from './stream-parts.ts'

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

it('tells what became of dead letters, in words and in figures', async () => {
  const entries: unknown[][] = []
  const log = (...entry: unknown[]): Promise<void> => {
    entries.push(entry)
    return Promise.resolve()
  }
  // counts of a topic hold more, which is not told
  const counts = { records: 9, written: 5, rejected: 2 }
  await logReplayed(log, 'the topic "letters"', counts)
  await logReplayed(log, '"a b.jsonl"', { written: 0, rejected: 0 })
  expect(entries).toEqual([
    [
      'info',
      'Dead letters of the topic "letters" replayed: 5 stored, 2 kept as dead letters again.',
      { stored: 5, rejected: 2 },
    ],
    [
      'info',
      'Dead letters of "a b.jsonl" replayed: 0 stored, 0 kept as dead letters again.',
      { stored: 0, rejected: 0 },
    ],
  ])
})
