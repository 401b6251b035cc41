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

test.each<[string, (nth: number) => Outcome, number, number]>([
  ['a 429 halves while doubling', (nth) => (nth === 0 ? throttled : delivered), 32, 33],
  ['a 503 halves while doubling', (nth) => (nth === 0 ? again('server', true) : delivered), 32, 33],
  ['a timeout halves while doubling', (nth) => (nth === 0 ? again('timeout', true) : delivered), 32, 33],
  ['a lone 500 does nothing', (nth) => (nth === 0 ? fault : delivered), 64, 128],
  ['many 500s halve', (nth) => (nth % 4 === 0 ? fault : delivered), 32, 33],
  ['stale connections do nothing', () => ({ ...again('network', false), stale: true }) as Outcome, 64, 64],
  ['nothing but resets halve', () => again('network', false), 32, 33],
])('%s', (_, outcome, least, most) => {
  const { permits, now } = warm(2)
  round(permits, now, 100, outcome)
  expect(permits.limit).toBeGreaterThanOrEqual(least)
  expect(permits.limit).toBeLessThanOrEqual(most)
})

test('after a timeout it grows by 4 % a round trip, at least one; the next one costs a quarter', () => {
  const { permits, now } = warm(2)
  let at = round(permits, now, 100, (nth) => (nth === 0 ? again('timeout', true) : delivered))
  const seen = []
  for (let i = 0; i < 4; i++) {
    at = round(permits, at, 100, clean)
    seen.push(permits.limit)
  }
  expect(seen).toEqual([33, 34, 35, 37])
  round(permits, at, 100, (nth) => (nth === 0 ? again('timeout', true) : delivered))
  expect(permits.limit).toBe(28)
})

test('many timeouts of one generation are one congestion', () => {
  const { permits, now } = warm(3)
  round(permits, now, 1000, (nth) => (nth < 100 ? again('timeout', true) : delivered))
  expect(permits.limit).toBeGreaterThanOrEqual(64)
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
  for (let i = 0; i < 6; i++) at = round(permits, at, 100, clean)
  expect(permits.limit).toBe(LIMIT.ceiling)
})

test('a few that hang hold up nobody: another starts every two seconds, up to sixteen', () => {
  const { permits, now } = warm(1)
  let at = now
  while (permits.limit >= 8) at = round(permits, at, 100, (nth) => (nth === 0 ? again('timeout', true) : delivered))
  let taken = takeAll(permits, at)
  for (const end = at + 60_000; ; taken++) {
    const change = permits.nextChange(at)
    if (change === undefined || change > end) break
    expect(change - at).toBe(2000)
    expect([permits.take('first', change - 1), permits.take('first', change)]).toEqual([false, true])
    at = change
  }
  expect(taken).toBe(16)
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
