// Batches that continue what was read, and those that don't.

import { describe, expect, it } from 'vitest'
import { Membership } from './membership.ts'
import { PartitionReader } from './partition-reader.ts'
import type { KafkajsBatch } from './stand-ins.ts'
import { TestClock } from './testing/clock.ts'
import { messagesOf, packedBatch } from './testing/fetched.ts'
import { kafkajsBatch, memberEvents } from './testing/member.ts'
import { FetchBudget } from '../log/fetch-budget.ts'
import type { PackedBatch } from '../log/record-batch.ts'

function make(isHalted = false) {
  const told: string[] = []
  const controlled: string[] = []
  const events = memberEvents({
    revoked: () => new Promise(() => undefined),
    batch: ({ topic, partition, records, bytes, next, highWatermark }) =>
      void told.push(`${topic}-${partition}: ${records.length} of ${bytes} bytes, next ${next} of ${highWatermark}`),
  })
  const clock = new TestClock()
  const membership = new Membership(events, clock, { sessionTimeoutMs: 6000, rebalanceTimeoutMs: 60_000 })
  const names = (some: readonly { topic: string; partitions?: number[] }[]): string =>
    some.map(({ topic, partitions }) => `${topic}-${partitions?.join()}`).join(' ')
  const reader = new PartitionReader({
    controls: {
      pause: (some) => void controlled.push(`pause ${names(some)}`),
      resume: (some) => void controlled.push(`resume ${names(some)}`),
      seek: ({ topic, partition, offset }) => void controlled.push(`seek ${topic}-${partition} ${offset}`),
    },
    membership,
    events,
    clock,
    isHalted: () => isHalted,
    fail: (error) => void told.push(`failed ${error.message}`),
    end: (error) => {
      throw error
    },
  })
  membership.joined('1')
  membership.assign([{ topic: 't', partition: 0, offset: 5n, high: 9n }])
  const resolved: string[] = []
  const read = (fetchedOffset: string, last: string, values: string[] = ['a'], partition = 0): void =>
    reader.batch(batchOf(fetchedOffset, last, values, partition), (offset) => void resolved.push(offset))
  return { told, controlled, resolved, membership, reader, read }
}

/** Of so many records, as long as its values are, that end with `last`. */
function batchOf(fetchedOffset: string, last: string, values: string[], partition: number): KafkajsBatch {
  const first = BigInt(last) - BigInt(values.length - 1)
  return fetched(fetchedOffset, [packedBatch(first, values.length, values[0]!.length)], partition)
}

function fetched(fetchedOffset: string, batches: PackedBatch[], partition = 0): KafkajsBatch {
  return kafkajsBatch(partition, fetchedOffset, messagesOf(new FetchBudget(), batches).messages)
}

describe('PartitionReader', () => {
  it('hands on what continues, markers at its end included', () => {
    const { told, resolved, read } = make()
    read('5', '8', ['a', 'bb'])
    read('9', '9')
    expect(told).toEqual(['t-0: 2 of 416 bytes, next 9 of 100', 't-0: 1 of 208 bytes, next 10 of 100'])
    expect(resolved).toEqual(['8', '9'])
  })

  it.each(['4', '6', '0'])(
    'leaves what was fetched for offset %s instead, and goes back to the right one',
    (offset) => {
      const { told, resolved, controlled, read } = make()
      read(offset, '8')
      expect([told, resolved]).toEqual([[], []])
      expect(controlled).toEqual(['seek t-0 5'])
    },
  )

  it('tells what comes before a batch that cannot be unpacked, and ends there', () => {
    const { told, resolved, controlled, read, reader } = make()
    const good = (): PackedBatch => packedBatch(5n, 2, 1)
    const bad = (): PackedBatch => packedBatch(7n, 3, 1, { count: 4 })
    reader.batch(fetched('5', [good(), bad()]), (to) => void resolved.push(to))
    expect(told).toEqual([
      't-0: 2 of 416 bytes, next 7 of 100',
      expect.stringMatching(/^failed .*offsets 7 to 9 is damaged/),
    ])
    expect(resolved).toEqual(['9'])
    expect(controlled).toEqual(['seek t-0 7'])
    reader.batch(fetched('7', [bad()]), () => {})
    expect(told.slice(2)).toEqual([expect.stringMatching(/^failed /)])
    read('7', '8')
    expect(told.at(-1)).toBe('t-0: 1 of 208 bytes, next 9 of 100')
  })

  it('leaves what nobody owns, and everything while it is let go', () => {
    const { told, resolved, membership, read } = make()
    read('5', '8', ['a'], 1)
    void membership.revoke(new AbortController().signal)
    read('5', '8')
    expect([told, resolved]).toEqual([[], []])
  })

  it('leaves what belongs to a partition whose offset is gone', () => {
    const { told, membership, read } = make()
    membership.find('t', 0)!.isGone = true
    read('5', '8')
    expect(told).toEqual([])
  })

  it('leaves what comes of a paused partition, to be fetched again', () => {
    const { told, resolved, controlled, reader, read } = make()
    reader.pause({ topic: 't', partition: 0 })
    read('5', '8')
    expect([told, resolved]).toEqual([[], []])
    reader.resume({ topic: 't', partition: 0 })
    read('5', '8')
    expect([told, resolved]).toEqual([['t-0: 1 of 208 bytes, next 9 of 100'], ['8']])
    expect(controlled).toEqual(['pause t-0', 'resume t-0'])
  })

  it('tells offsets without records', () => {
    const { told, reader, read } = make()
    const nothing = packedBatch(5n, 3, 0, { as: 'nothing', packed: Buffer.alloc(0) })
    reader.batch(fetched('5', [nothing]), () => {})
    read('8', '8')
    expect(told).toEqual(['t-0: 0 of 0 bytes, next 8 of 100', 't-0: 1 of 208 bytes, next 9 of 100'])
  })

  it('asks again for an offset from which on nothing was fetched', () => {
    const { controlled, reader } = make()
    reader.again({ topic: 't', partition: 0 })
    reader.again({ topic: 't', partition: 1 })
    expect(controlled).toEqual(['seek t-0 5'])
  })

  it('asks again for batches that were let go before they were handed on', () => {
    const { told, resolved, controlled, reader, read } = make()
    const { messages, kept } = messagesOf(new FetchBudget(), [packedBatch(5n, 4, 1)])
    kept[Symbol.dispose]()
    reader.batch({ ...batchOf('5', '8', ['a'], 0), messages }, (to) => void resolved.push(to))
    expect([told, resolved, controlled]).toEqual([[], [], ['seek t-0 5']])
    read('5', '8')
    expect(told).toEqual(['t-0: 1 of 208 bytes, next 9 of 100'])
  })

  it('pauses and resumes what is owned, and nothing else', () => {
    const { controlled, reader } = make()
    reader.pause({ topic: 't', partition: 0 })
    reader.resume({ topic: 't', partition: 0 })
    reader.pause({ topic: 't', partition: 1 })
    reader.resume({ topic: 'u', partition: 0 })
    expect(controlled).toEqual(['pause t-0', 'resume t-0'])
  })

  it('does nothing while all is let go', () => {
    const { controlled, membership, reader } = make()
    void membership.revoke(new AbortController().signal)
    reader.pause({ topic: 't', partition: 0 })
    reader.resume({ topic: 't', partition: 0 })
    expect(controlled).toEqual([])
  })

  it('starts at the positions, but not what is held back or gone', () => {
    const { controlled, membership, reader } = make()
    reader.start(membership.owned)
    expect(controlled).toEqual(['seek t-0 5', 'resume t-0'])
    controlled.length = 0
    reader.pause({ topic: 't', partition: 0 })
    reader.start(membership.owned)
    membership.find('t', 0)!.isGone = true
    reader.resume({ topic: 't', partition: 0 })
    expect(controlled).toEqual(['pause t-0', 'seek t-0 5'])
  })

  it('fetches nothing once it is halted', () => {
    const { controlled, membership, reader } = make(true)
    reader.start(membership.owned)
    reader.resume({ topic: 't', partition: 0 })
    expect(controlled).toEqual(['seek t-0 5'])
  })
})
