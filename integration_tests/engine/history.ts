// What may happen to the engine, as plain data. Knows nothing of how it is made up, nor of what is right.

import type { Hint, Way } from './service-outcomes.ts'
import type { ClockOptions } from './virtual-clock.ts'

/** Of a checkpoint: what it covers. */
export type Scope = number | 'all' | 'none'

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
  | { readonly kind: 'checkpoint'; readonly scope: Scope; readonly bytes: number }
  | { readonly kind: 'closed'; readonly track: number }
  /** They are taken away together, so long after the chunk was asked for, whatever the run does then; what the input still
   *  has of them comes all the same. */
  | { readonly kind: 'lost'; readonly tracks: readonly number[]; readonly afterMs: number }
  /** So are these, but what was sent of them is finished and committed first. */
  | { readonly kind: 'revoked'; readonly tracks: readonly number[]; readonly afterMs: number }

/** How often each comes, relative to the others. */
export type Weights = Readonly<Partial<Record<Way, number>>>

/** A time in which the service is not itself: what comes of attempts then. */
export interface Spell {
  readonly from: number
  readonly ms: number
  readonly kind: SpellKind
}

/** restarting: everything in flight is reset at its beginning, and connections are refused. */
export type SpellKind =
  | 'throttling'
  | 'unavailable'
  | 'failing'
  | 'resetting'
  | 'stale'
  | 'stalling'
  | 'halving'
  | 'down'
  | 'restarting'

/** What it can carry; drifts slowly between all of it and a part, down and up again. */
export interface Capacity {
  /** Attempts at once that don't slow each other down. */
  readonly slots: number
  /** 429 above so many attempts a second. */
  readonly perSecond: number | undefined
  readonly hint: Hint | undefined
  /** Of both, at the worst. */
  readonly least: number
  readonly periodMs: number
}

export interface PermitsPlan {
  /** In flight at most; undefined: what the engine finds out. */
  readonly limit: number | undefined
  readonly perSecond: number | undefined
}

export interface History {
  /** Of the chance in it. */
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
  readonly permits: PermitsPlan
  readonly clock: ClockOptions
  readonly service: {
    readonly latencyMs: number
    /** The client's patience with one attempt. */
    readonly timeoutMs: number
    readonly weights: Weights
    /** 413 above. */
    readonly maxBody: number
    /** The table it refuses, whatever the points are; as many as there are: the table of rejects. */
    readonly refusedTable: number | undefined
    readonly spells: readonly Spell[]
    readonly capacity: Capacity | undefined
    /** From then on nothing goes wrong with attempts that begin. */
    readonly calmFrom: number | undefined
  }
  /** divert: points of another table stand in for what is rejected. */
  readonly rejects: { readonly policy: 'fail' | 'accept' | 'divert'; readonly ms: number }
  readonly commit: { readonly ms: number; readonly throwsAt: number | undefined }
  readonly sigtermAt: number | undefined
  readonly sourceThrows: boolean
  readonly chunks: readonly Chunk[]
}

export interface Chunk {
  readonly gapMs: number
  /** Chunks of these steps, one after another. */
  readonly times: number
  readonly steps: readonly Step[]
}

function inWords(step: Step): string {
  if (step.kind === 'checkpoint')
    return `checkpoint of ${typeof step.scope === 'string' ? step.scope : `track ${step.scope}`} (${step.bytes} B)`
  if (step.kind === 'rejected') return `rejected on track ${step.track}`
  if (step.kind === 'closed') return `track ${step.track} complete`
  if (step.kind === 'revoked') return `tracks ${step.tracks.join()} revoked after ${step.afterMs} ms`
  if (step.kind === 'lost') return `tracks ${step.tracks.join()} lost after ${step.afterMs} ms`
  return `record of track ${step.track} for table ${step.table} key #${step.key} (pad ${step.pad}${step.poison ? ', poisoned' : ''})`
}

/** For a reader: one line a step. */
export function describeHistory({ chunks, ...rest }: History): string {
  const chunked = chunks.map(({ gapMs, times, steps }) =>
    [
      `  after ${gapMs} ms${times === 1 ? '' : `, ${times} times`}:`,
      ...steps.map((step) => `    ${inWords(step)}`),
    ].join('\n'),
  )
  return [...Object.entries(rest).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`), ...chunked].join('\n')
}
