// Where reading goes on, at the beginning of a generation and when an offset is gone, with a cluster that changes.

import { describe, expect, it } from 'vitest'
import type { OutOfRangePolicy } from '../../config/stream/stream-config.ts'
import { CommitLine } from './commit-line.ts'
import { Membership } from './membership.ts'
import { PartitionReader } from './partition-reader.ts'
import { Positioner } from './positioner.ts'
import type { OffsetRange } from './positions.ts'
import { settle, TestClock } from './testing/clock.ts'
import type { MemberEvents } from '../types.ts'

const topic = 't'

function make(policy: OutOfRangePolicy = 'stop') {
  const told: string[] = []
  const clock = new TestClock()
  const end = new AbortController()
  const cluster = {
    range: { low: 10n, high: 20n } as OffsetRange,
    committed: undefined as bigint | undefined,
    trouble: undefined as Error | undefined,
  }
  const events: MemberEvents = {
    assigned: (some) => void told.push(`assigned ${some.map(({ offset }) => offset).join()}`),
    revoked: async () => undefined,
    lost: () => undefined,
    batch: () => undefined,
    failed: () => undefined,
    log: () => undefined,
  }
  const membership = new Membership(events, clock, 6000)
  const reader = new PartitionReader({
    controls: {
      pause: () => void told.push('pause'),
      resume: () => void told.push('resume'),
      seek: ({ offset }) => void told.push(`seek ${offset}`),
    },
    membership,
    events,
    clock,
    isHalted: () => false,
    fail: () => undefined,
    end: (error) => {
      throw error
    },
  })
  const commits = new CommitLine({
    commitOffsets: async (some) => {
      told.push(`commit ${some.map(({ offset }) => offset).join()}`)
      commits.taken()
    },
  })
  const positioner = new Positioner({
    questions: {
      ranges: async () => {
        if (cluster.trouble) throw cluster.trouble
        return new Map([[0, cluster.range]])
      },
      offsetsAt: async () => new Map(),
      committed: async () =>
        cluster.committed === undefined ? [] : [{ topic, partition: 0, offset: cluster.committed }],
    },
    policies: { group: 'g', startOf: () => 'earliest', outOfRangeOf: () => policy },
    clock,
    signal: end.signal,
    membership,
    commits,
    reader,
    log: (warning) => void told.push(`said ${warning}`),
    onAssigned: () => void told.push('done'),
    fail: (error) => void told.push(`failed ${error.message}`),
    end: (error) => {
      told.push(`end ${error.name}`)
      end.abort()
    },
  })
  const begin = (): Promise<void> => positioner.begin(membership.joined('1'), [{ topic, partition: 0 }])
  return { told, clock, cluster, membership, positioner, begin, end }
}

describe('Positioner, at the beginning', () => {
  it('commits what it decides anew, before it tells and reads', async () => {
    const { told, begin } = make()
    await begin()
    expect(told).toEqual(['commit 10', 'assigned 10', 'seek 10', 'resume', 'done'])
  })

  it('commits nothing that is committed', async () => {
    const { told, begin, cluster } = make()
    cluster.committed = 15n
    await begin()
    expect(told).toEqual(['assigned 15', 'seek 15', 'resume', 'done'])
  })

  it('tells nothing of a generation that is void by then', async () => {
    const { told, begin, membership } = make()
    const beginning = begin()
    membership.lost('another')
    await beginning
    expect(told).toEqual([])
  })

  it('asks again, and gives the client up when that does not help', async () => {
    const { told, begin, cluster, clock } = make()
    cluster.trouble = new Error('away')
    const beginning = begin()
    await clock.pass(2000)
    cluster.trouble = undefined
    await clock.pass(1000)
    await beginning
    expect(told.at(-1)).toBe('done')
    const other = make()
    other.cluster.trouble = new Error('away')
    const trying = other.begin()
    await other.clock.pass(10_000)
    await trying
    expect(other.told).toEqual(['end Error'])
  })

  it('asks no second time for what this user may not', async () => {
    const { told, cluster, begin } = make()
    const type = 'TOPIC_AUTHORIZATION_FAILED'
    cluster.trouble = new Error('wrapped', { cause: Object.assign(new Error('no'), { type }) })
    // no time passes
    await begin()
    expect(told).toEqual(['end Error'])
  })

  it('ends for good, and at once, on an offset that is gone', async () => {
    const { told, begin, cluster } = make()
    cluster.committed = 9n
    await begin()
    expect(told).toEqual(['end ConnectorError'])
  })

  it('believes an end before the committed offset only after a while', async () => {
    const { told, begin, cluster, clock } = make()
    cluster.committed = 21n
    const beginning = begin()
    await clock.pass(2000)
    expect(told).toEqual([])
    cluster.range = { low: 10n, high: 21n }
    await clock.pass(1000)
    await beginning
    expect(told).toEqual(['assigned 21', 'seek 21', 'resume', 'done'])
  })
})

describe('Positioner, with an offset that is gone', () => {
  async function running(policy: OutOfRangePolicy) {
    const made = make(policy)
    made.cluster.committed = 15n
    await made.begin()
    made.told.length = 0
    return made
  }

  it('keeps kafkajs from jumping, whatever comes then', async () => {
    const { positioner, membership, told } = await running('stop')
    expect(() => positioner.outOfRange({ topic, partition: 0 })).toThrow(expect.objectContaining({ retriable: true }))
    expect(told).toEqual(['pause'])
    expect(membership.find(topic, 0)?.isGone).toBe(true)
    expect(() => positioner.outOfRange({ topic: 'not owned', partition: 0 })).toThrow()
  })

  it('fails by default, and stays where it is', async () => {
    const { positioner, cluster, told } = await running('stop')
    cluster.range = { low: 18n, high: 30n }
    expect(() => positioner.outOfRange({ topic, partition: 0 })).toThrow()
    expect(() => positioner.outOfRange({ topic, partition: 0 })).toThrow()
    await settle()
    expect(told).toEqual(['pause', 'pause', expect.stringMatching(/^failed .*offset 15.*offset 18.*the 3 offsets/)])
  })

  it.each([
    ['earliest', 18n],
    ['latest', 30n],
  ] as const)(
    'goes on elsewhere and says so (%s), without committing past what is under way',
    async (policy, offset) => {
      const { positioner, cluster, told, membership } = await running(policy)
      cluster.range = { low: 18n, high: 30n }
      expect(() => positioner.outOfRange({ topic, partition: 0 })).toThrow()
      await settle()
      expect(told).toEqual(['pause', expect.stringMatching(/^said .*the 3 offsets/), `seek ${offset}`, 'resume'])
      expect(membership.find(topic, 0)).toMatchObject({ next: offset, isGone: false, isHeld: false })
    },
  )

  it('goes on where it was when it was only for a moment', async () => {
    const { positioner, cluster, told, clock } = await running('stop')
    cluster.range = { low: 10n, high: 12n }
    expect(() => positioner.outOfRange({ topic, partition: 0 })).toThrow()
    await clock.pass(1000)
    cluster.range = { low: 10n, high: 16n }
    await clock.pass(1000)
    expect(told).toEqual(['pause', 'seek 15', 'resume'])
  })

  it('leaves it to the next generation when this one ends meanwhile', async () => {
    const { positioner, cluster, told, membership, clock } = await running('earliest')
    cluster.trouble = new Error('away')
    expect(() => positioner.outOfRange({ topic, partition: 0 })).toThrow()
    await settle()
    membership.lost('over')
    cluster.trouble = undefined
    await clock.pass(5000)
    expect(told).toEqual(['pause'])
  })

  it('touches nothing of its successor once it has ended', async () => {
    const { positioner, membership, end } = await running('earliest')
    end.abort()
    expect(() => positioner.outOfRange({ topic, partition: 0 })).toThrow()
    expect(membership.find(topic, 0)?.isGone).toBe(false)
  })
})
