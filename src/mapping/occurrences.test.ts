import { describe, expect, it } from 'vitest'
import { Occurrences } from './occurrences.ts'

describe('Occurrences', () => {
  it('counts what came before', () => {
    const counted = new Occurrences()
    expect([1, 2, 1, 1, 2].map((low) => counted.before(9, low, 5))).toEqual([0, 0, 1, 2, 1])
  })

  it('never says "first" of what it may have forgotten, and stays bounded', () => {
    const counted = new Occurrences()
    const total = 400_000
    let first = 0
    for (let i = 0; i < total; i++) if (counted.before(i, i * 7, i) === 0) first++
    expect(first).toBe(total)
    // old ones are forgotten or known, never first again
    for (let i = 0; i < total; i += 500) expect(counted.before(i, i * 7, i)).not.toBe(0)
    expect(counted.before(total - 1, (total - 1) * 7, total - 1)).toBeGreaterThan(0)
    expect(counted.before(-1, -1, total)).toBe(0)
    expect(counted.before(-2, -2, 3)).toBeUndefined()
  })
})
