// What may happen to the engine, as plain data that fast-check makes and shrinks. Knows nothing of what is right.

import * as fc from 'fast-check'

export type Step =
  | {
      readonly kind: 'record'
      readonly track: number
      readonly table: number
      readonly key: number
      readonly pad: number
      readonly poison: boolean
    }
  | { readonly kind: 'rejected'; readonly track: number }
  | { readonly kind: 'checkpoint'; readonly scope: number | 'all'; readonly bytes: number }
  | { readonly kind: 'closed'; readonly track: number; readonly how: 'complete' | 'abandoned' }

/** How often each answer comes, relative to the others. */
export interface Weights {
  readonly ok: number
  readonly throttled: number
  /** Without Retry-After. */
  readonly throttledBare: number
  readonly errorBefore: number
  readonly errorAfter: number
  readonly lostNow: number
  readonly lostLater: number
  readonly lostNever: number
  readonly stop: number
  readonly throws: number
}

export interface History {
  readonly seed: number
  /** keepLast of each. */
  readonly tables: readonly boolean[]
  readonly tracks: number
  readonly limits: {
    readonly maxPoints: number
    readonly maxBytes: number
    readonly maxWaitMs: number
    readonly lingerMs: number
    readonly bufferBytes: number
    readonly retryForMs: number
    readonly guardMs: number
    readonly graceMs: number
  }
  readonly permits: { readonly limit: number; readonly perSecond: number | undefined }
  readonly service: {
    readonly latencyMs: number
    readonly weights: Weights
    /** 413 above. */
    readonly maxBody: number
    /** All attempts fail from a time on for so long. */
    readonly outage: { readonly from: number; readonly ms: number } | undefined
  }
  readonly rejects: { readonly policy: 'fail' | 'accept'; readonly ms: number }
  readonly commit: { readonly ms: number; readonly throwsAt: number | undefined }
  readonly sigtermAt: number | undefined
  readonly sourceThrows: boolean
  readonly chunks: readonly { readonly gapMs: number; readonly steps: readonly Step[] }[]
}

const FINE: Weights = {
  ok: 12,
  throttled: 0,
  throttledBare: 0,
  errorBefore: 0,
  errorAfter: 0,
  lostNow: 0,
  lostLater: 0,
  lostNever: 0,
  stop: 0,
  throws: 0,
}

const weights = fc.oneof(
  { weight: 3, arbitrary: fc.constant(FINE) },
  { weight: 2, arbitrary: fc.constant({ ...FINE, throttled: 2, throttledBare: 2 }) },
  { weight: 2, arbitrary: fc.constant({ ...FINE, errorBefore: 4, errorAfter: 4 }) },
  { weight: 3, arbitrary: fc.constant({ ...FINE, lostNow: 2, lostLater: 4, lostNever: 2 }) },
  {
    weight: 3,
    arbitrary: fc.constant({
      ...FINE,
      throttled: 1,
      throttledBare: 1,
      errorBefore: 2,
      errorAfter: 2,
      lostNow: 2,
      lostLater: 3,
      lostNever: 2,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ ...FINE, errorAfter: 2, lostLater: 1, stop: 1 }) },
  { weight: 1, arbitrary: fc.constant({ ...FINE, throws: 1 }) },
)

/** Key numbers: 0 a row of its own; 1–9 three rows, each spelt 1, 1.0 and "1"; 10 and 11 plain words. */
const KEYS = {
  hot: fc.integer({ min: 1, max: 2 }),
  few: fc.integer({ min: 1, max: 4 }),
  all: fc.integer({ min: 0, max: 11 }),
}

const pad = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 30 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 200 }) },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 1500 }) },
)

interface Kinds {
  readonly keys: keyof typeof KEYS
  readonly tempo: keyof typeof GAPS
  readonly poison: boolean
  readonly rejected: boolean
  readonly scopes: 'tracks' | 'all' | 'mixed'
  readonly abandoned: boolean
}

function steps(tables: number, tracks: number, kinds: Kinds): fc.Arbitrary<Step> {
  const track = fc.integer({ min: 0, max: tracks - 1 })
  const poison = kinds.poison ? fc.integer({ min: 0, max: 7 }).map((n) => n === 7) : fc.constant(false)
  const scope = {
    tracks: track,
    all: fc.constant('all' as const),
    mixed: fc.oneof(track, fc.constant('all' as const)),
  }[kinds.scopes]
  const how = kinds.abandoned
    ? fc.constantFrom('complete' as const, 'abandoned' as const)
    : fc.constant('complete' as const)
  return fc.oneof(
    {
      weight: 20,
      arbitrary: fc.record({
        kind: fc.constant('record' as const),
        track,
        table: fc.integer({ min: 0, max: tables - 1 }),
        key: KEYS[kinds.keys],
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
    { weight: kinds.rejected ? 2 : 0, arbitrary: fc.record({ kind: fc.constant('rejected' as const), track }) },
    { weight: kinds.abandoned ? 2 : 1, arbitrary: fc.record({ kind: fc.constant('closed' as const), track, how }) },
  )
}

const GAPS = {
  uneven: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 19 }) },
    { weight: 1, arbitrary: fc.integer({ min: 20, max: 3000 }) },
  ),
  steady: fc.integer({ min: 3, max: 12 }),
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

const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

export const histories: fc.Arbitrary<History> = fc
  .record({
    tables: fc.array(
      fc.boolean().map((no) => !no),
      { minLength: 1, maxLength: 3 },
    ),
    tracks: fc.integer({ min: 1, max: 3 }),
    kinds: fc.record({
      keys: fc.constantFrom('hot' as const, 'few' as const, 'few' as const, 'all' as const),
      tempo: fc.constantFrom('uneven' as const, 'steady' as const),
      poison: fc.constantFrom(false, false, true),
      rejected: fc.constantFrom(false, true),
      scopes: fc.constantFrom('tracks' as const, 'all' as const, 'mixed' as const),
      abandoned: fc.constantFrom(false, false, true),
    }),
  })
  .chain(({ tables, tracks, kinds }) =>
    fc.record({
      seed: fc.nat(),
      tables: fc.constant(tables),
      tracks: fc.constant(tracks),
      limits,
      permits: fc.record({
        limit: fc.constantFrom(1, 2, 3, 16),
        perSecond: fc.constantFrom(undefined, undefined, 20),
      }),
      service: fc.record({
        latencyMs: fc.constantFrom(0, 5, 80, 2000),
        weights,
        maxBody: fc.constantFrom(1_000_000, 300, 120),
        outage: rarely(fc.record({ from: fc.integer({ min: 0, max: 300 }), ms: fc.constantFrom(2000, 60_000) })),
      }),
      rejects: fc.record({
        policy: fc.constantFrom('fail' as const, 'accept' as const, 'accept' as const),
        ms: fc.constantFrom(0, 300),
      }),
      commit: fc.record({ ms: fc.constantFrom(0, 40), throwsAt: rarely(fc.integer({ min: 0, max: 4 })) }),
      sigtermAt: rarely(fc.integer({ min: 0, max: 4000 })),
      sourceThrows: fc.integer({ min: 0, max: 9 }).map((n) => n === 9),
      chunks: fc.array(
        fc.record({
          gapMs: GAPS[kinds.tempo],
          // an abandoned track never lets a checkpoint of all tracks through
          steps: fc.array(steps(tables.length, tracks, kinds.abandoned ? { ...kinds, scopes: 'tracks' } : kinds), {
            maxLength: kinds.tempo === 'steady' ? 4 : 10,
          }),
        }),
        { minLength: 1, maxLength: 14 },
      ),
    }),
  )

function inWords(step: Step): string {
  if (step.kind === 'checkpoint')
    return `checkpoint of ${step.scope === 'all' ? 'all' : `track ${step.scope}`} (${step.bytes} B)`
  if (step.kind === 'rejected') return `rejected on track ${step.track}`
  if (step.kind === 'closed') return `track ${step.track} ${step.how}`
  return `record of track ${step.track} for table ${step.table} key #${step.key} (pad ${step.pad}${step.poison ? ', poisoned' : ''})`
}

/** For a reader: one line a step. */
export function describeHistory({ chunks, ...rest }: History): string {
  const chunked = chunks.map(({ gapMs, steps }) =>
    [`  after ${gapMs} ms:`, ...steps.map((step) => `    ${inWords(step)}`)].join('\n'),
  )
  return [...Object.entries(rest).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`), ...chunked].join('\n')
}
