import { expect, test } from 'vitest'
import type { Body } from './body.ts'
import { Segment, type TrackState } from './segment.ts'
import { BodyPool } from './pools.ts'

const filled = (pool: BodyPool<null>, capacity: number): Body<null> => {
  const body = pool.take(capacity)
  body.length = capacity
  body.blanks = 7
  body.age = -Infinity
  body.held = 5
  body.isPlain = false
  body.segments.push(new Segment({} as TrackState, 0))
  body.starts.push(0)
  body.phase = 'sent'
  return body
}

test('a body given back is the next one taken, as good as new', () => {
  const pool = new BodyPool<null>()
  const body = filled(pool, 100)
  const { bytes } = body
  pool.give(body, true)
  const again = pool.take(80)
  expect(again).toBe(body)
  expect(again.bytes).toBe(bytes)
  const fresh = new BodyPool<null>().take(80)
  fresh.bytes = bytes
  expect(again).toEqual(fresh)
  expect(pool.take(80)).not.toBe(body)
})

test('bytes that somebody may still read are not written over', () => {
  const pool = new BodyPool<null>()
  const body = filled(pool, 100)
  const { bytes } = body
  pool.give(body, false)
  expect(pool.take(100).bytes).not.toBe(bytes)
})

test.each([
  ['too small', 101],
  ['more than twice as large', 49],
])('a buffer that is %s is not used again', (_, wanted) => {
  const pool = new BodyPool<null>()
  const body = filled(pool, 100)
  pool.give(body, true)
  expect(pool.take(wanted).bytes).toHaveLength(wanted)
})

// 128 requests at once, 16 full bodies that wait, an open one for each of some tables
test('however many were in use at once, the next ones need no new bytes', () => {
  const pool = new BodyPool<null>()
  const bodies = Array.from({ length: 160 }, () => filled(pool, 200_000))
  const buffers = new Set(bodies.map(({ bytes }) => bytes))
  for (const body of bodies) pool.give(body, true)
  for (const _ of bodies) buffers.add(pool.take(200_000).bytes)
  expect(buffers.size).toBe(160)
})

test('it keeps 32 MiB of bytes, and 256 bodies', () => {
  const pool = new BodyPool<null>()
  const large = Array.from({ length: 5 }, () => filled(pool, 8_000_000))
  for (const body of large) pool.give(body, true)
  expect(large.map(({ bytes }) => bytes.length)).toEqual([8_000_000, 8_000_000, 8_000_000, 8_000_000, 0])
  for (const body of large.toReversed()) expect(pool.take(8_000_000)).toBe(body)
  const many = Array.from({ length: 257 }, () => filled(pool, 10))
  for (const body of many) pool.give(body, true)
  const taken = new Set(many.map(() => pool.take(10)))
  expect(many.filter((body) => taken.has(body))).toHaveLength(256)
})

test('a very long body that nobody reads gives its memory back at once, another one does not', () => {
  const pool = new BodyPool<null>()
  const [unread, read] = [filled(pool, 8 * 1024 * 1024), filled(pool, 8 * 1024 * 1024)]
  const [one, other] = [unread.bytes, read.bytes]
  pool.give(unread, true)
  pool.give(read, false)
  expect([one.length, other.length]).toEqual([0, 8 * 1024 * 1024])
  expect(pool.take(100).bytes).toHaveLength(100)
})
