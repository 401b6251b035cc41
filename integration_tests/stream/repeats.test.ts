import { describe, expect, it } from 'vitest'
import { KILL_MS, killFault, repeatsOf } from './repeats.ts'
import type { Upsert } from './receiver.ts'
import type { Produced } from './workload.ts'

const upsert = (member: number, takenAt: number, ...points: (readonly [id: number, version: number])[]): Upsert => ({
  member,
  beganAt: takenAt - 1,
  takenAt,
  points: points.map(([id, version]) => ({ id, version, partition: 0 })),
  isUnderWay: false,
})

it('what is taken again, and what goes back, are counted', () => {
  const taken = [
    upsert(1, 1, [1, 1], [2, 1]),
    upsert(1, 2, [1, 2]),
    upsert(2, 3, [1, 1], [2, 1]),
    upsert(2, 4, [1, 3], [3, 1]),
  ]
  expect(repeatsOf(taken)).toEqual({ again: 2, back: 1 })
  expect(repeatsOf(taken.slice(0, 2))).toEqual({ again: 0, back: 0 })
})

describe('what comes again after a kill', () => {
  const produced: Produced[][] = [
    [1, 2, 3, 4].map((id, offset) => ({ id, version: 1, partition: 0, offset, isPoison: false })),
  ]
  const at = 10 * KILL_MS
  const stop = { member: 1, at }
  const long = at - 2 * KILL_MS

  it('may have been settled just before, or behind what was not settled', () => {
    const before = [upsert(1, long, [1, 1]), upsert(1, long, [3, 1]), upsert(1, at - 1, [2, 1])]
    const after = [upsert(2, at + 1, [2, 1]), upsert(2, at + 2, [3, 1], [4, 1])]
    expect(killFault([...before, ...after], produced, stop)).toBeUndefined()
  })

  it('must not have been settled in an unbroken row long before', () => {
    const taken = [upsert(1, long, [2, 1], [1, 1]), upsert(2, at + 1, [2, 1])]
    expect(killFault(taken, produced, stop)).toMatch(/member 1 1 records came again, 1 of them settled/)
  })
})
