import { expect, test } from 'vitest'
import { renderStream } from './render-stream.ts'
import { stoppedWords } from './stopped-words.ts'
import { streamLines } from './stream-lines.ts'
import { facts } from './testing/facts.ts'

const stopped = { settled: 61_000, unsettled: 0, uncommitted: 0, hasLeft: true }
const group = { rebalances: 1, commits: { taken: 3, failed: 0 } }

test.each<[string, Parameters<typeof facts>[0]]>([
  ['Stopped: 61,000 records settled, offsets committed, group left.', { stopped, group }],
  [
    'Stopped: 1 record settled, the last offsets of 2 partitions not committed (what is behind them is read again), group left; 1 record read and not settled is read again.',
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

test('nothing is said of a run that has not stopped, or that failed', () => {
  expect(stoppedWords(facts({ stopping: true }))).toBeUndefined()
})

test('it is the last line on a terminal, and the last entry of a log', async () => {
  const ended = facts({ stopping: true, stopped, group })
  const [words] = [stoppedWords(ended)!.message]
  expect(renderStream(ended, undefined, { columns: 80, rows: 24 }).at(-1)).toBe(words)
  const entries: string[] = []
  const progress = streamLines({
    everyMs: 60_000,
    log: (_level, message) => {
      entries.push(message)
      return Promise.resolve()
    },
  })
  progress.show(ended)
  progress[Symbol.dispose]()
  await new Promise((resolve) => setImmediate(resolve))
  expect(entries).toEqual([expect.stringMatching(/^stream: /), words])
})
