// What is handed on of the batches that came, and what is fetched.

import { describe, expect, it, vi } from 'vitest'
import { Membership } from './membership.ts'
import { PartitionReader } from './partition-reader.ts'
import { TestClock } from './testing/clock.ts'
import { packedBatch, ZSTD } from './testing/fetched.ts'
import { memberEvents } from './testing/member.ts'
import { FetchBudget } from '../log/fetch-budget.ts'
import { NO_OFFSET, type PackedBatch } from '../log/record-batch.ts'

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
    },
    membership,
    events,
    clock,
    budget: new FetchBudget(),
    isHalted: () => isHalted,
    fail: (error) => void told.push(`failed ${error.message}`),
    end: (error) => {
      throw error
    },
  })
  membership.joined('1')
  membership.assign([{ topic: 't', partition: 0, offset: 5n, high: 9n }])
  const owned = membership.find('t', 0)!
  reader.start()
  controlled.length = 0
  const fetch = (...batches: PackedBatch[]): void => reader.fetched(owned, batches, 100n)
  return { told, controlled, membership, owned, reader, fetch }
}

describe('PartitionReader', () => {
  it('hands on what came, offsets without records included, and goes on behind it', () => {
    const { told, owned, fetch } = make()
    fetch(packedBatch(5n, 2, 1), packedBatch(7n, 2, 0, { readAs: 'nothing', packed: Buffer.alloc(0) }))
    fetch(packedBatch(9n, 1, 1))
    expect(told).toEqual(['t-0: 2 of 416 bytes, next 9 of 100', 't-0: 1 of 208 bytes, next 10 of 100'])
    expect([owned.next, owned.high]).toEqual([10n, 100n])
  })

  it('leaves out batches before the offset that was asked for', () => {
    const { told, owned, fetch } = make()
    fetch(packedBatch(0n, 5, 1))
    expect([told, owned.next]).toEqual([[], 5n])
    fetch(packedBatch(0n, 5, 1), packedBatch(5n, 1, 1))
    expect(told).toEqual(['t-0: 1 of 208 bytes, next 6 of 100'])
  })

  it('tells what comes before a batch that cannot be unpacked, and ends there', () => {
    const { told, owned, fetch } = make()
    const bad = (): PackedBatch => packedBatch(7n, 3, 1, { count: 4 })
    fetch(packedBatch(5n, 2, 1), bad())
    expect(told).toEqual([
      't-0: 2 of 416 bytes, next 7 of 100',
      expect.stringMatching(/^failed .*offsets 7 to 9 is damaged/),
    ])
    expect(owned.next).toBe(7n)
    fetch(bad())
    expect(told.slice(2)).toEqual([expect.stringMatching(/^failed /)])
    fetch(packedBatch(7n, 2, 1))
    expect(told.at(-1)).toBe('t-0: 2 of 416 bytes, next 9 of 100')
  })

  it('reads what is owned, where it is neither paused, nor let go, nor looked for', () => {
    const { membership, owned, reader } = make()
    const isRead = (partition = 0): boolean => reader.reading('t', partition) !== undefined
    expect([reader.reading('t', 0), isRead(1)]).toEqual([owned, false])
    reader.pause(owned)
    expect(isRead()).toBe(false)
    reader.resume(owned)
    expect(isRead()).toBe(true)
    owned.awaitsPosition = true
    expect(isRead()).toBe(false)
    owned.awaitsPosition = false
    void membership.revoke(new AbortController().signal)
    expect(isRead()).toBe(false)
  })

  it('fetches nothing behind a batch without valid offsets, until it went back', () => {
    const { controlled, owned, reader, fetch } = make()
    reader.pause(owned)
    fetch(packedBatch(5n, 1, 1), packedBatch(NO_OFFSET, 1, 1, { readAs: 'damaged' }))
    owned.isHeld = false
    expect(reader.reading('t', 0)).toBeUndefined()
    reader.updateFetching([owned])
    expect(controlled.at(-1)).toBe('pause t-0')
    owned.next = 6n
    reader.updateFetching([owned])
    expect([reader.reading('t', 0), controlled.at(-1)]).toEqual([owned, 'resume t-0'])
  })

  it('pauses and resumes what is owned and not being let go, and nothing else', () => {
    const { controlled, membership, reader } = make()
    reader.pause({ topic: 't', partition: 0 })
    reader.resume({ topic: 't', partition: 0 })
    reader.pause({ topic: 't', partition: 1 })
    reader.resume({ topic: 'u', partition: 0 })
    expect(controlled).toEqual(['pause t-0', 'resume t-0'])
    void membership.revoke(new AbortController().signal)
    reader.pause({ topic: 't', partition: 0 })
    reader.resume({ topic: 't', partition: 0 })
    expect(controlled).toHaveLength(2)
  })

  it('starts at the positions, but not what is held back or gone', () => {
    const { controlled, owned, reader } = make()
    reader.start()
    expect(controlled).toEqual(['resume t-0'])
    reader.pause(owned)
    reader.start()
    owned.awaitsPosition = true
    reader.resume(owned)
    expect(new Set(controlled.slice(1))).toEqual(new Set(['pause t-0']))
  })

  it.each([
    ['still to be unpacked', {}],
    ['held', { isHeld: true }],
  ])('goes back to what it dropped when all is let go, and takes nothing behind it (%s)', async (_, state) => {
    const { told, membership, owned, reader, fetch } = make()
    fetch(packedBatch(5n, 1, 1))
    Object.assign(owned, state)
    fetch(packedBatch(6n, 2, 1, { codec: ZSTD }))
    reader.letGo(membership.owned)
    expect(owned.next).toBe(6n)
    owned.isHeld = false
    fetch(packedBatch(6n, 3, 1))
    await vi.waitFor(() => expect(told).toHaveLength(2))
    expect(told).toEqual(['t-0: 1 of 208 bytes, next 6 of 100', 't-0: 3 of 624 bytes, next 9 of 100'])
  })

  it('fetches nothing once it is halted, and takes nothing that is on its way', () => {
    const { controlled, reader } = make(true)
    reader.start()
    reader.resume({ topic: 't', partition: 0 })
    expect([new Set(controlled), reader.reading('t', 0)]).toEqual([new Set(['pause t-0']), undefined])
  })
})
