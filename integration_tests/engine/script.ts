// A history made concrete: every record with its bytes, every checkpoint with the records before it. What really
// happens to each is noted here by those who see it; what is right is for the laws.

import type { Key, Table, Track } from '../../src/core/types.ts'
import type { History, Scope, Step } from './history.ts'
import { Random } from './random.ts'

/** A record, or an item that was rejected before it became one. */
export interface Fact {
  readonly v: number
  readonly track: number
  /** -1: rejected by the source. */
  readonly table: number
  readonly key: Key
  /** Its table and normalised key; none: a row of its own. */
  readonly fence: string | undefined
  readonly exact: string | undefined
  readonly text: string
  readonly poison: boolean
  arrivedAt: number | undefined
  sentAt: number | undefined
  /** Tracks that were lost when it was first sent. */
  lostBefore?: readonly number[]
  isInFlight?: boolean
  stored: boolean
  /** Answered with success, or its reject made durable, itself. */
  done: 'no' | 'written' | 'rejected'
  /** It was in a request whose last answer was a rejection of it. */
  refused: boolean
  /** The run fails for it: it is never settled. */
  isDropped?: boolean
  /** Others are delivered in its place. */
  isDiverted?: boolean
  /** It is delivered in place of a rejected one, as one of several, the last of which counts. */
  readonly standsFor?: { readonly versions: readonly Fact[]; readonly isLast: boolean }
}

export interface Mark {
  readonly id: number
  readonly scope: Scope
  readonly bytes: number
  /** Everything before it in its scope, or in all tracks. */
  readonly before: readonly Fact[]
  /** What it counts: what no checkpoint before it covers. */
  readonly covers: readonly Fact[]
  arrivedAt: number | undefined
  committed: boolean
}

/** Whether the earlier of two checkpoints has to be committed first. */
export function areOrdered(one: Scope, other: Scope): boolean {
  return one === other || (one !== 'none' && other !== 'none' && (one === 'all' || other === 'all'))
}

export interface Closing {
  readonly track: number
  /** The track's records before it. */
  readonly before: readonly Fact[]
  settled: number
}

/** A track that was taken away. */
export interface Loss {
  readonly track: number
  settled: number
}

/** A track that was revoked in good order. */
export interface Leave extends Loss {
  readonly from: number
  /** Its checkpoints that had arrived. */
  readonly marks: readonly Mark[]
  /** It may have been let go of before it had left. */
  isCutShort: boolean
}

export type Entry =
  | { readonly kind: 'record'; readonly fact: Fact }
  | { readonly kind: 'rejected'; readonly fact: Fact }
  | { readonly kind: 'checkpoint'; readonly mark: Mark }
  | { readonly kind: 'closed'; readonly closing: Closing }
  | ({ readonly kind: 'lost' } & Taking)
  | ({ readonly kind: 'revoked' } & Taking)

interface Taking {
  readonly tracks: readonly number[]
  readonly afterMs: number
}

export interface Script {
  readonly tables: readonly Table[]
  readonly tracks: readonly Track[]
  readonly facts: Fact[]
  readonly marks: readonly Mark[]
  readonly closings: readonly Closing[]
  /** Tracks may be taken away. */
  readonly hasLosses: boolean
  readonly chunks: readonly { readonly gapMs: number; readonly entries: readonly Entry[] }[]
  /** Versions of each exact key, in order. */
  readonly versions: ReadonlyMap<string, readonly Fact[]>
}

interface Spelt {
  readonly json: string
  readonly key: Key
  readonly fence: string | undefined
  readonly exact: string | undefined
}

function spell(key: number): Spelt {
  if (key === 0) return { json: 'null', key: undefined, fence: undefined, exact: undefined }
  if (key > 9) return { json: `"k${key}"`, key: `k${key}`, fence: `k${key}`, exact: `k${key}` }
  const row = Math.floor((key - 1) / 3) + 1
  const json = [`${row}`, `${row}.0`, `"${row}"`][(key - 1) % 3]!
  return { json, key: json === String(row) ? row : { exact: json, fence: row }, fence: String(row), exact: json }
}

/** White space and structure inside a point must survive as they are. */
function textOf(v: number, id: string, pad: number): string {
  return `{"keys":["id"],"id":${id},  "v" :${v},"pad":"${', ] '.repeat(Math.ceil(pad / 4)).slice(0, pad)}"}`
}

function makeFact(v: number, step: Step & { kind: 'record' | 'rejected' }): Fact {
  const blank = {
    v,
    track: step.track,
    arrivedAt: undefined,
    sentAt: undefined,
    stored: false,
    done: 'no' as const,
    refused: false,
  }
  if (step.kind === 'rejected')
    return { ...blank, table: -1, key: undefined, fence: undefined, exact: undefined, text: '', poison: false }
  const { json, key, fence, exact } = spell(step.key)
  return {
    ...blank,
    table: step.table,
    key,
    fence: fence === undefined ? undefined : `${step.table}|${fence}`,
    exact: exact === undefined ? undefined : `${step.table}|${exact}`,
    text: textOf(v, json, step.pad),
    poison: step.poison,
  }
}

/** Writes steps down as they are known. */
export class Writer {
  readonly facts: Fact[] = []
  readonly marks: Mark[] = []
  readonly closings: Closing[] = []
  readonly versions = new Map<string, Fact[]>()
  readonly #covered = new Set<Fact>()

  write(step: Step): Entry {
    if (step.kind === 'lost' || step.kind === 'revoked') return step
    if (step.kind === 'checkpoint') return { kind: 'checkpoint', mark: this.#mark(step) }
    if (step.kind === 'closed') return { kind: 'closed', closing: this.#close(step) }
    const fact = makeFact(this.facts.length, step)
    this.facts.push(fact)
    if (fact.exact !== undefined) this.#versionsOf(fact.exact).push(fact)
    return { kind: step.kind, fact }
  }

  /** Without stand-ins, if there are any by now. */
  get #real(): Fact[] {
    return this.facts.filter(({ standsFor }) => standsFor === undefined)
  }

  #versionsOf(exact: string): Fact[] {
    let versions = this.versions.get(exact)
    if (!versions) this.versions.set(exact, (versions = []))
    return versions
  }

  #mark(step: Step & { kind: 'checkpoint' }): Mark {
    const before = this.#real.filter(({ track }) => typeof step.scope === 'string' || track === step.scope)
    const covers = step.scope === 'none' ? [] : before.filter((fact) => !this.#covered.has(fact))
    for (const fact of covers) this.#covered.add(fact)
    const mark = {
      id: this.marks.length,
      scope: step.scope,
      bytes: step.bytes,
      before,
      covers,
      arrivedAt: undefined,
      committed: false,
    }
    this.marks.push(mark)
    return mark
  }

  #close({ track }: Step & { kind: 'closed' }): Closing {
    const closing = { track, before: this.#real.filter((fact) => fact.track === track), settled: 0 }
    this.closings.push(closing)
    return closing
  }
}

export function writeScript(history: History): Script {
  const writer = new Writer()
  const chunks = history.chunks.flatMap(({ gapMs, times, steps }) =>
    Array.from({ length: times }, () => ({ gapMs, entries: steps.map((step) => writer.write(step)) })),
  )
  const hasLosses = chunks.some(({ entries }) => entries.some(({ kind }) => kind === 'lost' || kind === 'revoked'))
  return { ...openScript(history, writer, hasLosses), chunks }
}

/** Of what a writer has written and is still going to write. */
export function openScript(history: History, writer: Writer, hasLosses: boolean): Script {
  return {
    tables: [...history.tables, true].map((keepLast, index) => ({ name: `table_${index}`, keepLast })),
    tracks: Array.from({ length: history.tracks }, (_, index) => ({ name: `track_${index}` })),
    facts: writer.facts,
    marks: writer.marks,
    closings: writer.closings,
    hasLosses,
    versions: writer.versions,
    chunks: [],
  }
}

/** Where a point's bytes are cut into head and rest: anywhere. */
export function cutAt(seed: number, fact: Fact): number {
  return new Random(seed + fact.v).below(fact.text.length + 1)
}

/** One to three points of the last table that stand in for a rejected record and those it superseded; their fence keeps them in order. */
export function standIns({ facts, tables }: Script, fact: Fact, versions: readonly Fact[], seed: number): Fact[] {
  const count = 1 + new Random(seed + fact.v).below(3)
  const table = tables.length - 1
  const added = Array.from({ length: count }, (_, part) => {
    const [fence, exact] = [`r${fact.v}`, `r${fact.v}#${part}`]
    const v = facts.length + part
    return {
      v,
      track: fact.track,
      table,
      key: { exact, fence },
      fence: `${table}|${fence}`,
      exact: `${table}|${exact}`,
      text: textOf(v, JSON.stringify(exact), 10),
      poison: false,
      arrivedAt: undefined,
      sentAt: undefined,
      stored: false,
      done: 'no' as const,
      refused: false,
      standsFor: { versions, isLast: part === count - 1 },
    }
  })
  facts.push(...added)
  return added
}
