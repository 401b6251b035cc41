import { expect, test } from 'vitest'
import { Tally } from '../../core/tally.ts'
import type { EngineFacts } from '../../core/tally.ts'
import { again, delivered } from '../../core/testing/outcomes.ts'
import type { Outcome } from '../../core/types.ts'
import { ReportRecorder } from './report-recorder.ts'

const request = { table: 'orders', body: Buffer.from('[{"id":"CANARY"}]'), points: 3 }

/** A recorder whose time passes when told. */
function recorded(): {
  recorder: ReportRecorder<string>
  pass: (ms: number) => void
  /** An attempt that takes so long. */
  attempt: (outcome: Outcome, ms: number) => void
  engine: (facts: Partial<EngineFacts>) => void
} {
  let now = 5000
  const tally = new Tally()
  const recorder = new ReportRecorder<string>({
    clock: { now: () => now },
    startedAt: 4000,
    permits: { limit: 8 },
    scopeOf: (checkpoint) => checkpoint,
    tally,
  })
  return {
    recorder,
    pass: (ms) => (now += ms),
    attempt: (outcome, ms) => {
      recorder.attemptBegan()
      now += ms
      recorder.attemptEnded(request, outcome, ms)
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

test('attempts become points, requests, bytes, retries by cause, latency and what was in flight', () => {
  const { recorder, attempt, pass } = recorded()
  attempt(delivered, 100)
  attempt(again('server', false), 300)
  attempt(again('network', false), 500)
  pass(100)
  recorder.tick()
  attempt({ status: 'refused', reason: 'CANARY' }, 600)
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

test('pauses that overlap are one, and end with themselves', () => {
  const { recorder, attempt, pass } = recorded()
  attempt(again('throttled', true, 2000), 0)
  pass(1000)
  attempt(again('throttled', true, 2000), 0)
  recorder.tick()
  pass(5000)
  recorder.tick()
  attempt(again('server', true, 60_000), 0)
  pass(510)
  const { pauses, samples } = recorder.record()
  expect(pauses).toEqual({ count: 2, ms: 3510 })
  expect(samples.map(({ pausedMs }) => pausedMs)).toEqual([1000, 2000, 510])
})

test('only a pause that the service asks of everybody is one, a shorter one ends none, and one behind another is the next', () => {
  const { recorder, attempt, pass } = recorded()
  attempt(again('server', false, 5000), 0)
  pass(1000)
  expect(recorder.record().pauses).toEqual({ count: 0, ms: 0 })
  attempt(again('throttled', true, 3000), 0)
  pass(1000)
  attempt(again('throttled', true, 500), 0)
  pass(2000)
  expect(recorder.record().pauses).toEqual({ count: 1, ms: 3000 })
  attempt(again('throttled', true, 400), 0)
  pass(5000)
  const { pauses, samples } = recorder.record()
  expect(pauses).toEqual({ count: 2, ms: 3400 })
  expect(samples.map(({ pausedMs }) => pausedMs)).toEqual([3400])
})

test('at the end it is waited for a pause only while nothing is in flight, and only until the pause is over', () => {
  const { recorder, attempt, pass, engine } = recorded()
  attempt(again('throttled', true, 3000), 0)
  recorder.readingEnded()
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

test('once nothing more is read, each moment is waited for something', () => {
  const { recorder, attempt, pass, engine } = recorded()
  engine({ inFlight: 1 })
  pass(700)
  recorder.tick()
  recorder.readingEnded()
  pass(300)
  recorder.tick()
  engine({ guarded: 1 })
  pass(60_000)
  recorder.tick()
  engine({ guarded: 1, retrying: 1 })
  pass(50)
  recorder.tick()
  attempt(again('throttled', true, 4000), 0)
  pass(2000)
  recorder.tick()
  engine({})
  pass(3000)
  const { endWaits, readUntil } = recorder.record()
  expect(readUntil).toBe(1700)
  expect(endWaits).toEqual({ answers: 300, guard: 60_000, retries: 50, pause: 2000, rest: 3000 })
})

test('checkpoints are counted by what they cover', () => {
  const { recorder } = recorded()
  for (const checkpoint of ['a', 'b', 'a']) recorder.committed(checkpoint)
  expect([...recorder.checkpoints]).toEqual([
    ['a', 2],
    ['b', 1],
  ])
})
