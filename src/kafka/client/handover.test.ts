// What happens before a rejoin, by what the group says to a heartbeat.
// What an answer to a heartbeat means.

import { describe, expect, it } from 'vitest'
import { Handover, Heartbeats, type Heartbeat } from './handover.ts'
import { Membership } from './membership.ts'
import { settle, TestClock } from './testing/clock.ts'
import { memberEvents } from './testing/member.ts'

const HEARTBEAT = 3000
const REBALANCE = 60_000

function make(revoked: (signal: AbortSignal) => Promise<void> = async () => undefined) {
  const clock = new TestClock()
  const told: string[] = []
  const commits = { done: Promise.resolve() }
  const answers: Heartbeat[] = []
  const membership = new Membership(
    memberEvents({
      assigned: () => void told.push('assigned'),
      revoked: async (signal) => {
        told.push('revoked')
        await revoked(signal)
        told.push(signal.aborted ? 'cut short' : 'let go')
      },
      lost: (reason) => void told.push(`lost: ${reason}`),
    }),
    clock,
    { sessionTimeoutMs: 6000, rebalanceTimeoutMs: REBALANCE },
  )
  const handover = new Handover({
    clock,
    membership,
    heartbeatMs: HEARTBEAT,
    beat: async () => {
      told.push('beat')
      return answers.shift() ?? 'good'
    },
    pauseAll: () => void told.push('paused'),
    commitsDone: () => commits.done,
  })
  const assigned = (): void => {
    membership.joined('1')
    membership.heard(clock.now())
    membership.assign([{ topic: 't', partition: 0, offset: 0n, high: 0n }])
    told.length = 0
  }
  return { clock, told, commits, answers, membership, handover, assigned }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

describe('Handover', () => {
  it('lets go in peace of a group that is rebalancing', async () => {
    const { told, handover, assigned } = make()
    assigned()
    await handover.letGo('member-1')
    expect(told).toEqual(['paused', 'beat', 'revoked', 'let go'])
  })

  it('has nothing to let go of the first time', async () => {
    const { told, handover } = make()
    await handover.letGo('')
    expect(told).toEqual(['paused'])
  })

  it('tells a loss to a member that the group has forgotten', async () => {
    const { told, handover, assigned } = make()
    assigned()
    await handover.letGo('')
    expect(told).toEqual(['paused', 'lost: the group no longer knows this member'])
  })

  it.each([
    ['gone', 'the group continued without this member'],
    ['unanswered', 'the group coordinator does not answer, or is another now'],
  ] as const)('tells a loss when the heartbeat is %s', async (answer, reason) => {
    const { told, handover, assigned, answers } = make()
    assigned()
    answers.push(answer)
    await handover.letGo('member-1')
    expect(told).toEqual(['paused', 'beat', `lost: ${reason}`])
  })

  it('voids a generation that is not told yet', async () => {
    const { told, handover, membership } = make()
    const ticket = membership.joined('1')
    await handover.letGo('member-1')
    expect(membership.isCurrent(ticket)).toBe(false)
    expect(told).toEqual(['paused'])
  })

  it('heartbeats as long as letting go takes', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { told, clock, handover, assigned } = make(() => promise)
    assigned()
    const letGo = handover.letGo('member-1')
    await clock.pass(3 * HEARTBEAT)
    resolve()
    await letGo
    await clock.pass(3 * HEARTBEAT)
    expect(told).toEqual(['paused', 'beat', 'revoked', 'beat', 'beat', 'beat', 'let go'])
  })

  it('cuts it short when the group will wait no longer', async () => {
    const { told, clock, handover, assigned } = make(aborted)
    assigned()
    const letGo = handover.letGo('member-1')
    await clock.pass(REBALANCE - 2001)
    expect(told).not.toContain('cut short')
    await clock.pass(1)
    await letGo
    expect(told.at(-1)).toBe('cut short')
  })

  it('counts from the last heartbeat that knew of no rebalance, however late it learns of it', async () => {
    const { told, clock, handover, assigned, membership } = make(aborted)
    assigned()
    await clock.pass(50_000)
    membership.heard(clock.now(), false)
    const letGo = handover.letGo('member-1')
    await clock.pass(REBALANCE - 50_000 - 2000)
    await letGo
    expect(told.at(-1)).toBe('cut short')
  })

  it('cuts it short when the group drops the member meanwhile, without telling another loss', async () => {
    const { told, clock, handover, assigned, answers } = make(aborted)
    assigned()
    answers.push('good', 'good', 'gone')
    const letGo = handover.letGo('member-1')
    await clock.pass(2 * HEARTBEAT)
    await letGo
    expect(told).toEqual(['paused', 'beat', 'revoked', 'beat', 'beat', 'cut short'])
  })

  it('waits for commits that are under way', async () => {
    const { commits, handover, assigned } = make()
    const { promise, resolve } = Promise.withResolvers<void>()
    commits.done = promise
    assigned()
    let isDone = false
    const letGo = handover.letGo('member-1').then(() => (isDone = true))
    await settle()
    expect(isDone).toBe(false)
    resolve()
    await letGo
  })

  it('lets go once for two rejoins that come together', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { told, handover, assigned } = make(() => promise)
    assigned()
    const both = [handover.letGo('member-1'), handover.letGo('')]
    await settle()
    resolve()
    await Promise.all(both)
    expect(told).toEqual(['paused', 'beat', 'revoked', 'let go'])
  })
})

const refusal = (type: string): Error => Object.assign(new Error('refused'), { type })

function makeHeartbeats() {
  const clock = new TestClock()
  const heard: [at: number, isSteady: boolean][] = []
  return { clock, heard, heartbeats: new Heartbeats(clock, (...one) => void heard.push(one)) }
}

describe('Heartbeats', () => {
  it('finds nothing wrong while none can be sent', async () => {
    expect(await makeHeartbeats().heartbeats.beat()).toBe('good')
  })

  it('takes an answer for as old as its question', async () => {
    const { clock, heard, heartbeats } = makeHeartbeats()
    const from = clock.now()
    heartbeats.sent()
    await clock.pass(5000)
    heartbeats.answered()
    expect(heard).toEqual([[from, true]])
  })

  it('takes a rebalance for a good answer', async () => {
    const { clock, heard, heartbeats } = makeHeartbeats()
    heartbeats.use(async () => {
      heartbeats.sent()
      throw refusal('REBALANCE_IN_PROGRESS')
    })
    expect(await heartbeats.beat()).toBe('good')
    expect(heard).toEqual([[clock.now(), false]])
  })

  it.each(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID'])('takes %s for the end', async (type) => {
    const { heard, heartbeats } = makeHeartbeats()
    heartbeats.use(async () => {
      throw new Error('wrapped', { cause: refusal(type) })
    })
    expect(await heartbeats.beat()).toBe('gone')
    expect(heard).toEqual([])
  })

  it('does not wait for ever, nor take trouble for an answer', async () => {
    const { clock, heartbeats } = makeHeartbeats()
    heartbeats.use(async () => {
      throw refusal('NOT_COORDINATOR_FOR_GROUP')
    })
    expect(await heartbeats.beat()).toBe('unanswered')
    heartbeats.use(() => new Promise(() => undefined))
    const beat = heartbeats.beat()
    await clock.pass(2000)
    expect(await beat).toBe('unanswered')
  })
})
