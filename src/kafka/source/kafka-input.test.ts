import { expect, it } from 'vitest'
import { replayedWords } from './kafka-input.ts'

it('tells what became of dead letters, in words and in figures', () => {
  // counts of a topic hold more, which is not told
  const counts = { records: 9, written: 5, rejected: 2 }
  expect(replayedWords('the topic "letters"', counts)).toEqual([
    'info',
    'Dead letters of the topic "letters" replayed: 5 stored, 2 kept as dead letters again.',
    { stored: 5, rejected: 2 },
  ])
})
