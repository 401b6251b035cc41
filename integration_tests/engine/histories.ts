// Histories by chance, as fast-check makes and shrinks them: what comes, how fast, under which limits. What goes wrong with the
// service and the clock is in arbitrary-faults.ts.

import * as fc from 'fast-check'
import type { Chunk, History, Step } from './history.ts'
import { clock, rarely, service } from './arbitrary-faults.ts'

/** Key numbers: 0 a row of its own; 1–9 three rows, each spelt 1, 1.0 and "1"; 10 and up plain words. */
const KEYS = {
  hot: fc.integer({ min: 1, max: 2 }),
  few: fc.integer({ min: 1, max: 4 }),
  all: fc.integer({ min: 0, max: 11 }),
  many: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 })),
}

/** How many for 20 records: where there are many, several requests of their table are under way at once. */
const REJECTED = { none: 0, some: 2, many: 40 }

const pad = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 30 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 200 }) },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 1500 }) },
)

interface Kinds {
  readonly keys: keyof typeof KEYS
  readonly tempo: keyof typeof TEMPI
  readonly poison: boolean
  readonly rejected: keyof typeof REJECTED
  readonly scopes: 'tracks' | 'all' | 'mixed'
  readonly losses: boolean
}

function steps(tables: number, tracks: number, kinds: Kinds): fc.Arbitrary<Step> {
  const track = fc.integer({ min: 0, max: tracks - 1 })
  const poison = kinds.poison ? fc.integer({ min: 0, max: 7 }).map((n) => n === 7) : fc.constant(false)
  const scope = {
    tracks: track,
    all: fc.constant('all' as const),
    mixed: fc.oneof(track, fc.constantFrom('all' as const, 'none' as const)),
  }[kinds.scopes]
  return fc.oneof(
    {
      weight: 20,
      arbitrary: fc.record({
        kind: fc.constant('record' as const),
        track,
        table: fc.integer({ min: 0, max: tables - 1 }),
        key: KEYS[kinds.tempo === 'flood' ? 'many' : kinds.keys],
        pad,
        poison,
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('checkpoint' as const),
        scope,
        bytes: fc.integer({ min: 1, max: 300 }),
      }),
    },
    { weight: REJECTED[kinds.rejected], arbitrary: fc.record({ kind: fc.constant('rejected' as const), track }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('closed' as const), track }) },
    {
      weight: kinds.losses ? 5 : 0,
      arbitrary: fc.record({
        kind: fc.constantFrom('lost' as const, 'revoked' as const),
        tracks: fc.oneof(
          fc.uniqueArray(track, { minLength: 1, maxLength: tracks }),
          fc.constant(Array.from({ length: tracks }, (_, index) => index)),
        ),
        afterMs,
      }),
    },
  )
}

/** Mostly while what came before is still under way. */
const afterMs = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 300 }),
  fc.integer({ min: 0, max: 6000 }),
  fc.integer({ min: 0, max: 60_000 }),
)

const once = fc.constant(1)

/** flood: a few chunks again and again, so that there is something to adapt to. */
const TEMPI = {
  uneven: {
    gapMs: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 19 }) },
      { weight: 1, arbitrary: fc.integer({ min: 20, max: 3000 }) },
    ),
    times: once,
    maxSteps: 10,
    maxChunks: 14,
  },
  steady: { gapMs: fc.integer({ min: 3, max: 12 }), times: once, maxSteps: 4, maxChunks: 14 },
  flood: { gapMs: fc.integer({ min: 0, max: 40 }), times: fc.integer({ min: 1, max: 80 }), maxSteps: 5, maxChunks: 3 },
}

function chunks(tables: number, tracks: number, kinds: Kinds): fc.Arbitrary<Chunk[]> {
  const { gapMs, times, maxSteps, maxChunks } = TEMPI[kinds.tempo]
  // a lost track never lets a checkpoint through that waits for all tracks
  const step = steps(tables, tracks, kinds.losses ? { ...kinds, scopes: 'tracks' } : kinds)
  return fc.array(fc.record({ gapMs, times, steps: fc.array(step, { maxLength: maxSteps }) }), {
    minLength: 1,
    maxLength: maxChunks,
  })
}

const limits = fc.record({
  maxPoints: fc.constantFrom(1, 2, 3, 3, 5, 20),
  maxBytes: fc.constantFrom(60, 150, 400, 2000),
  maxWaitMs: fc.constantFrom(50, 1000),
  lingerMs: fc.constantFrom(0, 20, 20),
  bufferBytes: fc.constantFrom(1, 3000, 10_000, 1_000_000),
  retryForMs: fc.constantFrom(900_000, 900_000, 900_000, 3000),
  guardMs: fc.constantFrom(0, 500, 60_000),
  graceMs: fc.constantFrom(50, 20_000),
})

const permits = fc.record({
  limit: fc.constantFrom(1, 2, 3, 16, undefined, undefined, undefined),
  perSecond: fc.constantFrom(undefined, undefined, 20),
})

export const histories: fc.Arbitrary<History> = fc
  .record({
    tables: fc.array(
      fc.boolean().map((no) => !no),
      { minLength: 1, maxLength: 3 },
    ),
    tracks: fc.integer({ min: 1, max: 3 }),
    kinds: fc.record({
      keys: fc.constantFrom('hot' as const, 'few' as const, 'few' as const, 'all' as const, 'many' as const),
      tempo: fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom('uneven' as const, 'steady' as const) },
        { weight: 1, arbitrary: fc.constant('flood' as const) },
      ),
      poison: fc.constantFrom(false, false, true),
      rejected: fc.constantFrom('none' as const, 'none' as const, 'some' as const, 'many' as const),
      scopes: fc.constantFrom('tracks' as const, 'all' as const, 'mixed' as const),
      losses: fc.boolean(),
    }),
  })
  .chain(({ tables, tracks, kinds }) =>
    fc.record({
      seed: fc.nat(),
      tables: fc.constant(tables),
      tracks: fc.constant(tracks),
      // a flood that is held back is none
      limits: kinds.tempo === 'flood' ? limits.map((some) => ({ ...some, bufferBytes: 1_000_000 })) : limits,
      permits,
      clock,
      service,
      rejects: fc.record({
        policy: fc.constantFrom('fail' as const, 'accept' as const, 'divert' as const),
        ms: fc.constantFrom(0, 300),
      }),
      commit: fc.record({ ms: fc.constantFrom(0, 40), throwsAt: rarely(fc.integer({ min: 0, max: 4 })) }),
      sigtermAt: rarely(fc.integer({ min: 0, max: 4000 })),
      sourceThrows: fc.integer({ min: 0, max: 9 }).map((n) => n === 9),
      chunks: chunks(tables.length, tracks, kinds),
    }),
  )
