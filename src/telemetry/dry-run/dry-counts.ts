// Counts the records that the input of a dry run yields, and says what any run with them would come to: exactly, where the input alone
// decides it, else by bounds.

import { sizeOf } from '../../core/body.ts'
import type { Item, Key, KeyAtom, RecordItem, Source, Table } from '../../core/types.ts'
import type { DryRunHooks, OpenInput } from '../../run/open-input.ts'
import { DistinctKeys } from './distinct-keys.ts'
import type { DryRun } from './dry-run-schema.ts'

/** Counts of a table's accepted records, before any came. Bytes are those of points, as they are sent. */
const NO_RECORDS = {
  records: 0,
  /** Records without a key, which are equal to no other. */
  keyless: 0,
  bytes: 0,
  smallestBytes: 0,
  largestBytes: 0,
  /** The place where the largest was read, for people. */
  largestPlace: '',
}

export class DryCounts implements DryRunHooks {
  readonly #tables = new Map<Table, typeof NO_RECORDS>()
  readonly #keys: DistinctKeys<Table>
  readonly #rowKey: (key: Key) => KeyAtom | undefined
  longestLine: DryRun['longest_line'] = null

  /** @param seed as in DistinctKeys
   *  @param rowKey returns what is equal for keys of one row; `undefined` when the row equals no other */
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
    const count = (item: RecordItem<O>): void => this.#count(item, () => input.recordPlace?.(item) ?? 'not known')
    async function* read(...given: Parameters<Source<C, O>['read']>): AsyncGenerator<readonly Item<C, O>[]> {
      for await (const items of source.read(...given)) {
        for (const item of items) if (item.kind === 'record') count(item)
        yield items
      }
    }
    // bound, because methods of an instance would be lost in a copy
    const hold = source.hold && { hold: source.hold.bind(source) }
    return { ...input, source: { read, settled: source.settled.bind(source), ...hold } }
  }

  #count(item: RecordItem<unknown>, placeOf: () => string): void {
    const { table } = item
    const size = sizeOf(item)
    let counts = this.#tables.get(table)
    if (!counts) this.#tables.set(table, (counts = { ...NO_RECORDS, smallestBytes: size }))
    counts.records++
    counts.bytes += size
    if (size < counts.smallestBytes) counts.smallestBytes = size
    if (size > counts.largestBytes) {
      counts.largestBytes = size
      counts.largestPlace = placeOf()
    }
    const key = this.#rowKey(item.key)
    if (key === undefined) counts.keyless++
    else this.#keys.add(table, key)
  }

  /** Returns what any run would come to with this table. @param limits the most that a request may hold; a larger record is sent alone */
  tableOf(table: Table, limits: { maxPoints: number; maxRequestBytes: number }): DryRun['tables'][number] {
    const { records, keyless, bytes, smallestBytes, largestBytes, largestPlace } = this.#tables.get(table) ?? NO_RECORDS
    const { count, off } = this.#keys.of(table)
    // an estimate may exceed what there is
    const rows = Math.min(count + keyless, records)
    // at least one version of each row is sent, and it is not known which; `off` is the share by which an estimated count may be wrong
    const leastSent = table.keepLast ? Math.floor(rows * (1 - off)) : records
    const pointBytes = Math.max(leastSent * smallestBytes, bytes - (records - leastSent) * largestBytes)
    // in the body, a comma or a bracket follows each point, and a bracket comes first; so a record that is sent alone has 2 bytes more
    const requestsByBytes = (pointBytes + leastSent) / Math.max(limits.maxRequestBytes, largestBytes + 2)
    const requests = Math.ceil(Math.max(leastSent / limits.maxPoints, requestsByBytes))
    return {
      table: table.name,
      rows,
      rows_exact: off === 0,
      rows_sent: { at_least: leastSent, at_most: records },
      requests_at_least: requests,
      bytes_at_least: pointBytes + leastSent + requests,
      largest_record: records > 0 ? { bytes: largestBytes, place: largestPlace } : null,
    }
  }
}
