// What is known of each record and checkpoint while a history plays: derived from the script's notes, judged by laws.

import type { Entry, Fact, Leave, Loss, Mark, Script } from './script.ts'

export interface Broken {
  readonly law: string
  readonly how: string
}

export class Book {
  readonly script: Script
  /** Rows as a service holds them that tells 1 from 1.0, and, behind `fence `, as one that does not. */
  readonly rows = new Map<string, Fact>()
  readonly losses: Loss[] = []
  readonly lost = new Set<number>()
  readonly leaves: Leave[] = []
  broken: Broken | undefined
  readonly trace: string[] | undefined
  readonly #now: () => number
  /** Entries yielded and not yet looked at by the engine: it is busy with a reject. */
  #ahead: Entry[] = []
  #open: Fact[] = []
  /** By exact key: the newest that is done, the newest that has arrived. */
  readonly #doneUpTo = new Map<string, number>()
  readonly #newest = new Map<string, Fact>()

  constructor(script: Script, now: () => number, traced: boolean) {
    this.script = script
    this.#now = now
    this.trace = traced ? [] : undefined
  }

  note(what: () => string): void {
    this.trace?.push(`${this.#now().toFixed(3).padStart(14)}  ${what()}`)
  }

  break(law: string, how: string): void {
    this.note(() => `BROKEN: ${law}: ${how}`)
    this.broken ??= { law, how }
  }

  yielded(entries: readonly Entry[]): void {
    this.#ahead = entries.slice()
    this.#look()
  }

  /** The engine is done with the rejected entry it stood at. */
  passRejected(): void {
    this.#ahead.shift()
    this.#look()
  }

  store(fact: Fact): void {
    fact.stored = true
    this.rows.set(fact.exact ?? `row ${fact.v}`, fact)
    if (fact.fence !== undefined) this.rows.set(`fence ${fact.fence}`, fact)
  }

  /** The records a reject stands for: the one refused and those it superseded. */
  standsFor(fact: Fact, superseded: number): readonly Fact[] {
    const versions = this.#merges(fact) ? this.script.versions.get(fact.exact!)! : [fact]
    const index = versions.indexOf(fact)
    // the shares of a lost track are not told: what is older and open went along with it
    if (this.hasGone)
      return versions
        .slice(0, index + 1)
        .filter((version) => version === fact || (!this.isDone(version) && version.isDiverted !== true))
    return versions.slice(Math.max(0, index - superseded), index + 1)
  }

  settle(fact: Fact, how: 'written' | 'rejected'): void {
    fact.done = how
    if (fact.exact !== undefined && fact.v > (this.#doneUpTo.get(fact.exact) ?? -1))
      this.#doneUpTo.set(fact.exact, fact.v)
  }

  /** Settled itself, or superseded by one that is. */
  isDone(fact: Fact): boolean {
    if (fact.done !== 'no') return true
    if (fact.isDropped === true || fact.isDiverted === true) return false
    return this.#merges(fact) && fact.v < (this.#doneUpTo.get(fact.exact!) ?? -1)
  }

  /** Its bytes cannot have been let go. */
  isHeld(fact: Fact): boolean {
    if (
      fact.arrivedAt === undefined ||
      fact.table < 0 ||
      fact.isDiverted === true ||
      fact.isDropped === true ||
      this.isDone(fact) ||
      this.isUnassigned(fact.track)
    )
      return false
    return !this.#merges(fact) || this.#newest.get(fact.exact!) === fact
  }

  /** What has arrived and is not done, in order. */
  get open(): readonly Fact[] {
    this.#open = this.#open.filter((fact) => !this.isDone(fact))
    return this.#open
  }

  isForgotten({ scope }: Mark): boolean {
    return typeof scope === 'number' && this.isUnassigned(scope)
  }

  #merges({ exact, table }: Fact): boolean {
    return exact !== undefined && this.script.tables[table]!.keepLast
  }

  /** What comes of a track that is gone never arrives. */
  #look(): void {
    for (let entry = this.#ahead[0]; entry; entry = this.#ahead[0]) {
      const isUnassigned = 'fact' in entry && this.isUnassigned(entry.fact.track)
      if (entry.kind === 'rejected' && !isUnassigned) return
      this.#ahead.shift()
      if (entry.kind === 'record' && !isUnassigned) this.arrive(entry.fact)
      else if (entry.kind === 'checkpoint') entry.mark.arrivedAt = this.#now()
    }
  }

  /** Lost or revoked: of that not all may be told. */
  isUnassigned(track: number): boolean {
    return this.lost.has(track) || this.leaves.some((leave) => leave.track === track)
  }

  /** Whether tracks ever were. */
  get hasGone(): boolean {
    return this.lost.size > 0 || this.leaves.length > 0
  }

  /** @returns the tracks of these that were not taken away before */
  give(tracks: readonly number[]): readonly Leave[] {
    const leaves = tracks
      .filter((track) => !this.isUnassigned(track))
      .map((track) => {
        const marks = this.script.marks.filter(({ scope, arrivedAt }) => scope === track && arrivedAt !== undefined)
        return { track, settled: 0, from: this.#now(), marks, isCutShort: false }
      })
    this.leaves.push(...leaves)
    return leaves
  }

  /** @returns the tracks of these that were not lost before */
  lose(tracks: readonly number[]): readonly Loss[] {
    const losses = tracks.filter((track) => !this.lost.has(track)).map((track) => ({ track, settled: 0 }))
    for (const { track } of losses) this.lost.add(track)
    // a revoked track that is lost is told of its end instead
    for (const leave of this.leaves) if (this.lost.has(leave.track)) leave.settled = 1
    this.losses.push(...losses)
    return losses
  }

  /** Since now it is with the engine. */
  arrive(fact: Fact): void {
    fact.arrivedAt = this.#now()
    this.#open.push(fact)
    if (fact.exact !== undefined) this.#newest.set(fact.exact, fact)
  }
}

export function inWords(facts: readonly Fact[]): string {
  return `[${facts.map(({ v, fence, exact }) => `${v} (${exact ?? 'no key'}${fence === exact ? '' : ` ~ ${fence}`})`).join(', ')}]`
}

export function entryInWords(entry: Entry): string {
  if (entry.kind === 'checkpoint') return `checkpoint ${entry.mark.id} of ${entry.mark.scope}`
  if (entry.kind === 'closed') return `track ${entry.closing.track} complete`
  if (entry.kind === 'revoked') return `tracks ${entry.tracks.join()} revoked`
  if (entry.kind === 'lost') return `tracks ${entry.tracks.join()} lost`
  return `${entry.kind} ${inWords([entry.fact])} of track ${entry.fact.track}`
}
