import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { again, delivered } from '../testing/outcomes.ts'
import { clean, round, takeAll } from '../testing/rounds.ts'
import type { Outcome, RetryCause } from '../types.ts'
import { AdaptivePermits } from './limit.ts'
import { LIMIT } from './tuning.ts'

const throttled = again('throttled', true)
const fault = again('server', false)

const warm = (rounds: number, ms = 100): { permits: AdaptivePermits; now: number } => {
  const permits = new AdaptivePermits()
  let now = 1000
  for (let i = 0; i < rounds; i++) now = round(permits, now, ms, clean)
  return { permits, now }
}

test('doubles from 16 a round trip, up to the ceiling', () => {
  expect([0, 1, 2, 3, 4].map((rounds) => warm(rounds).permits.limit)).toEqual([16, 32, 64, 128, LIMIT.ceiling])
})

test.each<[string, (nth: number) => Outcome]>([
  ['a 429', (nth) => (nth === 0 ? throttled : delivered)],
  ['a 503 with Retry-After: 0', (nth) => (nth === 0 ? again('server', true, 0) : delivered)],
  ['a timeout', (nth) => (nth === 0 ? again('timeout', true) : delivered)],
  ['many timeouts', (nth) => (nth < 40 ? again('timeout', true) : delivered)],
])('%s cuts the rate, never the permits', (_, outcome) => {
  const { permits, now } = warm(2)
  round(permits, now, 100, outcome)
  expect(permits.rate.perSecond).toBeLessThan(1000)
  // a Retry-After is a pause as well, after which permits double again
  expect([16, 64]).toContain(permits.limit)
  expect(permits.limit).toBe(64)
})

test.each<[string, (nth: number) => Outcome]>([
  ['a plain 503', (nth) => (nth === 0 ? again('server', true) : delivered)],
  ['three 500s', (nth) => (nth < 3 ? fault : delivered)],
  ['a reset', (nth) => (nth === 0 ? again('network', false) : delivered)],
])('%s does nothing', (_, outcome) => {
  const { permits, now } = warm(2)
  round(permits, now, 100, outcome)
  expect([permits.rate.perSecond, permits.limit, permits.heldBy]).toEqual([Infinity, 128, 'permits'])
})

test('stale connections do nothing', () => {
  const { permits, now } = warm(2)
  round(permits, now, 100, () => ({ ...again('network', false), stale: true }) as Outcome)
  expect([permits.rate.perSecond, permits.limit, permits.heldBy]).toEqual([Infinity, 64, 'permits'])
})

test('faults beyond the allowance: sends less, and says that they may be chance', () => {
  const { permits, now } = warm(3)
  const at = round(permits, now, 100, (nth) => (nth % 2 === 0 ? fault : delivered))
  expect(permits.rate.perSecond).toBeLessThan(1280)
  expect([permits.rate.isSuspected, permits.rate.since! <= at, permits.limit]).toEqual([true, true, LIMIT.ceiling])
})

test('once nothing passes, each window halves the permits', () => {
  const { permits, now } = warm(2)
  const at = round(permits, now, 100, () => again('network', false))
  const before = permits.limit
  round(permits, at, 100, () => again('network', false))
  expect([permits.limit, permits.heldBy]).toEqual([before / 2, 'outage'])
})

test('many refusals of one round trip are one', () => {
  const { permits, now } = warm(3)
  const at = round(permits, now, 100, clean)
  const taken = takeAll(permits, at)
  permits.give(throttled, 100, at + 100)
  const { perSecond } = permits.rate
  for (let nth = 1; nth < taken; nth++) permits.give(nth < 100 ? throttled : delivered, 100, at + 101)
  expect(permits.rate.perSecond).toBe(perSecond)
})

test('a limit nobody uses does not change', () => {
  const { permits, now } = warm(1)
  const { limit } = permits
  let at = now
  for (let i = 0; i < 500; i++) {
    expect(permits.take('first', at)).toBe(true)
    at += 50
    permits.give(delivered, i < 250 ? 10 : 400, at)
  }
  expect(permits.limit).toBe(limit)
})

test('an instant service: our own milliseconds are no congestion, and no reason for more connections', () => {
  const permits = new AdaptivePermits()
  let now = 0
  let limit = permits.limit
  for (let i = 0; i < 2000; i++) {
    now = round(permits, now, i % 2 === 0 ? 1 : 12, clean)
    expect(permits.limit).toBeGreaterThanOrEqual(limit)
    limit = permits.limit
  }
  expect(limit).toBeLessThan(LIMIT.ceiling)
})

test('while the process was stopped answers took long: no cut', () => {
  const { permits, now } = warm(3)
  let at = now
  for (let stop = 0; stop < 5; stop++) {
    // 100 ms of work, then five seconds of nothing, then everything at once
    at = round(permits, at, 5000, clean)
    for (let i = 0; i < 3; i++) at = round(permits, at, 100, clean)
    expect(permits.limit).toBe(LIMIT.ceiling)
  }
})

test('down: falls to one, a probe at least every two seconds, first attempts wait; back: up to where it was', () => {
  const { permits, now } = warm(5)
  let at = round(permits, now, 5, () => again('network', false))
  const starts: number[] = []
  for (const end = at + 30_000; at < end;) {
    expect(permits.take('first', at)).toBe(false)
    if (permits.take('retry', at)) {
      starts.push(at)
      permits.give(again('network', false), 1, at + 1)
      at++
    } else at = permits.nextChange(at)!
  }
  expect(permits.limit).toBe(1)
  const gaps = starts.slice(1).map((start, i) => start - starts[i]!)
  expect(Math.max(...gaps)).toBeLessThanOrEqual(2000)
  // gentle as soon as the first window is over
  expect(starts.filter((start) => start > now + 100).length).toBeLessThan(60)
  at = permits.nextChange(at) ?? at
  const answers: number[] = []
  for (const end = at + 5000; at < end; at++) {
    while (answers[0] === at) {
      answers.shift()
      permits.give(delivered, 100, at)
    }
    while (permits.take('retry', at)) answers.push(at + 100)
  }
  expect(permits.limit).toBe(LIMIT.ceiling)
})

test('what hangs holds no permit once one that began a second later has passed', () => {
  const permits = new AdaptivePermits()
  for (let nth = takeAll(permits, 1000); nth > 3; nth--) permits.give(delivered, 10, 1010)
  const taken = takeAll(permits, 2000)
  expect(taken).toBe(permits.limit - 3)
  for (let nth = 0; nth < taken; nth++) permits.give(delivered, 10, 2010)
  expect([takeAll(permits, 2010), permits.rate.perSecond]).toEqual([permits.limit, Infinity])
})

test('what is sent milliseconds after it was counted does not hang: many are sent in one turn', () => {
  const permits = new AdaptivePermits()
  const answers: { at: number; ms: number }[] = []
  for (let now = 500; now < 8000; now++) {
    for (const { ms } of answers.filter(({ at }) => at === now)) permits.give(delivered, ms, now)
    for (let nth = takeAll(permits, now); nth > 0; nth--)
      answers.push({ at: now + 300 + 5 * (nth % 8), ms: 300 + 4 * (nth % 8) })
  }
  expect([permits.rate.perSecond, permits.limit]).toEqual([Infinity, LIMIT.ceiling])
})

test('when many hang, that is a refusal long before their time is over', () => {
  const permits = new AdaptivePermits()
  takeAll(permits, 1000)
  permits.give(delivered, 10, 1010)
  expect([takeAll(permits, 1010), permits.nextChange(1010)]).toEqual([1, 2010])
  expect(takeAll(permits, 2010)).toBe(1)
  permits.give(delivered, 10, 2020)
  expect(permits.rate).toMatchObject({ isSuspected: true, since: 2020 })
})

test('while probes hang, another starts every two seconds, never more than sixteen', () => {
  const { permits, now } = warm(3)
  let at = now
  for (let i = 0; i < 8; i++) {
    const change = permits.nextChange(at)
    at = round(permits, change ?? at, 100, () => again('network', false))
  }
  let hanging = 0
  for (const end = at + 60_000; at < end; at += 100) if (permits.take('retry', at)) hanging++
  expect(hanging).toBe(16)
})

test('Retry-After: nothing starts before it is over, then not all at once', () => {
  const { permits, now } = warm(3)
  const taken = takeAll(permits, now)
  for (let nth = 0; nth < taken; nth++)
    permits.give(nth < 4 ? again('throttled', true, nth === 0 ? 3000 : 1000) : delivered, 100, now + 100)
  expect(permits.heldBy).toBe('pause')
  for (const at of [now + 100, now + 2000, now + 3099]) {
    expect([permits.take('retry', at), permits.take('first', at), permits.nextChange(at)]).toEqual([
      false,
      false,
      now + 3100,
    ])
  }
  expect(takeAll(permits, now + 3100, 'retry')).toBeGreaterThan(0)
  expect(permits.limit).toBeLessThanOrEqual(16)
})

test('first attempts wait while as many batches as there can be permits wait for their retry', () => {
  const permits = new AdaptivePermits()
  for (let i = 0; i < LIMIT.ceiling; i++) {
    expect(permits.take('first', i * 1000)).toBe(true)
    permits.give(fault, 1, i * 1000 + 1)
    expect(permits.take('first', i * 1000 + 500)).toBe(i < LIMIT.ceiling - 1)
    if (i < LIMIT.ceiling - 1) permits.give(delivered, 1, i * 1000 + 501)
  }
  expect(permits.take('retry', 1_000_000)).toBe(true)
  permits.give(delivered, 1, 1_000_001)
  expect(permits.take('first', 1_000_002)).toBe(true)
})

test("the user's rate holds whatever is learnt", () => {
  const permits = new AdaptivePermits({ perSecond: 100 })
  let taken = 0
  for (let now = 0; now < 10_000; now++)
    while (permits.take('first', now)) {
      taken++
      permits.give(delivered, 0, now)
    }
  expect(taken).toBeGreaterThan(990)
  expect(taken).toBeLessThanOrEqual(1002)
})

test('properties: ceiling, pause, one decision a window, life', () => {
  const outcome = fc.oneof(
    { weight: 6, arbitrary: fc.constant(delivered) },
    fc
      .record({
        cause: fc.constantFrom<RetryCause>('throttled', 'server', 'network', 'timeout'),
        congestion: fc.boolean(),
        after: fc.option(fc.nat({ max: 5000 }), { nil: undefined }),
      })
      .map(({ cause, congestion, after }) => again(cause, congestion, after)),
    fc.constantFrom<Outcome>({ status: 'too-large' }, { status: 'refused', reason: 'no' }),
  )
  const step = fc.record({
    wait: fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 4000 }), fc.constant(-30)),
    takes: fc.nat({ max: 200 }),
    kind: fc.constantFrom('first' as const, 'retry' as const),
    gives: fc.array(outcome, { maxLength: 60 }),
  })
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 80 }),
      fc.option(fc.constantFrom(1, 50, 5000), { nil: undefined }),
      (steps, perSecond) => {
        const permits = new AdaptivePermits({ perSecond })
        const started: number[] = []
        let [now, latest, pausedUntil, changedAt] = [1000, -Infinity, 0, -Infinity]
        const check = (before: number): void => {
          const change = permits.limit / before
          if (change > 1.5 || change < 0.9) {
            // a restart after a pause or an outage may follow a decision
            expect(latest - changedAt >= 50 || permits.limit <= 16).toBe(true)
            changedAt = latest
          }
        }
        for (const { wait, takes, kind, gives } of steps) {
          now = Math.max(0, now + wait)
          latest = Math.max(latest, now)
          for (let i = 0; i < takes; i++) {
            if (!permits.take(kind, now)) break
            expect(latest).toBeGreaterThanOrEqual(pausedUntil)
            started.push(latest)
          }
          expect(started.length).toBeLessThanOrEqual(LIMIT.ceiling)
          for (const given of gives) {
            const start = started.shift()
            if (start === undefined) break
            const before = permits.limit
            permits.give(given, latest - start, now)
            if (before >= 4) check(before)
            if (given.status === 'retry' && given.congestion)
              pausedUntil = Math.max(pausedUntil, latest + (given.afterMs ?? 0))
          }
          const next = permits.nextChange(now)
          if (next !== undefined) expect(next).toBeGreaterThan(latest)
          expect(permits.limit).toBeGreaterThanOrEqual(1)
        }
        for (const start of started) permits.give(delivered, latest - start, latest)
        // who is refused is told when to ask again, and is not refused for ever
        let at = Math.max(latest, pausedUntil)
        for (let refusals = 0; !permits.take('retry', at); refusals++) {
          const next = permits.nextChange(at)
          expect(next).toBeGreaterThan(at)
          expect(refusals).toBeLessThan(3)
          at = next!
        }
      },
    ),
    { numRuns: 300 },
  )
})
