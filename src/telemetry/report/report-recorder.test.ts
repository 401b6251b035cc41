import { expect, test } from 'vitest'
import type { Parts } from '../../core/deliver.ts'
import { ConnectorError } from '../../core/errors.ts'
import { Tally } from '../../core/tally.ts'
import type { EngineFacts } from '../../core/tally.ts'
import { again, delivered } from '../../core/testing/outcomes.ts'
import type { Outcome, RecordItem, Rejected } from '../../core/types.ts'
import { ReportRecorder } from './report-recorder.ts'

const placeOf = (origin: number): number => -origin

const table = { name: 'orders', keepLast: true }
const track = { name: 'orders' }
const request = { table: 'orders', body: Buffer.from('[{"id":"CANARY"}]'), points: 3 }
const never = new AbortController().signal
const nothing = (): void => undefined

/** A recorder whose time passes when told, of a delivery whose parts answer as told. */
function recorded(overlaps = true): {
  recorder: ReportRecorder<string, number>
  parts: Parts<string, number>
  pass: (ms: number) => void
  /** An attempt that takes so long. */
  attempt: (outcome: Outcome, ms: number) => Promise<void>
  engine: (facts: Partial<EngineFacts>) => void
} {
  let now = 5000
  let next: Outcome = delivered
  const tally = new Tally()
  const clock = { now: () => now, random: () => 0, wait: () => Promise.resolve() }
  const recorder = new ReportRecorder<string, number>({
    clock,
    startedAt: 4000,
    permits: { limit: 8 },
    scopeOf: (checkpoint) => checkpoint,
    nameOf: (rejected) => rejected.track.name,
  })
  const put = (rejected: Rejected<number>): Promise<undefined> =>
    overlaps
      ? Promise.resolve(undefined)
      : Promise.reject(new ConnectorError('config', `with the key ${JSON.stringify(rejected.key)}: CANARY`))
  let takes = 0
  const parts = recorder.watch({
    source: {
      async *read() {
        yield []
      },
      settled: () => Promise.resolve(),
    },
    transport: {
      send: async () => {
        now += takes
        return next
      },
    },
    permits: { take: () => true, give() {}, drop() {}, nextChange: () => undefined },
    rejects: { overlaps, placeOf, put },
    clock,
    limits: {} as Parts<string, number>['limits'],
    tally,
    hashSeed: 1,
  })
  return {
    recorder,
    parts,
    pass: (ms) => (now += ms),
    attempt: async (outcome, ms) => {
      next = outcome
      takes = ms
      expect(await parts.transport.send(request, never)).toBe(outcome)
    },
    engine: (facts) =>
      (tally.engine = {
        outstanding: 1,
        settled: 0,
        bytes: 0,
        checkpoints: 0,
        inFlight: 0,
        retrying: 0,
        guarded: 0,
        ...facts,
      }),
  }
}

test('attempts become points, requests, bytes, retries by cause, latency and what was in flight', async () => {
  const { recorder, attempt, pass } = recorded()
  await attempt(delivered, 100)
  await attempt(again('server', false), 300)
  await attempt(again('network', false), 500)
  pass(100)
  recorder.tick()
  await attempt({ status: 'refused', reason: 'CANARY' }, 600)
  const { samples, latency } = recorder.record()
  expect(samples).toHaveLength(2)
  expect(samples[0]).toMatchObject({
    from: 1000,
    to: 2000,
    points: 3,
    requests: 1,
    bytes: request.body.length,
    attempts: 3,
    retries: { throttled: 0, server: 1, network: 1, timeout: 0 },
    inFlightMs: 900,
    permitMs: 8000,
  })
  // without an answer there is no latency
  expect(samples[0]!.latency!.most).toBe(300)
  expect(samples[1]).toMatchObject({ points: 0, attempts: 1, inFlightMs: 600 })
  expect(latency).toMatchObject({ most: 600 })
  expect(JSON.stringify(recorder.record())).not.toContain('CANARY')
})

test('pauses that overlap are one, and end with themselves', async () => {
  const { recorder, attempt, pass } = recorded()
  await attempt(again('throttled', true, 2000), 0)
  pass(1000)
  await attempt(again('throttled', true, 2000), 0)
  recorder.tick()
  pass(5000)
  recorder.tick()
  await attempt(again('server', true, 60_000), 0)
  pass(510)
  const { pauses, samples } = recorder.record()
  expect(pauses).toEqual({ count: 2, ms: 3510 })
  expect(samples.map(({ pausedMs }) => pausedMs)).toEqual([1000, 2000, 510])
})

test('only a pause that the service asks of everybody is one, a shorter one ends none, and one behind another is the next', async () => {
  const { recorder, attempt, pass } = recorded()
  await attempt(again('server', false, 5000), 0)
  pass(1000)
  expect(recorder.record().pauses).toEqual({ count: 0, ms: 0 })
  await attempt(again('throttled', true, 3000), 0)
  pass(1000)
  await attempt(again('throttled', true, 500), 0)
  pass(2000)
  expect(recorder.record().pauses).toEqual({ count: 1, ms: 3000 })
  await attempt(again('throttled', true, 400), 0)
  pass(5000)
  const { pauses, samples } = recorder.record()
  expect(pauses).toEqual({ count: 2, ms: 3400 })
  expect(samples.map(({ pausedMs }) => pausedMs)).toEqual([3400])
})

test('at the end it is waited for a pause only while nothing is in flight, and only until the pause is over', async () => {
  const { recorder, parts, attempt, pass, engine } = recorded()
  await attempt(again('throttled', true, 3000), 0)
  for await (const items of parts.source.read(never, nothing, nothing)) expect(items).toEqual([])
  engine({ inFlight: 1, retrying: 1 })
  pass(1000)
  recorder.tick()
  engine({ retrying: 1 })
  pass(1500)
  recorder.tick()
  pass(500)
  recorder.tick()
  expect(recorder.record().endWaits).toEqual({ answers: 1000, pause: 1500, retries: 500, guard: 0, rest: 0 })
})

test('once nothing more is read, each moment is waited for something', async () => {
  const { recorder, parts, attempt, pass, engine } = recorded()
  engine({ inFlight: 1 })
  pass(700)
  recorder.tick()
  for await (const items of parts.source.read(never, nothing, nothing)) expect(items).toEqual([])
  pass(300)
  recorder.tick()
  engine({ guarded: 1 })
  pass(60_000)
  recorder.tick()
  engine({ guarded: 1, retrying: 1 })
  pass(50)
  recorder.tick()
  await attempt(again('throttled', true, 4000), 0)
  pass(2000)
  recorder.tick()
  engine({})
  pass(3000)
  const { endWaits, readUntil } = recorder.record()
  expect(readUntil).toBe(1700)
  expect(endWaits).toEqual({ answers: 300, guard: 60_000, retries: 50, pause: 2000, rest: 3000 })
})

test('a source is watched, not changed: what it yields, how it ends, whether it can hold', async () => {
  const { parts, recorder } = recorded()
  expect('hold' in parts.source).toBe(false)
  await parts.source.settled('a', { written: 1, rejected: 0, superseded: 0 })
  await parts.source.settled('a', { written: 1, rejected: 0, superseded: 0 })
  expect([...recorder.checkpoints]).toEqual([['a', 2]])
  const held: unknown[] = []
  const failing = recorder.watch({
    ...parts,
    source: {
      async *read(_signal, abandon, giveAway) {
        yield []
        giveAway([])
        abandon([])
        throw new Error('input fault')
      },
      settled: () => Promise.reject(new Error('closed')),
      hold: (track, full) => held.push(track, full),
    },
  }).source
  failing.hold!(track, true)
  expect(held).toEqual([track, true])
  const yielded: unknown[] = []
  const readAll = async (): Promise<void> => {
    const abandon = (taken: unknown): unknown => held.push(taken)
    for await (const items of failing.read(never, abandon, () => held.push('given away'))) yielded.push(items)
  }
  await expect(readAll()).rejects.toThrow('input fault')
  expect(yielded).toEqual([[]])
  expect(held.slice(-2)).toEqual(['given away', []])
  await expect(failing.settled('b', { written: 0, rejected: 0, superseded: 0 })).rejects.toThrow('closed')
  expect(recorder.checkpoints.has('b')).toBe(false)
})

test('of a rejected record that ends the run neither key nor words of the service are told', async () => {
  const { parts, recorder } = recorded(false)
  const rejected = { track, table, reason: 'CANARY', origin: 1, key: 'CANARY', superseded: 2, supersededAt: [] }
  const error = await Promise.resolve(parts.rejects.put(rejected, never)).catch((error: unknown) => error)
  expect(recorder.rejectStop).toEqual({
    error,
    message:
      'A record of "orders", table "orders", cannot be stored: the service answered 400. The log tells which, and what to do.',
    name: 'orders',
    records: 3,
  })
  expect(recorder.record().rejects).toEqual([
    { name: 'orders', table: 'orders', by: 'the service', reason: 'the service answered 400', records: 3 },
  ])
})

test('what stands in for a rejected record goes on, and one that could not be kept is none', async () => {
  const { parts, recorder } = recorded()
  const item = { kind: 'record' } as RecordItem<number>
  const watched = recorder.watch({ ...parts, rejects: { overlaps: true, placeOf, put: () => Promise.resolve([item]) } })
  const rejected = { track, reason: 'its key field "id" is null', origin: 1, superseded: 0, supersededAt: [] }
  expect(await watched.rejects.put(rejected, never)).toEqual([item])
  expect(watched.rejects.placeOf(7)).toBe(-7)
  const full = recorder.watch({
    ...parts,
    rejects: { overlaps: true, placeOf, put: () => Promise.reject(new Error('full')) },
  })
  await expect(Promise.resolve(full.rejects.put(rejected, never))).rejects.toThrow('full')
  expect(recorder.record().rejects.map(({ records }) => records)).toEqual([1])
  expect(recorder.rejectStop).toBeUndefined()
})
