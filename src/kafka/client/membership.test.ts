// The order in which a connector is told, whatever happens.

import { describe, expect, it } from 'vitest'
import { Membership } from './membership.ts'
import { settle, TestClock } from './testing/clock.ts'
import { memberEvents } from './testing/member.ts'

const SESSION = 6000
const REBALANCE = 20_000
const positions = [{ topic: 't', partition: 0, offset: 5n, high: 9n }]

function make(revoked: (signal: AbortSignal) => Promise<void> = async () => undefined) {
  const told: string[] = []
  const events = memberEvents({
    assigned: (some) =>
      void told.push(`assigned ${some.map(({ partition, offset }) => `${partition}@${offset}`).join()}`),
    revoked: async (signal) => {
      told.push('revoked')
      await revoked(signal)
      told.push('let go')
    },
    lost: (reason) => void told.push(`lost ${reason}`),
  })
  const clock = new TestClock()
  return {
    told,
    clock,
    membership: new Membership(events, clock, { sessionTimeoutMs: SESSION, rebalanceTimeoutMs: REBALANCE }),
  }
}

const never = new AbortController().signal

describe('Membership', () => {
  it('tells an assignment, and lets it go', async () => {
    const { told, membership } = make()
    membership.joined('1')
    expect(membership.hasAssignment).toBe(false)
    expect(membership.reading('t', 0)).toBeUndefined()
    membership.assign(positions)
    expect(membership.reading('t', 0)).toBeDefined()
    expect(membership.reading('t', 7)).toBeUndefined()
    expect(membership.find('t', 0)).toMatchObject({ next: 5n, high: 9n })
    await membership.revoke(never)
    expect(membership.find('t', 0)).toBeUndefined()
    expect(told).toEqual(['assigned 0@5', 'revoked', 'let go'])
  })

  it('keeps what is being let go until it is', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { membership } = make(() => promise)
    membership.joined('1')
    membership.assign(positions)
    const revoking = membership.revoke(never)
    expect(membership.isAssigned).toBe(false)
    expect(membership.find('t', 0)).toBeDefined()
    expect(membership.reading('t', 0)).toBeUndefined()
    resolve()
    await revoking
    expect(membership.find('t', 0)).toBeUndefined()
  })

  it('cuts a revocation short, and tells no second end, when the membership is lost meanwhile', async () => {
    const { told, membership } = make((signal) => new Promise((end) => signal.addEventListener('abort', () => end())))
    membership.joined('1')
    membership.assign(positions)
    const revoking = membership.revoke(never)
    membership.lost('evicted')
    membership.lost('again')
    await revoking
    expect(told).toEqual(['assigned 0@5', 'revoked', 'let go'])
    expect(membership.isMember()).toBe(false)
  })

  it('tells the end of a generation that another takes the place of unannounced', () => {
    const { told, membership } = make()
    const first = membership.joined('1')
    membership.assign(positions)
    membership.joined('2')
    expect(membership.isCurrent(first)).toBe(false)
    membership.assign([])
    expect(told).toEqual(['assigned 0@5', 'lost the group began another generation', 'assigned '])
  })

  it('is quiet about an end that was wanted', async () => {
    const { told, membership } = make()
    membership.joined('1')
    membership.assign(positions)
    membership.left()
    await membership.quiet()
    expect(told).toEqual(['assigned 0@5'])
    expect(membership.find('t', 0)).toBeUndefined()
  })

  it('is a member for a session after its last good heartbeat left, and only while it has an assignment', async () => {
    const { membership, clock } = make()
    const sentAt = clock.now()
    expect(membership.isMember()).toBe(false)
    membership.joined('1')
    membership.assign(positions)
    expect(membership.isMember()).toBe(false)
    await clock.pass(1000)
    membership.heard(sentAt)
    expect(membership.isMember()).toBe(true)
    // what begins now and takes so long ends before the group may have given the partitions away
    expect([SESSION - 1001, SESSION - 1000].map((ms) => membership.isMember(ms))).toEqual([true, false])
    await clock.pass(SESSION - 1001)
    expect(membership.isMember()).toBe(true)
    await clock.pass(1)
    expect(membership.isMember()).toBe(false)
    membership.heard(clock.now())
    membership.heard(sentAt)
    expect(membership.isMember()).toBe(true)
    membership.lost('over')
    expect(membership.isMember()).toBe(false)
  })

  it('is none that a rebalance may have ended without, though its heartbeats are answered', async () => {
    const { clock, membership } = make(() => new Promise(() => undefined))
    membership.heard(clock.now())
    membership.joined('1')
    membership.assign(positions)
    const later = async (ms: number): Promise<void> => {
      await clock.pass(ms)
      membership.heard(clock.now(), false)
    }
    for (let time = 0; time < 15; time++) await later(1000)
    // it has not learnt of the rebalance yet, and then it has
    expect([4999, 5000].map((ms) => membership.isMember(ms))).toEqual([true, false])
    void membership.revoke(never)
    expect(membership.rejoinMs).toBe(3000)
    expect([2999, 3000].map((ms) => membership.isMember(ms))).toEqual([true, false])
    await later(2999)
    expect(membership.isMember()).toBe(true)
    await later(1)
    expect(membership.isMember()).toBe(false)
    membership.heard(clock.now())
    expect(membership.isMember(SESSION - 1)).toBe(true)
  })

  it('hands on what goes wrong while letting go, and has let go all the same', async () => {
    const { membership } = make(() => Promise.reject(new Error('no')))
    membership.joined('1')
    membership.assign(positions)
    await expect(membership.revoke(never)).rejects.toThrow('no')
    await settle()
    expect(membership.hasAssignment).toBe(false)
  })
})
