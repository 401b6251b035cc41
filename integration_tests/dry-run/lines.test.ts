// `write --dry-run` says of random inputs what the run that follows does, and sends nothing.

import { randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { judge } from './judge.ts'
import { both, linesOf } from './lines.ts'

const FIXED = 225
const FRESH = 225
const fresh = randomInt(2 ** 31)

it.each([
  ['fixed', 1, FIXED],
  ['fresh', fresh, FRESH],
])(
  'every exact number is that of the run, and every bound holds: %s seeds from %d on',
  async (_which, first, count) => {
    const ends = new Map<string, number>()
    for (let seed = first; seed < first + count; seed++) {
      const lines = linesOf(seed)
      const { dry, dryCode, requests, code, error, summary, rows } = await both(lines)
      try {
        expect(requests).toBe(0)
        expect(dryCode).toBe(code)
        // a dry run has stored nothing
        expect(dry.error?.message).toBe(error?.replace('All that came was stored, and its STATEs were printed. ', ''))
        judge(dry, summary, rows)
        if (dry.result === 'done') expect(dry.longest_line).toEqual(longestOf(lines.input))
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error })
      }
      ends.set(dry.result, (ends.get(dry.result) ?? 0) + 1)
    }
    expect(ends.get('done')).toBeGreaterThan(count / 10)
    expect(ends.get('failed')).toBeGreaterThan(count / 10)
  },
  600_000,
)

function longestOf(input: Buffer): { line: number; bytes: number } | null {
  const lines = input.toString('latin1').split('\n')
  const bytes = Math.max(...lines.map((line) => line.length))
  return bytes === 0 ? null : { line: 1 + lines.findIndex((line) => line.length === bytes), bytes }
}
