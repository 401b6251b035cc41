// Takes the facts of a run from the counts of its input and of the engine.

import { emptyTally } from '../core/tally.ts'
import type { Tally, TableTally } from '../core/tally.ts'
import type { Table } from '../core/types.ts'
import { ofTable, RunSums, withTable } from './counts.ts'
import type { RunCounts, TableFacts } from './counts.ts'
import type { CountedRow, OpenInput } from './open-input.ts'
import type { OutageList } from './outage-list.ts'
import type { RequestDurations } from './request-durations.ts'
import type { DeliveryFacts, PermitsFacts, RowFacts, RunFacts, ServiceFacts } from './run-facts.ts'

export interface DeliveryParts {
  readonly tally: Tally
  readonly permits: PermitsFacts
  readonly transport: ServiceFacts & { readonly durations?: Pick<RequestDurations, 'all'> }
}

export interface FactsParts extends DeliveryParts {
  readonly input: Pick<
    OpenInput<never, never>,
    'rows' | 'progress' | 'replays' | 'group' | 'rejectCounts' | 'rejectsPlace'
  >
  readonly outages: Pick<OutageList, 'all'>
}

/** Takes snapshots of a run, once a second: commands/run.ts asks. A row is computed again only when something of it was counted. */
export class RunFactsSource {
  readonly #parts: FactsParts
  readonly #startedAt: number
  #settled = 0
  #settledAt: number
  /** Rows of the last facts. Never changed, because a reader may have kept them. */
  #rows: readonly RowFacts[] = []
  #tables: readonly TableFacts[] = []
  #sums = new RunSums()
  #known: readonly CountedRow[] = []
  #places = new Map<CountedRow, number>()
  /** The place of each table, and those of its rows. */
  #sharing = new Map<Table, Sharing>()
  readonly #tallies = new Map<Table, Readonly<TableTally>>()
  /** Rows of which nothing was counted have their counts together. */
  readonly #quiet = new WeakMap<RunCounts, RunCounts>()

  /** @param now when the run began */
  constructor(parts: FactsParts, now: number) {
    this.#parts = parts
    this.#startedAt = this.#settledAt = now
  }

  take(at: number): Omit<RunFacts, 'stopping' | 'failed'> {
    const { input, tally, outages } = this.#parts
    const { rows, progress, replays, group, rejectCounts: rejects, rejectsPlace } = input
    this.#renew()
    const total = this.#sums.total(rows.together?.())
    const unsettled = total.counts.unsettled ?? tally.engine().outstanding
    return {
      rows: this.#rows,
      total: { ...total, counts: { ...total.counts, unsettled } },
      tables: this.#tables,
      at,
      startedAt: this.#startedAt,
      noun: rows.noun,
      replays,
      group: group?.facts(at),
      delivery: this.#deliver(at),
      input: progress?.(),
      rejects,
      rejectsPlace,
      outages: outages.all,
    }
  }

  /** Takes the facts of delivery, and remembers when something was last settled. */
  #deliver(at: number): DeliveryFacts {
    const { tally, permits, transport } = this.#parts
    const { settled, ...engine } = tally.engine()
    const { pausedUntil, failingSince, failingCause, throttledSince, durations } = transport
    if (engine.outstanding === 0 || settled !== this.#settled) this.#settledAt = at
    this.#settled = settled
    return {
      ...engine,
      settledAt: this.#settledAt,
      permits: permits.limit,
      rate: permits.rate,
      // permits know no time in which nothing is sent, so what they say stays as it was
      heldBy: engine.outstanding === 0 ? undefined : permits.heldBy,
      durations: durations?.all ?? [],
      pausedUntil,
      failingSince,
      failingCause,
      throttledSince,
      ending: tally.ending(),
    }
  }

  #renew(): void {
    const { input, tally } = this.#parts
    const { all } = input.rows
    const changed = new Set<number>()
    for (const row of input.rows.takeChanged()) changed.add(this.#places.get(row) ?? -1)
    const counted = new Set<Sharing>()
    for (const [table, counts] of tally.takeTables()) {
      this.#tallies.set(table, counts)
      // that of rejected records is no row's table
      const sharing = this.#sharing.get(table)
      if (sharing) counted.add(sharing)
    }
    if (all !== this.#known) this.#begin(all)
    else if (changed.size + counted.size > 0) this.#change(changed, counted)
  }

  /** Rebuilds every row. */
  #begin(all: readonly CountedRow[]): void {
    this.#known = all
    this.#sums = new RunSums()
    this.#places = new Map(all.map((row, place) => [row, place]))
    this.#sharing = new Map()
    all.forEach(({ table }, place) => {
      if (table === undefined) return
      const sharing = this.#sharing.get(table)
      if (sharing) sharing.rows++
      else this.#sharing.set(table, { table, place: this.#sharing.size, first: place, rows: 1 })
    })
    this.#tables = Array.from(this.#sharing.keys(), (table) => this.#table(table))
    this.#rows = all.map((row, place) => this.#row(row, place))
    for (const { counts } of this.#rows) this.#sums.add(counts)
  }

  #change(changed: Set<number>, counted: ReadonlySet<Sharing>): void {
    const tables = this.#tables.slice()
    for (const { table, place, first } of counted) {
      tables[place] = this.#table(table)
      changed.add(first)
    }
    const rows = this.#rows.slice()
    changed.delete(-1)
    for (const place of changed) {
      this.#sums.remove(rows[place]!.counts)
      rows[place] = this.#row(this.#known[place]!, place)
      this.#sums.add(rows[place].counts)
    }
    this.#tables = tables
    this.#rows = rows
  }

  #row(row: CountedRow, place: number): RowFacts {
    const { name, table, scope, isPart = false } = row
    const { counts, ...more } = row.facts()
    const known = table === undefined ? counts : this.#counts(counts, table, place)
    return { name, table: table?.name, scope, ...(isPart && { isPart }), counts: known, ...more }
  }

  /** Adds the counts of the row's table. If several rows share it, the first of them gets those. */
  #counts(counts: RunCounts, table: Table, place: number): RunCounts {
    const { first, rows } = this.#sharing.get(table)!
    const tally = this.#tallies.get(table)
    if (rows > 1) return { ...counts, ...(first === place ? ofTable(tally) : {}) }
    if (tally) return withTable(counts, tally)
    const known = this.#quiet.get(counts) ?? withTable(counts, tally)
    this.#quiet.set(counts, known)
    return known
  }

  #table(table: Table): TableFacts {
    const { retries, ...tally } = this.#tallies.get(table) ?? emptyTally()
    return { table: table.name, ...tally, retries: { ...retries } }
  }
}

interface Sharing {
  readonly table: Table
  readonly place: number
  /** The place of its first row. */
  readonly first: number
  rows: number
}
