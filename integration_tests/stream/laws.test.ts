// Each law finds what breaks it, and nothing else.

import { describe, expect, it } from 'vitest'
import { committedFault, rowsFault, zombieFault } from './laws.ts'
import type { Upsert } from './receiver.ts'
import type { Sample } from './watcher.ts'
import type { Produced } from './workload.ts'

const record = (offset: number, id: number, version = 1, isPoison = false): Produced => {
  return { partition: 0, id, version, offset, isPoison }
}
const upsert = (takenAt: number, ...points: (readonly [id: number, version: number])[]): Upsert => ({
  member: 1,
  beganAt: takenAt - 1,
  takenAt,
  points: points.map(([id, version]) => ({ id, version, partition: 0 })),
  isUnderWay: false,
})
const committed = (at: number, offset: number): Pick<Sample, 'committed' | 'committedAnsweredAt'> => {
  return { committed: [BigInt(offset)], committedAnsweredAt: at }
}

describe('the law of committed offsets', () => {
  const produced = [[record(0, 1), record(1, 2), record(2, 1, 2), record(3, 3, 1, true)]]
  const letters = new Map([['0/3', 40]])

  it('holds where all below is acknowledged, superseded or kept', () => {
    const taken = [upsert(10, [1, 2]), upsert(20, [2, 1])]
    const samples = [committed(5, 0), committed(15, 1), committed(25, 3), committed(45, 4)]
    expect(committedFault(samples, taken, produced, letters)).toBeUndefined()
  })

  it('is broken by a record that is acknowledged later', () => {
    const taken = [upsert(10, [1, 2]), upsert(30, [2, 1])]
    expect(committedFault([committed(25, 2)], taken, produced, letters)).toMatch(/offset 2 .* record 1 is not settled/)
  })

  it('is broken by an older version and by a dead letter that is not kept yet', () => {
    const taken = [upsert(10, [1, 1], [2, 1])]
    expect(committedFault([committed(25, 3)], taken, produced, letters)).toMatch(/record 2 is not settled/)
    const all = [...taken, upsert(12, [1, 2])]
    expect(committedFault([committed(25, 4)], all, produced, letters)).toMatch(/dead letter 3 is not settled/)
  })

  it('takes no notice of offsets that nothing is known of', () => {
    expect(committedFault([committed(15, 9)], [upsert(10, [1, 1])], [[record(0, 1)]], letters)).toBeUndefined()
  })
})

describe('the law of rows', () => {
  const row = (version: number, beganAt: number, takenAt: number): { version: number; by: Upsert } => {
    return { version, by: { ...upsert(takenAt), beganAt } }
  }

  it('holds for the model, and for what was under way when its member was stopped', () => {
    const rows = new Map([
      [1, row(2, 5, 6)],
      [2, row(1, 8, 12)],
    ])
    const model = new Map([
      [1, 2],
      [2, 2],
    ])
    expect(rowsFault(rows, model, [{ member: 1, at: 10 }])).toEqual({ fault: undefined, late: 1 })
    expect(rowsFault(rows, model, [{ member: 2, at: 10 }]).fault).toMatch(/row 2 has version 1/)
    expect(rowsFault(rows, model, [{ member: 1, at: 7 }]).fault).toMatch(/row 2 has version 1/)
  })

  it('is broken by a row too few or too many', () => {
    expect(rowsFault(new Map(), new Map([[1, 1]]), []).fault).toMatch(/row 1 has version undefined/)
    expect(rowsFault(new Map([[1, row(1, 1, 2)]]), new Map(), []).fault).toMatch(/row 1 was never produced/)
  })
})

describe('the law of those who are out', () => {
  const sample = (at: number, owners: Readonly<Record<number, readonly number[]>>): Sample => ({
    group: {
      state: 'Stable',
      members: Object.entries(owners).map(([member, partitions]) => {
        return { id: member, clientId: `member-${member}`, assigned: { t: partitions } }
      }),
    },
    groupAskedAt: at,
    groupAnsweredAt: at + 1,
    committed: [],
    committedAnsweredAt: at,
  })
  const samples = [
    sample(10, { 1: [0] }),
    sample(20, { 2: [0] }),
    sample(30, { 2: [0] }),
    sample(40, { 1: [], 2: [0] }),
  ]
  const last = sample(50, { 1: [], 2: [0] })

  it('holds for members, and where it cannot be known', () => {
    const upserts = [upsert(6, [1, 1]), upsert(16, [1, 1]), upsert(36, [1, 1])]
    expect(zombieFault(samples.slice(0, 3), upserts, 't', 1)).toBeUndefined()
  })

  it('is broken by one that the group does not list', () => {
    expect(zombieFault(samples, [upsert(26, [1, 1])], 't', 1)).toMatch(/member 1 begins an upsert 4 ms after/)
  })

  it('is broken by one of a partition that is another member’s', () => {
    expect(zombieFault([...samples, last], [upsert(46, [1, 1])], 't', 1)).toMatch(
      /partition 0, 24 ms after .* member 2's/,
    )
  })
})
