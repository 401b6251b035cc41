// Makes the facts of a run from the counts of its input and of the engine: a snapshot once a second, for commands/run.ts. There may be
// thousands of rows (streams or topics) in which nothing happens, so a row is computed again only when something of it was counted.

import { emptyTally, type Tally, type TableTally } from '../core/tally.ts'
import type { Table } from '../core/types.ts'
import { tableCounts, totalOf, withTableCounts, type RunCounts, type RunRow, type TableFacts } from './counts.ts'
import type { CountedRow, OpenInput } from './open-input.ts'
import type { RequestDurations } from './request-durations.ts'
import type { DeliveryFacts, ListedOutage, PermitsFacts, RowFacts, RunFacts, ServiceFacts } from './run-facts.ts'

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
  readonly outages: readonly ListedOutage[]
}

export class RunFactsSource {
  readonly #parts: FactsParts
  readonly #startedAt: number
  /** How many records were settled when facts were last taken, and since when that number has stood still while some are outstanding. */
  #settled = 0
  #settledAt: number
  /** Rows and tables of the last facts. The lists are replaced, never changed, because a reader may have kept them. */
  #rows: readonly RowFacts[] = []
  #tables: readonly TableFacts[] = []
  /** The total of these rows. */
  #sums: RunRow = totalOf([])
  /** The list that `#rows` was made from. */
  #inputRows: readonly CountedRow[] = []
  /** The rows that share a table. The first of them has the table's counts. */
  #rowsOfTable: ReadonlyMap<Table | undefined, readonly CountedRow[]> = new Map()
  readonly #tallies = new Map<Table, TableFacts>()

  constructor(parts: FactsParts, startedAt: number) {
    this.#parts = parts
    this.#startedAt = this.#settledAt = startedAt
  }

  /** Returns the facts at the present time `at`, without those that only the run itself knows. */
  take(at: number): Omit<RunFacts, 'stopping' | 'failed'> {
    const { input, tally, outages } = this.#parts
    const { rows, progress, replays, group, rejectCounts: rejects, rejectsPlace } = input
    this.#refresh()
    const total = totalOf([this.#sums], rows.together?.())
    // where rows do not tell how many are unsettled, the engine does
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
      outages,
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
      // permits are not told that nothing is left to send, so their reason may be out of date then
      heldBy: engine.outstanding === 0 ? undefined : permits.heldBy,
      durations: durations?.all ?? [],
      pausedUntil,
      failingSince,
      failingCause,
      throttledSince,
      ending: tally.ending(),
    }
  }

  /** Brings `#rows`, `#sums` and `#tables` up to what was counted since the last call. */
  #refresh(): void {
    const { input, tally } = this.#parts
    const { all } = input.rows
    const hasNewRows = all !== this.#inputRows
    if (hasNewRows) {
      this.#inputRows = all
      this.#rowsOfTable = Map.groupBy(all, ({ table }) => table)
      for (const { table } of all) if (table && !this.#tallies.has(table)) this.#noteTally(table, emptyTally())
    }
    const changed = new Set(input.rows.takeChanged())
    for (const [table, counts] of tally.takeTables()) {
      this.#noteTally(table, counts)
      // the table of rejected records has no row
      for (const row of this.#rowsOfTable.get(table) ?? []) changed.add(row)
    }
    if (!hasNewRows && changed.size === 0) return
    this.#rows = all.map((row, place) => (hasNewRows || changed.has(row) ? this.#rowFacts(row) : this.#rows[place]!))
    this.#sums = totalOf(this.#rows)
    this.#tables = [...this.#rowsOfTable.keys()].flatMap((table) => (table ? this.#tallies.get(table)! : []))
  }

  #noteTally(table: Table, { retries, ...tally }: Readonly<TableTally>): void {
    this.#tallies.set(table, { table: table.name, ...tally, retries: { ...retries } })
  }

  #rowFacts(row: CountedRow): RowFacts {
    const { name, table, scope, isPart = false } = row
    const { counts: inputCounts, ...otherFacts } = row.facts()
    const counts = table === undefined ? inputCounts : this.#withTable(row, inputCounts, table)
    return { name, table: table?.name, scope, ...(isPart && { isPart }), counts, ...otherFacts }
  }

  /** Adds the counts of the row's table. If several rows share it, the first of them gets those. */
  #withTable(row: CountedRow, counts: RunCounts, table: Table): RunCounts {
    const sharing = this.#rowsOfTable.get(table)!
    const tally = this.#tallies.get(table)!
    if (sharing.length === 1) return withTableCounts(counts, tally)
    return sharing[0] === row ? { ...counts, ...tableCounts(tally) } : counts
  }
}
