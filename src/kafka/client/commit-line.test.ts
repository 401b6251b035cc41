// Commits one after another, and the ones that kafkajs only pretends to have sent.

import { describe, expect, it } from 'vitest'
import { CommitLine } from './commit-line.ts'
import { Membership } from './membership.ts'
import { settle, TestClock } from './testing/clock.ts'
import type { MemberEvents } from '../types.ts'

const silent: MemberEvents = {
  assigned: () => undefined,
  revoked: async () => undefined,
  lost: () => undefined,
  batch: () => undefined,
  failed: () => undefined,
  log: () => undefined,
}
const at = (offset: bigint) => [{ topic: 't', partition: 0, offset }]

describe('CommitLine', () => {
  it('sends one after another, each with what is asked for when it is its turn', async () => {
    const sent: string[] = []
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let sends = 0
    const line = new CommitLine({
      commitOffsets: async (positions) => {
        sent.push(positions.map(({ offset }) => offset).join())
        await gates[sends++]!.promise
        line.taken()
      },
    })
    let owned = at(5n)
    const first = line.commit(() => owned)
    const second = line.commit(() => owned)
    await settle()
    expect(sent).toEqual(['5'])
    owned = at(9_007_199_254_740_993n)
    gates[0]!.resolve()
    await first
    await settle()
    expect(sent).toEqual(['5', '9007199254740993'])
    gates[1]!.resolve()
    await second
    await line.done()
  })

  it('sends no offset of a partition that was lost and assigned again while it waited for its turn', async () => {
    const sent: string[] = []
    const gate = Promise.withResolvers<void>()
    const line = new CommitLine({
      commitOffsets: async (positions) => {
        sent.push(positions.map(({ offset }) => offset).join())
        await gate.promise
        line.taken()
      },
    })
    const membership = new Membership(silent, new TestClock(), 6000)
    membership.joined('1')
    membership.assign([{ ...at(5n)[0]!, high: 90n }])
    const first = line.commit(membership.stillOwned(at(6n)))
    const second = line.commit(membership.stillOwned(at(7n)))
    await settle()
    membership.lost('the group went on without this member')
    membership.joined('2')
    membership.assign([{ ...at(50n)[0]!, high: 90n }])
    const third = line.commit(membership.stillOwned(at(51n)))
    gate.resolve()
    await Promise.all([first, second, third])
    expect(sent).toEqual(['6', '51'])
  })

  it('sends nothing when nothing is left', async () => {
    let calls = 0
    const line = new CommitLine({ commitOffsets: async () => void calls++ })
    await line.commit(() => [])
    expect(calls).toBe(0)
  })

  it('hands on a refusal to whom it concerns, and goes on', async () => {
    let isRefusing = true
    const line = new CommitLine({
      commitOffsets: async () => {
        if (isRefusing) throw new Error('refused')
        line.taken()
      },
    })
    await expect(line.commit(() => at(1n))).rejects.toThrow('refused')
    isRefusing = false
    await line.commit(() => at(1n))
    await line.done()
  })

  it('finds out a client that only pretends', async () => {
    const line = new CommitLine({ commitOffsets: async () => undefined })
    await expect(line.commit(() => at(1n))).rejects.toThrow('not running')
  })
})
