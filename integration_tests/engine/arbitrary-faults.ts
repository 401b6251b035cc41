// What goes wrong with the service and the clock, by chance, as fast-check makes it.

import * as fc from 'fast-check'
import type { Capacity, History, Spell, Weights } from './history.ts'
import type { ClockOptions } from './virtual-clock.ts'

export const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

const FINE: Weights = { ok: 12 }

const weights: fc.Arbitrary<Weights> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(FINE) },
  { weight: 2, arbitrary: fc.constant({ ...FINE, throttled: 1, throttledUntil: 1, throttledBare: 2 }) },
  { weight: 1, arbitrary: fc.constant({ ...FINE, unavailable: 1, unavailableUntil: 1, unavailableBare: 2 }) },
  { weight: 2, arbitrary: fc.constant({ ...FINE, errorBefore: 3, errorAfter: 3, gatewayNow: 1, gatewayLater: 1 }) },
  {
    weight: 2,
    arbitrary: fc.constant({ ...FINE, lostNow: 2, lostLater: 4, lostNever: 2, staleLater: 1, staleNever: 2 }),
  },
  { weight: 1, arbitrary: fc.constant({ ...FINE, silentNow: 1, silentLater: 2, silentNever: 1 }) },
  { weight: 1, arbitrary: fc.constant({ ...FINE, half: 3, halfLater: 2, halfSilent: 1, throttledCut: 1 }) },
  {
    weight: 3,
    arbitrary: fc.constant({
      ...FINE,
      throttled: 1,
      throttledBare: 1,
      unavailable: 1,
      tooSlow: 1,
      errorBefore: 1,
      errorAfter: 1,
      lostNow: 1,
      lostLater: 2,
      lostNever: 1,
      silentLater: 1,
      half: 1,
      refused: 1,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ ...FINE, errorAfter: 2, lostLater: 1, stop: 1, stranger: 1 }) },
  { weight: 1, arbitrary: fc.constant({ ...FINE, throws: 1 }) },
)

const spell: fc.Arbitrary<Spell> = fc.record({
  from: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 6000 })),
  ms: fc.constantFrom(200, 2000, 15_000, 60_000),
  kind: fc.constantFrom(
    'throttling' as const,
    'unavailable' as const,
    'failing' as const,
    'resetting' as const,
    'stale' as const,
    'stalling' as const,
    'halving' as const,
    'down' as const,
    'restarting' as const,
    'restarting' as const,
  ),
})

const capacity: fc.Arbitrary<Capacity> = fc.record({
  slots: fc.constantFrom(1, 4, 16),
  perSecond: fc.constantFrom(undefined, 5, 100),
  hint: fc.constantFrom(undefined, 'seconds' as const, 'date' as const),
  least: fc.constantFrom(0.1, 0.5),
  periodMs: fc.constantFrom(700, 10_000, 120_000),
})

export const service: fc.Arbitrary<History['service']> = fc.record({
  latencyMs: fc.constantFrom(0, 5, 80, 2000),
  timeoutMs: fc.constantFrom(1500, 60_000),
  weights,
  maxBody: fc.constantFrom(1_000_000, 300, 120),
  refusedTable: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, 0, 1, 2, 3),
  spells: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.array(spell, { minLength: 1, maxLength: 3 }) },
  ),
  capacity: rarely(capacity),
  calmFrom: fc.constantFrom(undefined, undefined, 300, 3000, 30_000),
})

export const clock: fc.Arbitrary<ClockOptions> = fc.record({
  whole: fc.boolean(),
  lateMs: fc.constantFrom(0, 0, 3),
  pauses: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.array(
        fc.record({
          at: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 6000 })),
          ms: fc.constantFrom(40, 2500, 20_000, 120_000),
          looking: fc.boolean(),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    },
  ),
})
