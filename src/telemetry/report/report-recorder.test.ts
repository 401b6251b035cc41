import { expect, test } from 'vitest'
import { Tally } from '../../core/tally.ts'
import type { EngineFacts } from '../../core/tally.ts'
import { again, delivered } from '../../core/testing/outcomes.ts'
import type { Outcome } from '../../core/types.ts'
import type { PermitsFacts } from '../run-facts.ts'
import { ReportRecorder } from './report-recorder.ts'

const request = { table: 'orders', body: Buffer.from('[{"id":"CANARY"}]'), points: 3 }

/** A recorder whose time passes when told. */
function recorded(permits: PermitsFacts = { limit: 8 }): {
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
    permits,
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
  expect(samples[1]).toMatchObject({ points: 0, attempts: 1, inFlightMs: 600 })
  // without an answer there is no latency
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

test('what requests wait for is looked at once a second: fixed permits that are all used, and at the end the late-write guard', () => {
  const { recorder, pass, engine } = recorded()
  const held = (): object => recorder.record().samples.at(-1)!.heldMs
  for (let at = 0; at < 7; at++) recorder.attemptBegan()
  pass(1000)
  recorder.tick()
  expect(held()).toMatchObject({ permits: 0 })
  recorder.attemptBegan()
  pass(700)
  expect(held()).toMatchObject({ permits: 700, guard: 0 })
  for (let at = 0; at < 8; at++) recorder.attemptEnded(request, delivered, 1)
  engine({ guarded: 1 })
  pass(300)
  expect(held()).toMatchObject({ permits: 700, guard: 0 })
  recorder.readingEnded()
  pass(5000)
  expect(held()).toMatchObject({ permits: 700, guard: 5000 })
  expect(recorder.record().readUntil).toBe(3000)
})

test('where nothing is to be sent, nothing waits, whatever held the last attempt back', () => {
  const { recorder, pass, engine } = recorded({ limit: 8, heldBy: 'permits', rate: undefined })
  engine({ outstanding: 1 })
  pass(700)
  recorder.tick()
  engine({ outstanding: 0 })
  pass(8000)
  expect(recorder.record().samples.reduce((sum, { heldMs }) => sum + heldMs.permits, 0)).toBe(700)
})

test('checkpoints are counted by what they cover', () => {
  const { recorder } = recorded()
  for (const checkpoint of ['a', 'b', 'a']) recorder.committed(checkpoint)
  expect([...recorder.checkpoints]).toEqual([
    ['a', 2],
    ['b', 1],
  ])
})
