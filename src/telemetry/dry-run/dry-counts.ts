// What a dry run counts of the records that an input yields, and what follows from it for any run with them: what is exact, because
// the input alone decides it, and bounds of the rest.

import { sizeOf } from '../../core/body.ts'
import { rowOf } from '../../core/key.ts'
import type { Item, RecordItem, Source, Table } from '../../core/types.ts'
import type { DryLook, OpenInput } from '../open-input.ts'
import { DistinctKeys } from './distinct-keys.ts'

/** Of the records of a table that are no rejected ones. */
interface TableRecords {
  records: number
  /** Records that are equal to no other. */
  keyless: number
  bytes: number
  smallest: number
  largest: number
  /** Where the largest was read, for people. */
  place: string
}

/** What a request may hold. */
interface RequestLimits {
  readonly maxPoints: number
  readonly maxRequestBytes: number
}

interface TableBounds {
  readonly rows: number
  /** Else `rows` is an estimate. */
  readonly isExact: boolean
  readonly rowsSent: readonly [least: number, most: number]
  readonly leastRequests: number
  readonly leastBytes: number
  /** Its largest record as it is sent; undefined: there is none. */
  readonly largest: { readonly bytes: number; readonly place: string } | undefined
}

/** Where records are counted while a run goes on. */
export class DryCounts implements DryLook {
  readonly #tables = new Map<Table, TableRecords>()
  readonly #keys: DistinctKeys<Table>
  /** Lines that were longer than all before. */
  readonly #lines: { readonly number: number; readonly bytes: number }[] = []
  #end = Infinity

  /** @param seed as in DistinctKeys */
  constructor(seed: number) {
    this.#keys = new DistinctKeys(seed)
  }

  line(number: number, bytes: number): void {
    if (bytes > (this.#lines.at(-1)?.bytes ?? 0)) this.#lines.push({ number, bytes })
  }

  end(number: number): void {
    this.#end = number
  }

  get longestLine(): { readonly number: number; readonly bytes: number } | undefined {
    return this.#lines.findLast(({ number }) => number <= this.#end)
  }

  record(item: RecordItem<unknown>, whereOf: () => string): void {
    const { table } = item
    let of = this.#tables.get(table)
    if (!of)
      this.#tables.set(table, (of = { records: 0, keyless: 0, bytes: 0, smallest: Infinity, largest: 0, place: '' }))
    const size = sizeOf(item)
    of.records++
    of.bytes += size
    if (size < of.smallest) of.smallest = size
    if (size > of.largest) {
      of.largest = size
      of.place = whereOf()
    }
    const key = rowOf(item.key)
    if (key === undefined) of.keyless++
    else this.#keys.add(table, key)
  }

  boundsOf(table: Table, limits: RequestLimits): TableBounds {
    const of = this.#tables.get(table)
    if (!of) return { rows: 0, isExact: true, rowsSent: [0, 0], leastRequests: 0, leastBytes: 0, largest: undefined }
    const { count, off } = this.#keys.of(table)
    const rows = count + of.keyless
    const sure = off === 0 ? rows : Math.floor(rows * (1 - off))
    const least = table.keepLast ? Math.min(sure, of.records) : of.records
    // one version of each row is sent, and nobody knows which
    const pointBytes = Math.max(least * of.smallest, of.bytes - (of.records - least) * of.largest)
    const byBytes = (pointBytes + least) / Math.max(limits.maxRequestBytes, of.largest + 2)
    const leastRequests = Math.ceil(Math.max(least / limits.maxPoints, byBytes))
    // a comma or a bracket behind each, and a bracket in front
    const leastBytes = pointBytes + least + leastRequests
    const largest = { bytes: of.largest, place: of.place }
    return { rows, isExact: off === 0, rowsSent: [least, of.records], leastRequests, leastBytes, largest }
  }
}

/** The same input with its records counted. */
export function countedInput<C, O>(input: OpenInput<C, O>, counts: DryCounts): OpenInput<C, O> {
  const { source } = input
  async function* read(...given: Parameters<Source<C, O>['read']>): AsyncGenerator<readonly Item<C, O>[]> {
    for await (const items of source.read(...given)) {
      for (const item of items)
        if (item.kind === 'record') counts.record(item, () => input.whereOf?.(item) ?? 'not known')
      yield items
    }
  }
  const hold = source.hold && ((...given: Parameters<NonNullable<typeof source.hold>>) => source.hold!(...given))
  const settled: typeof source.settled = (...given) => source.settled(...given)
  return { ...input, source: { read, settled, ...(hold && { hold }) } }
}
