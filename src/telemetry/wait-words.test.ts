import { expect, test } from 'vitest'
import type { EndingFacts } from '../core/tally.ts'
import { HELD_REASONS, type RunFacts } from '../run/run-facts.ts'
import { facts, partition } from '../run/testing/facts.ts'
import { heldWords, troubles } from './wait-words.ts'

const waits = (facts: RunFacts, now: number): string[] => [...troubles(facts, now), ...heldWords(facts)]

test('nothing holds up a stream that moves', () => {
  expect(waits(facts({ delivery: { outstanding: 5, inFlight: 2 } }), 1000)).toEqual([])
})

test('everything that holds it up is told', () => {
  const stuck = facts({
    group: { joined: false, since: 1000, partitions: [partition({ held: 'outage' }), partition({ partition: 1 })] },
    delivery: { outstanding: 5, failingSince: 2000, pausedUntil: 20_000, retrying: 1, guarded: 1200 },
  })
  expect(waits(stuck, 12_000)).toEqual([
    'joining the group for 11 s',
    'the service has been down for 10 s and asked for a pause of another 8 s',
    '1 batch to be sent again',
    'keys of 1,200 batches held by the late-write guard (nothing to do)',
    '1 partition held until the service answers',
  ])
})

test('partitions are held for what they are held for', () => {
  const partitions = HELD_REASONS.flatMap((held, index) => Array.from({ length: index + 1 }, () => partition({ held })))
  expect(waits(facts({ group: { partitions: [...partitions, partition({})] } }), 0)).toEqual([
    '1 partition held until the service answers',
    '2 partitions held for a rebalance of the group',
    '3 partitions held, the buffer is full (buffer_bytes)',
    '4 partitions held, the memory for what is fetched ahead is full',
    '6 partitions held, enough is fetched ahead',
  ])
  expect(waits(facts({ stopping: true, group: { partitions } }), 2000)).toEqual([])
})

test('partitions that wait for schemas are told with the registry', () => {
  const awaiting = partition({ held: 'schemas' })
  const of = (partitions: (typeof awaiting)[], now: number): string[] =>
    waits(facts({ group: { partitions, schemasSince: 1000 } }), now)
  expect(of([awaiting], 1999)).toEqual([])
  expect(of([awaiting], 61_000)).toEqual(['1 partition waiting for the schema registry for 60 s'])
  expect(of([awaiting, awaiting, partition({ held: 'buffer' }), partition({})], 3000)).toEqual([
    '2 partitions waiting for the schema registry for 2 s',
    '1 partition held, the buffer is full (buffer_bytes)',
  ])
})

test('what is down is told with its cause', () => {
  const down = (place: string) => ({ place, since: 1000, cause: 'connection refused' })
  const away = facts({
    group: {
      brokersDown: [down('a:1')],
      schemasSince: 1000,
      schemasCause: 'timeout',
      partitions: [partition({ held: 'schemas' })],
    },
    delivery: { outstanding: 5, failingSince: 2000, failingCause: '503 Service Unavailable' },
  })
  expect(waits(away, 12_000)).toEqual([
    'the Kafka broker a:1 has been down for 11 s (connection refused)',
    'the service has been down for 10 s (503 Service Unavailable)',
    '1 partition waiting for the schema registry for 11 s (timeout)',
  ])
  const many = facts({ group: { brokersDown: ['a:1', 'b:1', 'c:1', 'd:1'].map(down) } })
  expect(waits(many, 12_000).slice(2)).toEqual([
    'the Kafka broker c:1 has been down for 11 s (connection refused)',
    '1 other Kafka broker down',
  ])
})

test('throttling is told as throttling, for as long as it is the only answer', () => {
  const throttled = { outstanding: 5, failingSince: 1000, throttledSince: 2000 }
  expect(waits(facts({ delivery: throttled }), 12_000)).toEqual([
    'the service has throttled every request (429) for 10 s',
  ])
  expect(waits(facts({ delivery: { ...throttled, pausedUntil: 20_000 } }), 12_000)).toEqual([
    'the service has throttled every request (429) for 10 s and asked for a pause of another 8 s',
  ])
})

test('a pause that is over is none', () => {
  expect(waits(facts({ delivery: { outstanding: 1, pausedUntil: 500 } }), 500)).toEqual([])
})

test('what is known of the end is told too', () => {
  const ending = {
    isReadingOver: true,
    stopsAt: undefined,
    isCommitting: false,
    rejecting: 0,
    retryAt: undefined,
    guardedKeys: 3,
    guardedUntil: 52_400,
  }
  const of = (more: Partial<EndingFacts>): string[] =>
    waits(
      facts({ delivery: { outstanding: 5, inFlight: 3, retrying: 2, guarded: 1, ending: { ...ending, ...more } } }),
      12_000,
    )
  expect(of({ retryAt: 16_000, rejecting: 1 })).toEqual([
    '2 batches to be sent again, the next in 4 s',
    '3 keys held by the late-write guard for another 40 s at most (nothing to do)',
    '1 rejected record not kept yet',
  ])
  expect(of({ retryAt: 12_001, guardedKeys: 1, guardedUntil: 12_500 })).toEqual([
    '2 batches to be sent again',
    '1 key held by the late-write guard (nothing to do)',
  ])
  expect(of({ stopsAt: 30_000 }).at(-1)).toBe('requests in flight have another 18 s')
  expect(waits(facts({ delivery: { inFlight: 0, ending: { ...ending, stopsAt: 30_000 } } }), 12_000)).toEqual([])
})
