import { expect, it } from 'vitest'
import { partitionsInWords } from './partitions-in-words.ts'

const at = (topic: string, partition: number): { topic: string; partition: number } => ({ topic, partition })

it('counts the partitions of each topic', () => {
  expect(partitionsInWords([at('a', 0), at('b', 4), at('a', 2)])).toBe('2 partitions of "a", 1 partition of "b"')
  expect(partitionsInWords([])).toBe('no partition is left for this member')
})

it('names twenty topics and counts the rest', () => {
  const many = Array.from({ length: 23 }, (_, index) => at(`t${index}`, 0))
  expect(partitionsInWords(many.slice(0, 20))).toMatch(/ of "t19"$/)
  expect(partitionsInWords(many.slice(0, 21))).toMatch(/ of "t19", and those of 1 more topic$/)
  expect(partitionsInWords(many)).toMatch(/ of "t19", and those of 3 more topics$/)
})
