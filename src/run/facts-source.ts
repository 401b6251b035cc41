// The facts of a run, taken from the counts of its input and of the engine. There may be thousands of rows in which nothing happens, so
// a row is computed again only when something of it was counted. commands/run.ts asks once a second; each answer is a snapshot.

import { emptyTally, type Tally, type TableTally } from '../core/tally.ts'
import type { Table } from '../core/types.ts'
import { RunSums, tableCounts, withTableCounts, type RunCounts, type TableFacts } from './counts.ts'
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

export class RunFactsSource {
  readonly #parts: FactsParts
  readonly #startedAt: number
  #settled = 0
  #settledAt: number
  /** Rows of the last facts. Never changed, because a reader may have kept them. */
  #rows: readonly RowFacts[] = []
  #tables: readonly TableFacts[] = []
  #sums = new RunSums()
  /** The list that `#rows` was built from, and the place of each of its rows. */
  #inputRows: readonly CountedRow[] = []
  #rowPlaces = new Map<CountedRow, number>()
  #tablePlaces = new Map<Table, TablePlace>()
  /** The newest tally of each table. */
  readonly #tallies = new Map<Table, Readonly<TableTally>>()
  /** One object for all rows that share their counts and whose table was sent nothing, for there may be thousands. */
  readonly #unsentCounts = new WeakMap<RunCounts, RunCounts>()

  /** @param now when the run began */
  constructor(parts: FactsParts, now: number) {
    this.#parts = parts
    this.#startedAt = this.#settledAt = now
  }

  take(at: number): Omit<RunFacts, 'stopping' | 'failed'> {
    const { input, tally, outages } = this.#parts
    const { rows, progress, replays, group, rejectCounts: rejects, rejectsPlace } = input
    this.#refresh()
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
      delivery: this.#delivery(at),
      input: progress?.(),
      rejects,
      rejectsPlace,
      outages: outages.all,
    }
  }

  /** Takes the facts of delivery, and remembers when something was last settled. */
  #delivery(at: number): DeliveryFacts {
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

  /** Brings `#rows`, `#tables` and `#sums` up to what was counted since the last call. */
  #refresh(): void {
    const { input, tally } = this.#parts
    const changedRows = [...input.rows.takeChanged()]
    const changedTables = [...tally.takeTables()]
    for (const [table, counts] of changedTables) this.#tallies.set(table, counts)
    if (input.rows.all !== this.#inputRows) return this.#rebuild(input.rows.all)
    const places = new Set(changedRows.flatMap((row) => this.#rowPlaces.get(row) ?? []))
    // that of rejected records is no row's table
    const tables = changedTables.flatMap(([table]) => this.#tablePlaces.get(table) ?? [])
    if (places.size + tables.length > 0) this.#update(places, tables)
  }

  #rebuild(all: readonly CountedRow[]): void {
    this.#inputRows = all
    this.#sums = new RunSums()
    this.#rowPlaces = new Map(all.map((row, place) => [row, place]))
    this.#tablePlaces = new Map()
    all.forEach(({ table }, place) => {
      if (table === undefined) return
      const known = this.#tablePlaces.get(table)
      if (known) known.rows++
      else this.#tablePlaces.set(table, { table, place: this.#tablePlaces.size, firstRow: place, rows: 1 })
    })
    this.#tables = Array.from(this.#tablePlaces.keys(), (table) => this.#tableFacts(table))
    this.#rows = all.map((row, place) => this.#rowFacts(row, place))
    for (const { counts } of this.#rows) this.#sums.add(counts)
  }

  #update(places: Set<number>, changedTables: readonly TablePlace[]): void {
    const [rows, tables] = [this.#rows.slice(), this.#tables.slice()]
    for (const { table, place, firstRow } of changedTables) {
      tables[place] = this.#tableFacts(table)
      places.add(firstRow)
    }
    for (const place of places) {
      this.#sums.remove(rows[place]!.counts)
      rows[place] = this.#rowFacts(this.#inputRows[place]!, place)
      this.#sums.add(rows[place].counts)
    }
    this.#tables = tables
    this.#rows = rows
  }

  #rowFacts(row: CountedRow, place: number): RowFacts {
    const { name, table, scope, isPart = false } = row
    const { counts, ...more } = row.facts()
    const known = table === undefined ? counts : this.#withTable(counts, table, place)
    return { name, table: table?.name, scope, ...(isPart && { isPart }), counts: known, ...more }
  }

  /** Adds the counts of the row's table. If several rows share it, the first of them gets those. */
  #withTable(counts: RunCounts, table: Table, place: number): RunCounts {
    const { firstRow, rows } = this.#tablePlaces.get(table)!
    const tally = this.#tallies.get(table)
    if (rows > 1) return { ...counts, ...(firstRow === place ? tableCounts(tally) : {}) }
    if (tally) return withTableCounts(counts, tally)
    const known = this.#unsentCounts.get(counts) ?? withTableCounts(counts, tally)
    this.#unsentCounts.set(counts, known)
    return known
  }

  #tableFacts(table: Table): TableFacts {
    const { retries, ...tally } = this.#tallies.get(table) ?? emptyTally()
    return { table: table.name, ...tally, retries: { ...retries } }
  }
}

/** A table among `#tables`, and its rows among `#rows`. */
interface TablePlace {
  readonly table: Table
  readonly place: number
  /** The place of its first row, which has the table's counts. */
  readonly firstRow: number
  /** How many rows share it. */
  rows: number
}
