import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Tally, type EngineFacts } from '../core/tally.ts'
import { again, delivered } from '../core/testing/outcomes.ts'
import type { Outcome } from '../core/types.ts'
import type { ListedOutage, PermitsFacts } from './run-facts.ts'
import { RunRecorder } from './run-recorder.ts'
import type { SpentState } from './samples.ts'

const request = { table: 'orders', body: Buffer.from('[{"id":"CANARY"}]'), points: 3 }

/** A recorder whose time passes when told. */
function recorded(): {
  recorder: RunRecorder<string>
  pass: (ms: number) => void
  /** An attempt that takes so long. */
  attempt: (outcome: Outcome, ms: number) => void
  engine: (facts: Partial<EngineFacts>) => void
} {
  let now = 5000
  const tally = new Tally()
  const recorder = new RunRecorder<string>({
    clock: { now: () => now },
    startedAt: 4000,
    permits: { limit: 8 },
    input: { scopeOf: (checkpoint) => checkpoint },
    tally,
    outages: [],
  })
  return {
    recorder,
    pass: (ms) => (now += ms),
    attempt: (outcome, ms) => {
      recorder.attemptBegan()
      now += ms
      recorder.attemptEnded(request, outcome, ms)
    },
    engine: (facts) => (tally.engine = () => ({ ...new Tally().engine(), outstanding: 1, ...facts })),
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

test('nothing waits where nothing is outstanding, whatever permits still say', () => {
  let now = 0
  const tally = new Tally()
  const recorder = new RunRecorder<string>({
    clock: { now: () => now },
    startedAt: 0,
    permits: { limit: 8, rate: { perSecond: 5, cause: undefined }, heldBy: 'rate' },
    input: { scopeOf: (checkpoint) => checkpoint },
    tally,
    outages: [],
  })
  for (const outstanding of [3, 0]) {
    tally.engine = () => ({ ...new Tally().engine(), outstanding })
    now += 1000
    recorder.tick()
  }
  expect(recorder.record().samples.map(({ heldMs }) => heldMs.rate)).toEqual([1000, 0])
})

test('every moment is in one state: together they are the time, and what waits or is away has all of a second', () => {
  const second = fc.record({
    ms: fc.integer({ min: 1, max: 3000 }),
    heldBy: fc.option(fc.constantFrom<'permits' | 'rate' | 'outage'>('permits', 'rate', 'outage'), { nil: undefined }),
    outstanding: fc.nat(1),
    retrying: fc.nat(1),
    isAway: fc.boolean(),
    flying: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(second, { maxLength: 300 }), (seconds) => {
      let now = 0
      const tally = new Tally()
      const permits: { limit: number; rate: object; heldBy: string | undefined } = {
        limit: 8,
        rate: {},
        heldBy: undefined,
      }
      const outages: ListedOutage[] = []
      const recorder = new RunRecorder<string>({
        clock: { now: () => now },
        startedAt: 0,
        permits: permits as unknown as PermitsFacts,
        input: { scopeOf: (checkpoint) => checkpoint },
        tally,
        outages,
      })
      const expected = { outage: 0, held: 0, other: 0, flying: 0 }
      for (const { ms, heldBy, outstanding, retrying, isAway, flying } of seconds) {
        if (flying) recorder.attemptBegan()
        permits.heldBy = heldBy
        const inFlight = flying ? 1 : 0
        tally.engine = () => ({ ...new Tally().engine(), outstanding, inFlight, retrying })
        outages.length = 0
        if (isAway) outages.push({ from: now, to: undefined, cause: 'x', host: 'x:1' })
        now += ms
        recorder.tick()
        if (flying) recorder.attemptEnded(request, delivered, ms)
        const waits = outstanding > 0 && heldBy !== undefined
        if (isAway || (waits && heldBy === 'outage')) expected.outage += ms
        else if (waits || (!flying && retrying > 0)) expected.held += ms
        else {
          expected.other += ms
          expected.flying += flying ? ms : 0
        }
      }
      const { samples } = recorder.record()
      for (const { from, to, spentMs } of samples)
        expect(Object.values(spentMs).reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(to - from, 6)
      const sum = (state: SpentState): number => samples.reduce((total, { spentMs }) => total + spentMs[state], 0)
      expect(sum('outage')).toBeCloseTo(expected.outage, 6)
      // while this process computes all the time, permits that are all used are its doing
      expect(sum('held')).toBeLessThanOrEqual(expected.held + 1e-6)
      expect(sum('free')).toBeLessThanOrEqual(expected.flying + 1e-6)
      expect(sum('idle')).toBeLessThanOrEqual(expected.other - expected.flying + 1e-6)
    }),
    { numRuns: 200 },
  )
})

test('checkpoints are counted by what they cover', () => {
  const { recorder } = recorded()
  for (const checkpoint of ['a', 'b', 'a']) recorder.committed(checkpoint)
  expect([...recorder.record().checkpoints]).toEqual([
    ['a', 2],
    ['b', 1],
  ])
})
