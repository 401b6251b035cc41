// Positions found at the beginning of a generation and while reading, and commits one after another.

import { describe, expect, it } from 'vitest'
import { Positioner } from './positioner.ts'
import { CommitQueue, topicIdIn } from './commits.ts'
import type { OffsetRange, MemberEvents } from '../types.ts'
import type { OutOfRangePolicy } from '../../config/stream/stream-config.ts'
import { Membership } from './membership.ts'
import { PartitionReader, type FetchControls } from './partition-reader.ts'
import { settle, TestClock } from './testing/clock.ts'
import { packedBatch } from './testing/fetched.ts'
import { memberEvents } from './testing/member.ts'
import { FetchBudget } from '../log/fetch-budget.ts'

const topic = 'orders'

function make(policy: OutOfRangePolicy = 'stop') {
  const told: string[] = []
  const clock = new TestClock()
  const end = new AbortController()
  const cluster = {
    range: { low: 10n, high: 20n } as OffsetRange,
    committed: undefined as bigint | undefined,
    topicId: undefined as string | undefined,
    committedId: undefined as string | undefined,
    trouble: undefined as Error | undefined,
  }
  const assigned: MemberEvents['assigned'] = (some) =>
    void told.push(`assigned ${some.map(({ offset }) => offset).join()}`)
  const events = memberEvents({ assigned })
  const membership = new Membership(events, clock, { sessionTimeoutMs: 6000, rebalanceTimeoutMs: 60_000 })
  const controls: FetchControls = {
    pause: () => void told.push('pause'),
    resume: () => void told.push(`resume at ${membership.find(topic, 0)?.next}`),
  }
  const reader = new PartitionReader({
    controls,
    membership,
    events,
    clock,
    budget: new FetchBudget(),
    isHalted: () => false,
    fail: () => undefined,
    end: (error) => {
      throw error
    },
  })
  const commits = new CommitQueue({
    commitOffsets: async (some) => {
      told.push(`commit ${some.map(({ offset }) => offset).join()}`)
      commits.confirmed()
    },
  })
  const positioner = new Positioner({
    questions: {
      ranges: async () => {
        if (cluster.trouble) throw cluster.trouble
        return new Map([[0, cluster.range]])
      },
      watermarks: async () => new Map([[0, cluster.range.high]]),
      offsetsAt: async () => new Map(),
      topicIds: async () => new Map(cluster.topicId === undefined ? [] : [[topic, cluster.topicId]]),
      committed: async () =>
        cluster.committed === undefined
          ? []
          : [{ topic, partition: 0, offset: cluster.committed, topicId: cluster.committedId }],
    },
    policies: { group: 'g', startOf: () => 'earliest', outOfRangeOf: () => policy },
    clock,
    signal: end.signal,
    membership,
    commits,
    reader,
    log: (warning) => void told.push(`said ${warning}`),
    fail: (error) => void told.push(`failed ${error.message}`),
    end: (error) => {
      told.push(`end ${error.name}`)
      end.abort()
    },
  })
  const begin = (): Promise<void> => positioner.begin(membership.joined('1'), [{ topic, partition: 0 }])
  return { told, clock, cluster, controls, membership, reader, positioner, begin, end }
}

describe('Positioner, at the beginning', () => {
  it.each<[committed: bigint | undefined, later: bigint, told: readonly string[]]>([
    [undefined, 20n, ['commit 10', 'assigned 10', 'resume at 10']],
    [15n, 20n, ['assigned 15', 'resume at 15']],
    // an end before it is believed only after a while
    [21n, 21n, ['assigned 21', 'resume at 21']],
    [9n, 20n, ['end ConnectorError']],
  ])('goes by what is committed, %s, and commits first what it decides anew', async (committed, high, told) => {
    const made = make()
    made.cluster.committed = committed
    const beginning = made.begin()
    if (high !== 20n) await made.clock.pass(2000)
    if (high !== 20n) expect(made.told).toEqual([])
    made.cluster.range = { low: 10n, high }
    await made.clock.pass(1000)
    await beginning
    expect(made.told).toEqual(told)
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
    expect(told.at(-1)).toBe('resume at 10')
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
})

async function running(policy: OutOfRangePolicy, topicId?: string) {
  const made = make(policy)
  Object.assign(made.cluster, { committed: 15n, topicId })
  await made.begin()
  made.told.length = 0
  return { ...made, owned: made.membership.find(topic, 0)! }
}

type Made = Awaited<ReturnType<typeof running>>

describe('Positioner, with an offset that is gone', () => {
  it('fails by default, and stays where it is', async () => {
    const { positioner, owned, cluster, told } = await running('stop')
    cluster.range = { low: 18n, high: 30n }
    positioner.outOfRange(owned)
    positioner.outOfRange(owned)
    await settle()
    expect(told).toEqual(['pause', 'pause', expect.stringMatching(/^failed .*offset 15.*offset 18.*the 3 offsets/)])
  })

  it.each([
    ['earliest', 18n],
    ['latest', 30n],
  ] as const)(
    'goes on elsewhere and says so (%s), without committing past what is under way',
    async (policy, offset) => {
      const { positioner, owned, cluster, told, membership } = await running(policy)
      cluster.range = { low: 18n, high: 30n }
      positioner.outOfRange(owned)
      await settle()
      expect(told).toEqual(['pause', expect.stringMatching(/^said .*the 3 offsets/), `resume at ${offset}`])
      expect(membership.find(topic, 0)).toMatchObject({ next: offset, awaitsPosition: false, isHeld: false })
    },
  )

  it('goes on where it was when it was only for a moment', async () => {
    const { positioner, owned, cluster, told, clock } = await running('stop')
    cluster.range = { low: 10n, high: 12n }
    positioner.outOfRange(owned)
    await clock.pass(1000)
    cluster.range = { low: 10n, high: 16n }
    await clock.pass(1000)
    expect(told).toEqual(['pause', 'resume at 15'])
  })

  it('counts what waited to be handed on and was dropped among what is gone', async () => {
    const { positioner, owned, cluster, told, reader } = await running('earliest')
    reader.pause(owned)
    reader.fetched(owned, [packedBatch(15n, 3, 10)], 30n)
    cluster.range = { low: 20n, high: 30n }
    positioner.outOfRange(owned)
    await settle()
    reader.letGo([])
    await settle()
    const said = told.filter((line) => line.startsWith('said'))
    expect(said.map((line) => /offset 1\d/.exec(line)?.[0])).toEqual(['offset 18', 'offset 15'])
    expect(owned.isHeld).toBe(true)
  })

  it('leaves it to the next generation when this one ends meanwhile', async () => {
    const { positioner, owned, cluster, told, membership, clock } = await running('earliest')
    cluster.trouble = new Error('away')
    positioner.outOfRange(owned)
    await settle()
    membership.lost('over')
    cluster.trouble = undefined
    await clock.pass(5000)
    expect(told).toEqual(['pause'])
  })

  const stages: readonly (readonly [string, (made: Made) => void])[] = [
    ['brokers are asked for it', (made) => (made.cluster.trouble = new Error('away'))],
    [
      'what was fetched is handed on',
      ({ reader, owned }) => {
        owned.isHeld = true
        reader.fetched(owned, [packedBatch(15n, 1, 1)], 30n)
      },
    ],
  ]
  it.each(
    stages.flatMap(([stage, during]) => [
      ['another session', stage, during] as const,
      ['the next generation', stage, during] as const,
    ]),
  )('touches nothing of what %s reads, which began while %s', async (successor, _, during) => {
    const made = await running('earliest')
    const { positioner, reader, owned, cluster, told, membership, clock, end } = made
    during(made)
    cluster.range = { low: 18n, high: 30n }
    positioner.outOfRange(owned)
    await settle()
    const isEnded = successor === 'another session'
    if (isEnded) end.abort()
    if (isEnded) reader[Symbol.dispose]()
    else reader.letGo([])
    membership.lost('over')
    membership.joined('2')
    membership.assign([{ topic, partition: 0, offset: 25n, high: 30n }])
    const next = membership.find(topic, 0)!
    const before = { ...next }
    told.length = 0
    cluster.trouble = undefined
    await clock.pass(5000)
    for (const one of isEnded ? [owned, next] : [owned]) {
      positioner.outOfRange(one)
      positioner.recreated(one)
      positioner.idChecked(one)
    }
    await clock.pass(5000)
    expect([told, membership.find(topic, 0) === next, next]).toEqual([[], true, before])
  })

  it('ends the client when it cannot go on there, instead of the process', async () => {
    const { positioner, owned, told, controls } = await running('stop')
    controls.resume = () => {
      throw new Error('not initialized')
    }
    positioner.outOfRange(owned)
    await settle()
    expect(told).toEqual(['pause', 'end ConnectorError'])
  })
})

describe('Positioner, with a topic that was created again', () => {
  it('does not believe at once that a committed offset is of another topic', async () => {
    const { told, begin, cluster, clock } = make('earliest')
    Object.assign(cluster, { committed: 15n, committedId: 'new', topicId: 'old' })
    const beginning = begin()
    await clock.pass(2000)
    expect(told).toEqual([])
    cluster.topicId = 'new'
    await clock.pass(1000)
    await beginning
    expect(told).toEqual(['assigned 15', 'resume at 15'])
  })

  it.each([
    ['stop', undefined],
    ['earliest', 10n],
    ['latest', 20n],
  ] as const)('goes by `out_of_range` when the committed offset is of another topic (%s)', async (policy, offset) => {
    const { told, begin, cluster, clock } = make(policy)
    Object.assign(cluster, { committed: 15n, committedId: 'old', topicId: 'new' })
    const beginning = begin()
    await clock.pass(3000)
    await beginning
    const all = ['said', `commit ${offset}`, `assigned ${offset}`, `resume at ${offset}`]
    expect(told.map((one) => one.replace(/^said .*deleted and created again.*$/, 'said')).toSorted()).toEqual(
      policy === 'stop' ? ['end ConnectorError'] : all.toSorted(),
    )
  })

  it('goes on elsewhere, commits that at once, and nothing of before any more', async () => {
    const { told, positioner, cluster, clock, membership, owned } = await running('earliest', 'old')
    const before = membership.stillOwned([{ topic, partition: 0, offset: 14n }])
    expect(before()).toEqual([{ topic, partition: 0, offset: 14n, topicId: 'old' }])
    Object.assign(cluster, { topicId: 'new', range: { low: 0n, high: 50n } })
    positioner.recreated(owned)
    positioner.recreated(owned)
    expect(before()).toEqual([])
    await clock.pass(3000)
    expect(told).toEqual([
      'pause',
      'commit 0',
      expect.stringMatching(/^said .*offset 15,.*created again/),
      'resume at 0',
    ])
    expect(membership.find(topic, 0)).toMatchObject({
      next: 0n,
      high: 50n,
      topicId: 'new',
      awaitsPosition: false,
      isRecreated: false,
    })
    expect(before()).toEqual([])
  })

  it('ends reading by default, and commits nothing', async () => {
    const { told, positioner, cluster, clock, membership, owned } = await running('stop', 'old')
    cluster.topicId = 'new'
    positioner.recreated(owned)
    await clock.pass(3000)
    expect(told).toEqual([
      'pause',
      expect.stringMatching(/^said /),
      expect.stringMatching(/^failed .*To read the topic as it is now/),
    ])
    expect(membership.stillOwned([{ topic, partition: 0, offset: 14n }])()).toEqual([])
  })

  it('goes on where it was when a broker only knew it late', async () => {
    const { told, positioner, clock, membership, owned } = await running('stop', 'old')
    positioner.recreated(owned)
    await clock.pass(3000)
    expect(told).toEqual(['pause', 'resume at 15'])
    expect(membership.stillOwned([{ topic, partition: 0, offset: 14n }])()).toHaveLength(1)
  })

  it('without ids is one whose end stays below an earlier one', async () => {
    const { told, positioner, cluster, clock, owned } = await running('earliest', undefined)
    cluster.range = { low: 10n, high: 18n }
    positioner.recreated(owned)
    await clock.pass(3000)
    expect(told).toContainEqual(expect.stringMatching(/^said .*created again/))
    const other = await running('earliest', undefined)
    other.positioner.recreated(other.owned)
    await other.clock.pass(3000)
    expect(other.told).toEqual(['pause', 'resume at 15'])
  })

  it('is fetched again once its id was asked for, unless it is another or was taken away', async () => {
    const { told, positioner, membership, owned } = await running('stop', 'old')
    owned.awaitsPosition = true
    positioner.idChecked(owned)
    expect([told, owned.awaitsPosition]).toEqual([['resume at 15'], false])
    positioner.recreated(owned)
    told.length = 0
    positioner.idChecked(owned)
    membership.lost('over')
    positioner.idChecked(owned)
    expect([told, owned.awaitsPosition]).toEqual([[], true])
  })
})

const at = (offset: bigint) => [{ topic, partition: 0, offset }]

describe('CommitQueue', () => {
  it('sends one after another, each with what is asked for when it is its turn', async () => {
    const sent: string[] = []
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let sends = 0
    const line = new CommitQueue({
      commitOffsets: async (positions) => {
        sent.push(positions.map(({ offset }) => offset).join())
        await gates[sends++]!.promise
        line.confirmed()
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
    const line = new CommitQueue({
      commitOffsets: async (positions) => {
        sent.push(positions.map(({ offset }) => offset).join())
        await gate.promise
        line.confirmed()
      },
    })
    const membership = new Membership(memberEvents(), new TestClock(), {
      sessionTimeoutMs: 6000,
      rebalanceTimeoutMs: 60_000,
    })
    membership.joined('1')
    membership.assign([{ ...at(5n)[0]!, high: 90n }])
    const first = line.commit(membership.stillOwned(at(6n)))
    const second = line.commit(membership.stillOwned(at(7n)))
    await settle()
    membership.lost('the group continued without this member')
    membership.joined('2')
    membership.assign([{ ...at(50n)[0]!, high: 90n }])
    const third = line.commit(membership.stillOwned(at(51n)))
    gate.resolve()
    await Promise.all([first, second, third])
    expect(sent).toEqual(['6', '51'])
  })

  it('sends the id of the topic with an offset, which is found again and in no other words', async () => {
    const sent: (string | null)[] = []
    const line = new CommitQueue({
      commitOffsets: async ([one]) => {
        sent.push(one!.metadata ?? null)
        line.confirmed()
      },
    })
    for (const topicId of ['AQEB', undefined]) await line.commit(() => [{ ...at(1n)[0]!, topicId }])
    expect(sent.map(topicIdIn)).toEqual(['AQEB', undefined])
    for (const other of [null, '', 'AQEB', 'anything']) expect(topicIdIn(other)).toBeUndefined()
  })

  it('hands on a refusal to whom it concerns, and goes on', async () => {
    let isRefusing = true
    const line = new CommitQueue({
      commitOffsets: async () => {
        if (isRefusing) throw new Error('refused')
        line.confirmed()
      },
    })
    await expect(line.commit(() => at(1n))).rejects.toThrow('refused')
    isRefusing = false
    await line.commit(() => at(1n))
    await line.done()
  })

  it('finds out a client that only pretends, and asks none for nothing', async () => {
    const line = new CommitQueue({ commitOffsets: async () => undefined })
    await expect(line.commit(() => at(1n))).rejects.toThrow('not running')
    await line.commit(() => [])
  })
})
