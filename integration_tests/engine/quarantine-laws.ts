// What must hold of refusals: when it is the table's, when a point's, and how gently that is found out. Sees only requests
// and answers; knows nothing of how the engine works.

import type { Outcome } from '../../src/core/types.ts'
import { inWords, type Book } from './book.ts'
import type { Fact } from './script.ts'

/** Different points refused alone that make it the table's. */
const ENOUGH = 3
/** Requests of a quarantined table in flight at once. */
const AT_ONCE = 2

interface TableState {
  /** A point of it was accepted in this run. */
  isAccepted: boolean
  isRefused: boolean
  /** Exact keys, or records without one, that were refused alone. */
  readonly alone: Set<string>
  /** Of the requests that are made because it is quarantined, those in flight. */
  inFlight: number
  /** Records sent and not answered for good. */
  readonly open: Set<Fact>
}

export class QuarantineLaws {
  readonly #book: Book
  readonly #tables = new Map<number, TableState>()
  /** Records first sent when their table was quarantined already, and what was refused or too large since: all else that is sent
   *  of it repeats what was under way by then. */
  readonly #inBisection = new Set<Fact>()
  /** Requests of such, by their first record. */
  readonly #tried = new Set<number>()

  constructor(book: Book) {
    this.#book = book
  }

  /** It was refused, and nothing of it was ever accepted. */
  isQuarantined(table: number): boolean {
    const state = this.#tables.get(table)
    return state !== undefined && state.isRefused && !state.isAccepted
  }

  sent(facts: readonly Fact[]): void {
    const { table, v } = facts[0]!
    for (const fact of facts) this.#of(table).open.add(fact)
    if (!this.isQuarantined(table)) return
    for (const fact of facts) if (fact.sentAt === undefined) this.#inBisection.add(fact)
    if (!facts.every((fact) => this.#inBisection.has(fact))) return
    const state = this.#of(table)
    this.#tried.add(v)
    if (++state.inFlight > AT_ONCE)
      this.#book.break('a quarantined table is tried by two requests at a time', inWords(facts))
  }

  /** @returns whether it is the table that is refused; `perhaps`: lost records may be what kept it open */
  answered(facts: readonly Fact[], { status }: Outcome): boolean | 'perhaps' {
    const { table, v } = facts[0]!
    const state = this.#of(table)
    if (this.#tried.delete(v)) state.inFlight--
    if (status !== 'retry') for (const fact of facts) state.open.delete(fact)
    if (status === 'delivered') state.isAccepted = true
    if (status === 'refused') this.#refused(state, facts)
    if (status === 'too-large' && this.isQuarantined(table)) for (const fact of facts) this.#inBisection.add(fact)
    // what is under way may be accepted yet
    if (state.isAccepted || state.alone.size < ENOUGH) return false
    if (state.open.size === 0 && !facts.some(({ track }) => this.#book.isUnassigned(track))) return true
    return this.#book.script.hasLosses && 'perhaps'
  }

  #refused(state: TableState, facts: readonly Fact[]): void {
    state.isRefused = true
    const [fact] = facts
    if (!state.isAccepted) for (const one of facts) this.#inBisection.add(one)
    // a reject that is refused is told at once, and no verdict about its table is waited for
    if (facts.length === 1 && !fact!.standsFor) state.alone.add(fact!.exact ?? `record ${fact!.v}`)
  }

  #of(table: number): TableState {
    let state = this.#tables.get(table)
    if (!state)
      this.#tables.set(
        table,
        (state = { isAccepted: false, isRefused: false, alone: new Set(), inFlight: 0, open: new Set() }),
      )
    return state
  }
}
