import { expect, test } from 'vitest'
import type { TrackState } from '../core/ledger.ts'
import { Tally } from '../core/tally.ts'
import type { EngineFacts } from '../core/tally.ts'
import type { ServiceWaits } from './run-words.ts'
import { WriteProgress } from './write-progress.ts'

const orders = { name: 'orders', keepLast: true }
const idle = { outstanding: 0, settled: 0, bytes: 0, checkpoints: 0, inFlight: 0, retrying: 0, guarded: 0 }

function track(name: string, received: number, rejected: number): TrackState {
  return { track: { name }, outstanding: 0, received, written: 0, rejected, phase: 'open', settled: undefined }
}

test('a run that moves, and one that does not', () => {
  const tally = new Tally()
  const service: { -readonly [Name in keyof ServiceWaits]: ServiceWaits[Name] } = {
    failingSince: undefined,
    throttledSince: undefined,
    pausedUntil: undefined,
  }
  const progress = new WriteProgress({ tally, tables: [orders], permits: { limit: 16 }, service }, 1000)
  const line = (now: number, engine: Partial<EngineFacts>, ...tracks: TrackState[]): string => {
    tally.engine = { ...idle, ...engine }
    tally.tracks = tracks
    return progress.line(now)
  }
  tally.ofTable(orders).rows = 1_234_000
  expect(
    line(61_000, { outstanding: 567, settled: 1_234_433, inFlight: 12 }, track('a', 1_234_999, 3), track('b', 1, 1)),
  ).toBe(
    'Under way: 1,235,000 records (20,583/s), 1,234,000 rows sent, 4 rejected, 567 unsettled; 12 of 16 requests in flight',
  )
  const stuck = { outstanding: 1, settled: 1_234_433, checkpoints: 1, retrying: 2, guarded: 1 }
  service.failingSince = 81_000
  service.failingCause = '503 Service Unavailable'
  service.pausedUntil = 133_500
  expect(line(121_000, stuck, track('a', 1_235_600, 4))).toBe(
    'Under way: 1,235,600 records (10/s), 1,234,000 rows sent, 4 rejected, 1 unsettled; 0 of 16 requests in flight; 1 checkpoint held; ' +
      'the service has been down for 40 s (503 Service Unavailable) and asked for a pause of another 12 s; 2 batches to be sent again; ' +
      'keys of 1 batch held by the late-write guard; nothing settled for 60 s',
  )
  expect(line(181_000, stuck, track('a', 1_235_600, 4))).toContain('(0/s)')
  expect(line(241_000, stuck, track('a', 1_235_600, 4))).toMatch(/; nothing settled for 180 s$/)
  expect(line(301_000, { settled: 1_234_433 }, track('a', 1_235_600, 4))).toBe(
    'Under way: 1,235,600 records (0/s), 1,234,000 rows sent, 4 rejected, 0 unsettled; 0 of 16 requests in flight',
  )
})

test('before anything is read', () => {
  const service = { failingSince: undefined, throttledSince: undefined, pausedUntil: undefined }
  const progress = new WriteProgress({ tally: new Tally(), tables: [orders], permits: { limit: 4 }, service }, 0)
  expect(progress.line(60_000)).toBe(
    'Under way: 0 records (0/s), 0 rows sent, 0 rejected, 0 unsettled; 0 of 4 requests in flight',
  )
})

test('why a run that reads no more has not ended', () => {
  const tally = new Tally()
  const service = { failingSince: undefined, throttledSince: undefined, pausedUntil: 9000 }
  const progress = new WriteProgress({ tally, tables: [orders], permits: { limit: 16 }, service }, 0)
  expect(progress.ending(1000)).toBeUndefined()
  const ending = {
    isReadingOver: false,
    stopsAt: undefined,
    isCommitting: false,
    rejecting: 0,
    retryAt: 7500,
    guardedKeys: 2,
    guardedUntil: 61_000,
  }
  tally.engine = { ...idle, outstanding: 1200, inFlight: 3, retrying: 1, guarded: 1 }
  tally.ending = ending
  expect(progress.ending(1000)).toBeUndefined()
  tally.ending = { ...ending, isReadingOver: true }
  expect(progress.ending(1000)).toBe(
    'Nothing more is read: 1,200 records unsettled, 3 of 16 requests in flight; the service asked for a pause of another 8 s; ' +
      '1 batch to be sent again, the next in 6 s; 2 keys held by the late-write guard for another 60 s at most',
  )
  tally.engine = { ...idle, outstanding: 1, inFlight: 1 }
  tally.ending = { ...ending, isReadingOver: true, stopsAt: 21_000, isCommitting: true, retryAt: undefined }
  expect(progress.ending(10_000)).toBe(
    'Stopping, nothing more is sent: 1 record unsettled, 1 of 16 requests in flight; what is in flight has another 11 s; ' +
      'a STATE waits until standard output is read',
  )
})

test('one of each is told in the singular', () => {
  const tally = new Tally()
  tally.ofTable(orders).rows = 1
  tally.engine = { ...idle, outstanding: 1, inFlight: 1 }
  tally.tracks = [track('a', 1, 0)]
  const service = { failingSince: undefined, throttledSince: undefined, pausedUntil: undefined }
  const progress = new WriteProgress({ tally, tables: [orders], permits: { limit: 1 }, service }, 0)
  expect(progress.line(1000)).toMatch(
    /^Under way: 1 record \(1\/s\), 1 row sent, 0 rejected, 1 unsettled; 1 of 1 request in flight;/,
  )
})
