// Counts the records that an input yields, and says what follows for any run with them: what is exact, because
// the input alone decides it, and bounds of the rest.

import { sizeOf } from '../../core/body.ts'
import type { Item, Key, KeyAtom, RecordItem, Source, Table } from '../../core/types.ts'
import type { DryRunHooks, OpenInput } from '../../run/open-input.ts'
import { DistinctKeys } from './distinct-keys.ts'
import type { DryRun } from './dry-run-schema.ts'

/** Counts of a table's accepted records, before any came. */
const NONE = {
  records: 0,
  /** Records without a key, which are equal to no other. */
  keyless: 0,
  bytes: 0,
  smallest: 0,
  largest: 0,
  /** The place where the largest was read, for people. */
  place: '',
}

/** Counts records while a run goes on. */
export class DryCounts implements DryRunHooks {
  readonly #tables = new Map<Table, typeof NONE>()
  readonly #keys: DistinctKeys<Table>
  longestLine: DryRun['longest_line'] = null

  readonly #rowKey: (key: Key) => KeyAtom | undefined

  /** @param seed as in DistinctKeys
   *  @param rowKey equal for what is one row */
  constructor(seed: number, rowKey: (key: Key) => KeyAtom | undefined) {
    this.#keys = new DistinctKeys(seed)
    this.#rowKey = rowKey
  }

  sawLine(line: number, bytes: number): void {
    if (bytes > (this.longestLine?.bytes ?? 0)) this.longestLine = { line, bytes }
  }

  /** Returns the same input with its records counted. */
  counted<C, O>(input: OpenInput<C, O>): OpenInput<C, O> {
    const { source } = input
    const record = (item: RecordItem<O>): void => this.#record(item, () => input.recordPlace?.(item) ?? 'not known')
    async function* read(...given: Parameters<Source<C, O>['read']>): AsyncGenerator<readonly Item<C, O>[]> {
      for await (const items of source.read(...given)) {
        for (const item of items) if (item.kind === 'record') record(item)
        yield items
      }
    }
    const hold = source.hold && { hold: source.hold.bind(source) }
    return { ...input, source: { read, settled: source.settled.bind(source), ...hold } }
  }

  #record(item: RecordItem<unknown>, whereOf: () => string): void {
    const { table } = item
    const size = sizeOf(item)
    let counts = this.#tables.get(table)
    if (!counts) this.#tables.set(table, (counts = { ...NONE, smallest: size }))
    counts.records++
    counts.bytes += size
    if (size < counts.smallest) counts.smallest = size
    if (size > counts.largest) {
      counts.largest = size
      counts.place = whereOf()
    }
    const key = this.#rowKey(item.key)
    if (key === undefined) counts.keyless++
    else this.#keys.add(table, key)
  }

  /** Returns what any run would come to with this table.
   *  @param limits the most that a request may hold */
  tableOf(table: Table, limits: { maxPoints: number; maxRequestBytes: number }): DryRun['tables'][number] {
    const counts = this.#tables.get(table) ?? NONE
    const { count, off } = this.#keys.of(table)
    // an estimate may exceed what there is
    const rows = Math.min(count + counts.keyless, counts.records)
    const least = table.keepLast ? Math.floor(rows * (1 - off)) : counts.records
    // one version of each row is sent, and it is not known which
    const pointBytes = Math.max(least * counts.smallest, counts.bytes - (counts.records - least) * counts.largest)
    const byBytes = (pointBytes + least) / Math.max(limits.maxRequestBytes, counts.largest + 2)
    const requests = Math.ceil(Math.max(least / limits.maxPoints, byBytes))
    return {
      table: table.name,
      rows,
      rows_exact: off === 0,
      rows_sent: { at_least: least, at_most: counts.records },
      requests_at_least: requests,
      // a comma or a bracket behind each, and a bracket in front
      bytes_at_least: pointBytes + least + requests,
      largest_record: counts.records > 0 ? { bytes: counts.largest, place: counts.place } : null,
    }
  }
}
