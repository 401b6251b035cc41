import { expect, test } from 'vitest'
import { Batch } from './batch.ts'
import { Ledger } from './ledger.ts'
import { Tables } from './tables.ts'
import { recordOf } from './testing/bodies.ts'

test('a half begins anew, but for the late-write guard', () => {
  const track = { name: 'orders' }
  const tables = new Tables<number>({ maxPoints: 2, maxBytes: 1000, maxWaitMs: 1000, lingerMs: 20 }, 1)
  const segment = new Ledger<number>().receive(track)
  // of two tables, as they are two objects
  for (const key of [1, 2]) tables.add(recordOf('{"v":1}', { track, key, origin: key }), segment, 0)
  const bodies = [tables.due(20, false)!, tables.due(20, false)!]
  const whole = new Batch(bodies[0]!, bodies[0]!.finish(), 20)
  expect([whole.request.table, whole.request.points, whole.track]).toEqual(['t', 1, track])
  expect([whole.firstAt, whole.attempts, whole.ambiguousAt]).toEqual([20, 0, undefined])
  whole.attempts = 3
  whole.ambiguousAt = 70
  const half = new Batch(bodies[1]!, bodies[1]!.finish(), 90, whole.ambiguousAt)
  expect([half.firstAt, half.attempts, half.ambiguousAt]).toEqual([90, 0, 70])
  expect(Buffer.from(half.request.body).toString()).toBe('[{"v":1}]')
})
