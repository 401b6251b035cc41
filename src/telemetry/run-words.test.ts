import { expect, test } from 'vitest'
import { facts } from '../run/testing/facts.ts'
import { streamLines } from './run-entries.ts'
import { renderRun } from './run-terminal.ts'
import { lagWords, rateWords, stoppedWords, underWay } from './run-words.ts'

test('what is under way', () => {
  const delivery = { inFlight: 4, permits: 16, outstanding: 1 }
  const busy = facts({ at: 5000, delivery, group: { oldestAt: 2000 } })
  expect(underWay(busy)).toEqual([
    'generation 1 with 1 partition',
    '4 of 16 requests in flight',
    '1 record unsettled, the oldest for 3 s',
  ])
  expect(underWay(facts({ stopping: true, failed: 'transient', group: { joined: false } }))).toEqual([
    'stopped by an error (transient)',
    '0 requests in flight',
    '0 records unsettled',
  ])
})

test('how long the rest of a file takes is said only while it goes on, and is worth a second', () => {
  const reading = (more: Parameters<typeof facts>[0], read = 500_000): string =>
    underWay({ ...facts({ at: 10_000, startedAt: 0, ...more }), group: undefined, input: { read, size: 1e6 } }).join(
      '; ',
    )
  expect(reading({})).toContain('10 s, 50 % of 1.0 MB read, about 10 s left; ')
  for (const still of [
    reading({ at: 2000 }),
    reading({ stopping: true }),
    reading({ delivery: { failingSince: 4000 } }),
    reading({}, 950_000),
    reading({}, 1e6),
    reading({}, 0),
  ])
    expect(still).toMatch(/\d+ s, \d+ % of 1\.0 MB read; /)
})

test.each([
  ['nothing holds back', undefined, []],
  ['the permits do', 'permits', []],
  ['a learnt rate', 'rate', ['at most 245 requests/s (503 Service Unavailable)']],
] as const)('what holds requests back: %s', (_, heldBy, words) => {
  expect(rateWords({ heldBy, rate: { perSecond: 245.2, cause: '503 Service Unavailable' } })).toEqual(words)
})

test.each([
  [{ lag: 1n << 60n, isLagPartial: false }, '1,152,921,504,606,846,976'],
  [{ lag: 5n, isLagPartial: true }, '5+'],
  [{ lag: undefined, isLagPartial: false }, '-'],
])('a lag says what it is not: %o', (lag, words) => {
  expect(lagWords(lag)).toBe(words)
})

const stopped = { settled: 61_000, unsettled: 0, uncommitted: 0, hasLeft: true }
const group = { rebalances: 1, commits: { taken: 3, failed: 0 } }

test.each<[string, Parameters<typeof facts>[0]]>([
  ['Stopped: 61,000 records settled, offsets committed, group left.', { stopped, group }],
  [
    'Stopped: 1 record settled, the last offsets of 2 partitions not committed (records after them are read again), group left; 1 record read and not settled is read again.',
    // nothing is outstanding any more: it was given up
    { stopped: { ...stopped, settled: 1, unsettled: 1, uncommitted: 2 }, group, delivery: { outstanding: 0 } },
  ],
  [
    'Stopped: 0 records settled, nothing to commit, group not left: it gives the partitions to others when the session times out.',
    { stopped: { ...stopped, settled: 0, hasLeft: false } },
  ],
  [
    'Stopped: 0 records settled, nothing to commit, no group joined.',
    { stopped: { ...stopped, settled: 0 }, group: { rebalances: 0 } },
  ],
])('%s', (words, changes) => {
  expect(stoppedWords(facts(changes))!.message).toBe(words)
})

test('where there is no group, its progress is saved', () => {
  const ended = { ...facts({ stopped: { ...stopped, settled: 5 } }), group: undefined }
  expect(stoppedWords(ended)!.message).toBe('Stopped: 5 records settled, progress saved.')
})

test('nothing is said of a run that has not stopped, or that failed', () => {
  expect(stoppedWords(facts({ stopping: true }))).toBeUndefined()
})

test('it is the last line on a terminal, and the last entry of a log', async () => {
  const ended = facts({ stopping: true, stopped, group })
  const [words] = [stoppedWords(ended)!.message]
  expect(renderRun(ended, undefined, { columns: 80, rows: 24 }).at(-1)).toBe(words)
  const entries: string[] = []
  const progress = streamLines((_level, message) => Promise.resolve(void entries.push(message)))
  progress.show(ended)
  progress[Symbol.dispose]()
  await new Promise((resolve) => setImmediate(resolve))
  expect(entries).toEqual([expect.stringMatching(/^stream: /), words])
})
