// Letters of a partition stay together, those of many are spread.

import { expect, it } from 'vitest'
import { partitionFor } from './dead-letter-topic.ts'

it('gives each partition one, and uses all there are', () => {
  const from = Array.from({ length: 60 }, (_, partition) => ({ topic: 'orders', partition }))
  const chosen = from.map((each) => partitionFor(each, 6))
  expect(from.map((each) => partitionFor({ ...each }, 6))).toEqual(chosen)
  expect(new Set(chosen)).toEqual(new Set([0, 1, 2, 3, 4, 5]))
  expect(from.map((each) => partitionFor(each, 1))).toEqual(from.map(() => 0))
})

it('tells topics whose names end in digits apart', () => {
  const chosen = Array.from({ length: 9 }, (_, index) => [
    partitionFor({ topic: `t${index}`, partition: 11 }, 1_000_003),
    partitionFor({ topic: `t${index}1`, partition: 1 }, 1_000_003),
  ])
  expect(new Set(chosen.flat()).size).toBe(18)
})
