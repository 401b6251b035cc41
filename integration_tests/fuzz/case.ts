// A case: an input of a few lines of which one was changed, and the chunks it comes in. Made of a seed and an index alone.

import { Random } from '../engine/random.ts'
import type { Bases } from './bases.ts'
import { oneOf } from './hostile.ts'
import { mutate } from './mutate.ts'

export interface Case {
  /** The whole input. */
  readonly input: Buffer
  /** The changed line; a change may have made it several. */
  readonly line: Buffer
  /** Its number, from 1, or its first one's. */
  readonly at: number
  /** Bytes of a chunk. */
  readonly chunk: number
}

/** Lines before the changed one, at most. */
const AROUND = 4

export function caseOf(seed: number, index: number, bases: Bases): Case {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b))
  const base = oneOf(random, bases.all)
  const line = mutate(base, random, oneOf(random, bases.all))
  const before = Array.from({ length: random.below(AROUND) }, () => oneOf(random, bases.good))
  // a reader that has met the line unchanged knows how such a line begins
  if (before.length > 0 && random.below(3) > 0 && bases.isGood.has(base)) before[random.below(before.length)] = base
  const behind = Array.from({ length: random.below(1 + AROUND / 2) }, () => oneOf(random, bases.good))
  const mark = random.below(20) === 0 ? '\xef\xbb\xbf' : ''
  const end = random.below(10) === 0 ? '' : random.below(10) === 0 ? '\r\n' : '\n'
  const input = Buffer.from(`${mark}${[...before, line, ...behind].join('\n')}${end}`, 'latin1')
  const chunk = random.pick({ whole: 5, pipe: 1, some: 4, few: 1 })
  const sizes = { whole: input.length, pipe: 65_536, some: 1 + random.below(600), few: 1 + random.below(20) }
  return {
    input,
    line: Buffer.from(line, 'latin1'),
    at: before.length + 1,
    chunk: Math.max(1, sizes[chunk], Math.ceil(input.length / 100)),
  }
}
