// What is known of each record and checkpoint while a history plays: derived from the script's notes, judged by laws.

import type { Entry, Fact, Mark, Script } from './script.ts'

export interface Broken {
  readonly law: string
  readonly how: string
}

export class Book {
  readonly script: Script
  /** Rows as a service holds them that tells 1 from 1.0, and, behind `fence `, as one that does not. */
  readonly rows = new Map<string, Fact>()
  /** Since when each is. */
  readonly abandoned = new Map<number, number>()
  broken: Broken | undefined
  readonly trace: string[] | undefined
  readonly #now: () => number
  /** Entries yielded and not yet looked at by the engine: it is busy with a reject. */
  #ahead: Entry[] = []

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
    const versions = fact.exact === undefined ? [fact] : this.script.versions.get(fact.exact)!
    const index = versions.indexOf(fact)
    return versions.slice(Math.max(0, index - superseded), index + 1)
  }

  /** Settled itself, or superseded by one that is. */
  isDone(fact: Fact): boolean {
    if (fact.done !== 'no') return true
    if (fact.exact === undefined || !this.script.tables[fact.table]!.keepLast) return false
    return this.script.versions.get(fact.exact)!.some(({ v, done }) => v > fact.v && done !== 'no')
  }

  /** Its bytes cannot have been let go. */
  isHeld(fact: Fact): boolean {
    if (fact.arrivedAt === undefined || fact.table < 0 || this.isDone(fact) || this.abandoned.has(fact.track))
      return false
    if (fact.exact === undefined || !this.script.tables[fact.table]!.keepLast) return true
    return this.script.versions.get(fact.exact)!.findLast(({ arrivedAt }) => arrivedAt !== undefined) === fact
  }

  isForgotten({ scope }: Mark): boolean {
    return scope !== 'all' && this.abandoned.has(scope)
  }

  #look(): void {
    for (let entry = this.#ahead[0]; entry && entry.kind !== 'rejected'; entry = this.#ahead[0]) {
      this.#ahead.shift()
      if (entry.kind === 'record') entry.fact.arrivedAt = this.#now()
      else if (entry.kind === 'checkpoint') entry.mark.arrivedAt = this.#now()
      else entry.closing.arrived = true
      if (entry.kind === 'closed' && entry.closing.how === 'abandoned')
        this.abandoned.set(entry.closing.track, this.#now())
    }
  }
}

export function inWords(facts: readonly Fact[]): string {
  return `[${facts.map(({ v, fence, exact }) => `${v} (${exact ?? 'no key'}${fence === exact ? '' : ` ~ ${fence}`})`).join(', ')}]`
}

export function entryInWords(entry: Entry): string {
  if (entry.kind === 'checkpoint') return `checkpoint ${entry.mark.id} of ${entry.mark.scope}`
  if (entry.kind === 'closed') return `track ${entry.closing.track} ${entry.closing.how}`
  return `${entry.kind} ${inWords([entry.fact])} of track ${entry.fact.track}`
}
