import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextAttempt, retriesSpent, tableRefused } from './retry.ts'
import type { Outcome, RetryCause } from './types.ts'

const batch = (over: { attempts?: number; firstAt?: number; wasStale?: boolean } = {}) => ({
  table: { name: 'orders', keepLast: true },
  track: { name: 'stream_orders' },
  attempts: over.attempts ?? 1,
  firstAt: over.firstAt ?? 0,
  wasStale: over.wasStale ?? false,
})
const retry = (over: Partial<Outcome & { status: 'retry' }> = {}): Outcome & { status: 'retry' } => ({
  status: 'retry',
  cause: 'server',
  ambiguous: false,
  congestion: false,
  reason: 'the service answered 500',
  ...over,
})
test('of a refused table the error says what the service said', () => {
  const error = tableRefused(batch(), 'no such field')
  expect(error).toMatchObject({ kind: 'config', track: { name: 'stream_orders' } })
  expect(error.message).toMatch(/table "orders" \(stream "stream_orders"\): no such field/)
})

test('full jitter: from nothing to a step that doubles from its cause up to 30 s', () => {
  const causes = fc.constantFrom<RetryCause>('throttled', 'server', 'network', 'timeout')
  fc.assert(
    fc.property(
      causes,
      fc.integer({ min: 1, max: 5000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (cause, attempts, random) => {
        const then = nextAttempt(retry({ cause }), batch({ attempts, firstAt: 1000 }), 900_000, 1000, random)
        const step = Math.min(30_000, (cause === 'throttled' ? 1000 : 200) * 2 ** (attempts - 1))
        expect(then).toBe(1000 + step * random)
      },
    ),
  )
})

test('never before Retry-After is over', () => {
  expect(nextAttempt(retry({ afterMs: 5000 }), batch(), 900_000, 100, 0.9)).toBe(5100)
  expect(nextAttempt(retry({ afterMs: 10 }), batch({ attempts: 9 }), 900_000, 100, 0.5)).toBe(15_100)
})

test('the budget runs from the first attempt, to its very end', () => {
  expect(nextAttempt(retry({ afterMs: 500 }), batch({ firstAt: 1000 }), 3000, 3500, 0)).toBe(4000)
  expect(nextAttempt(retry({ afterMs: 501 }), batch({ firstAt: 1000 }), 3000, 3500, 0)).toBeUndefined()
})

test('a Retry-After beyond the budget stops at once, as a transient error that says why', () => {
  const long = retry({ cause: 'throttled', reason: 'it answered 429', afterMs: 3_600_000 })
  expect(nextAttempt(long, batch(), 900_000, 50, 0)).toBeUndefined()
  const error = retriesSpent(long, batch(), 900_000, 50)
  expect(error).toMatchObject({ kind: 'transient', track: { name: 'stream_orders' } })
  const words = error.message
  for (const word of ['"orders"', 'it answered 429', '3600 s', '900 s', 'retry_for_seconds'])
    expect(words).toContain(word)
})

test('when the budget is spent, the error has the remedy of what was found last', () => {
  const messageOf = (over: object, attempts: number): string => {
    return retriesSpent(retry({ reason: 'it was so', ...over }), batch({ attempts }), 0, 0).message
  }
  expect(messageOf({ remedy: 'Do this.' }, 1)).toMatch(
    /: it was so\. Tried once in 0 s, .*\)\. Do this\. Run again when/,
  )
  expect(messageOf({}, 3)).toMatch(/Tried 3 times in 0 s, .* \(retry_for_seconds\)\. Run again when/)
  expect(messageOf({ afterMs: 5000, remedy: 'Do this.' }, 1)).toMatch(
    /Do this\. To wait .* raise retry_for_seconds\. Run/,
  )
  const late = retriesSpent(retry({ reason: 'it was so', afterMs: 1600 }), batch({ attempts: 2 }), 8000, 6500)
  expect(late.message).toMatch(
    /asks to wait 2 s\. Tried 2 times in 7 s, the limit is 8 s \(.*\), of which 1 s are left\./,
  )
})

test('a service that throttles is not one to wait for until it is back', () => {
  const error = retriesSpent(retry({ cause: 'throttled' }), batch(), 0, 0)
  expect(error.message).toContain(' Run again later: ')
})

test('an unlucky pause does not end the run early: there is one last attempt at the end of the budget', () => {
  expect(nextAttempt(retry(), batch({ attempts: 12 }), 10_000, 4_000, 0.999)).toBe(10_000)
  expect(nextAttempt(retry(), batch({ attempts: 13 }), 10_000, 10_000, 0)).toBeUndefined()
  expect(nextAttempt(retry(), batch(), 0, 0, 0)).toBeUndefined()
})

test('a stale connection is tried again at once, but once, and within the budget', () => {
  const stale = retry({ cause: 'network', ambiguous: true, stale: true })
  expect(nextAttempt(stale, batch(), 900_000, 1000, 1)).toBe(1000)
  expect(nextAttempt(stale, batch({ attempts: 5 }), 900_000, 1000, 1)).toBe(1000)
  expect(nextAttempt(stale, batch({ attempts: 2, wasStale: true }), 900_000, 1000, 1)).toBe(1400)
  expect(nextAttempt(stale, batch(), 1000, 1000, 1)).toBeUndefined()
})
