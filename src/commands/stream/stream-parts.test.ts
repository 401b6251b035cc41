import { expect, it } from 'vitest'
import { logReplayed } from './stream-parts.ts'

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
