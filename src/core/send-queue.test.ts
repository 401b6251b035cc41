import { expect, test } from 'vitest'
import { SendQueue } from './send-queue.ts'
import { FixedPermits } from './concurrency/fixed-permits.ts'
import { Segment, type Share } from './segment.ts'
import { Tables } from './tables.ts'
import { recordOf, trackStateOf } from './testing/bodies.ts'
import type { RecordItem } from './types.ts'

const GUARD_MS = 1000
const table = { name: 'x', keepLast: true }

const item = (key: number, version: number): RecordItem<null> =>
  recordOf(`{"k":${key},"v":${version}}`, { table, key, held: 5 })

function setUp(limit = 3) {
  const tables = new Tables<null>({ maxPoints: 10, maxBytes: 1000, maxWaitMs: 100, lingerMs: 0 }, 1)
  const dropped: Share[] = []
  const permits = new FixedPermits({ limit })
  const queue = new SendQueue<null>({ permits, guardMs: GUARD_MS, drop: (share) => dropped.push(share) }, tables)
  const states = [trackStateOf('a'), trackStateOf('b')] as const
  const segments = states.map((state) => new Segment(state, 0))
  const failed = { status: 'retry', cause: 'timeout', ambiguous: true, congestion: false, reason: 'late' } as const
  return { tables, dropped, permits, queue, states, segments, failed }
}

test('of a lost track nothing is repeated; its neighbours go on, and its ambiguous keys keep their guard', () => {
  const { tables, dropped, permits, queue, states, segments, failed } = setUp()
  tables.add(item(1, 1), segments[0]!, 0)
  tables.add(item(2, 1), segments[1]!, 0)
  const batch = queue.next(0, true)!
  batch.attempts++
  queue.ended(10)
  permits.give(failed, 10, 10)
  batch.ambiguousAt = 10
  queue.again(batch, 50, 10)

  states[0].phase = 'lost'
  queue.forget(20)
  expect(dropped.map(({ segment }) => segment)).toEqual([segments[0]])
  // a newer value of its key, by another track
  tables.add(item(1, 2), segments[1]!, 20)
  expect(queue.next(20, true)).toBeUndefined()
  const again = queue.next(50, true)
  expect(again).toBe(batch)
  expect(Buffer.from(again!.request.body).toString()).toBe('[{"k":2,"v":1}]')
  expect(again!.request.points).toBe(1)
  // other keys need not wait
  tables.add(item(3, 1), segments[1]!, 60)
  expect(Buffer.from(queue.next(60, true)!.request.body).toString()).toBe('[{"k":3,"v":1}]')
  expect(queue.next(10 + GUARD_MS - 1, true)).toBeUndefined()
  expect(Buffer.from(queue.next(10 + GUARD_MS, true)!.request.body).toString()).toBe('[{"k":1,"v":2}]')
})

test('a batch that is lost as a whole gives its place back and frees what it held', () => {
  const { tables, dropped, permits, queue, states, segments, failed } = setUp(2)
  for (const key of [1, 2]) {
    tables.add(item(key, 1), segments[0]!, 0)
    const batch = queue.next(0, true)!
    batch.attempts++
    queue.ended(0)
    permits.give({ ...failed, ambiguous: false }, 0, 0)
    if (key === 1) queue.again(batch, 30_000, 0)
    else {
      // under way when its track is lost
      states[0].phase = 'lost'
      queue.forget(0)
      queue.again(batch, 30_000, 0)
    }
  }
  expect(dropped).toHaveLength(2)
  expect(tables.bytes).toBe(0)
  expect(queue.nextChange(1)).toBe(Infinity)
  for (const key of [3, 4]) tables.add({ ...item(key, 1), table: { ...table, name: `t${key}` } }, segments[1]!, 1)
  expect([queue.next(1, true), queue.next(1, true)].map((batch) => batch?.table.name)).toEqual(['t3', 't4'])
})

test('what a lost record held up in a quarantined table waits for its turn there', () => {
  const { tables, permits, queue, states, segments } = setUp()
  tables.add(item(1, 1), segments[0]!, 0)
  tables.add(item(2, 1), segments[0]!, 0)
  const batch = queue.next(0, true)!
  tables.add(item(1, 2), segments[1]!, 0)
  batch.attempts++
  states[0].phase = 'lost'
  queue.forget(0)
  queue.ended(1)
  const refused = { status: 'refused', reason: 'no' } as const
  permits.give(refused, 1, 1)
  queue.quarantine.refused(batch, refused.reason)
  expect(queue.next(1, true)?.request.points).toBe(1)
  tables.add(item(3, 1), segments[1]!, 1)
  expect(queue.next(1, true)).toBeUndefined()
})
