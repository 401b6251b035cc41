// Finds the rows of a table that a query asks for, and puts them in order. A search gives way every few milliseconds, so that upserts go on
// meanwhile. Limits keep it from taking too long or too much memory.

import { setImmediate as giveWay } from 'node:timers/promises'
import type { Context } from './context.ts'
import { refusedWith, type ReadOrRefused } from './json-body.ts'
import { membersOf, textOf, type Member } from './row-members.ts'
import type { StoredRow } from './store.ts'
import type { RowQuery } from './table-query.ts'

export interface FoundRows {
  /** The place of each in its table, 1 for the first arrival. */
  readonly places: readonly number[]
  /** The names of all fields of these rows, in the order they came; none without `withFields`. */
  readonly fields: readonly string[]
}

export interface SearchOptions {
  /** Most milliseconds that the search may take. */
  readonly ms: number
  /** Whether to collect the names of the fields; then more than MAX_FIELDS are refused. */
  readonly withFields: boolean
  /** Words to add to the reason when a limit is met: a colon, and what to do. */
  readonly advice?: string
}

const MAX_FIELDS = 2000
/** Most characters that are kept of a text to sort by, so that there is memory for many of them. */
const MAX_KEY = 200
/** How long a search goes on before it gives way. */
const SLICE_MS = 10

/** Ranks of the values that rows are sorted by; OTHER is neither number nor text (null, true, {}), MISSING a row without the field. */
const [NUMBER, TEXT, OTHER, MISSING] = [0, 1, 2, 3] as const

/** Tells whether a query asks for all rows, in whatever order. */
export function isWholeTable({ search, field }: RowQuery): boolean {
  return search === '' && field === undefined
}

/** Tells whether rows are asked for in the order of their arrival, or the reverse. */
export function isByArrival({ order, sort }: RowQuery): boolean {
  return sort === undefined && order !== 'written'
}

/** Tells whether the order is a descending one: `newest`, `written` or `desc`. */
export function isDescending({ order }: RowQuery): boolean {
  return order !== 'first' && order !== 'asc'
}

/** Searches a table. Refuses with 400 when a limit is met. Rejects when the service closes, or with TableGone. */
export async function findRows(
  rows: Iterable<StoredRow>,
  query: RowQuery,
  { ms, withFields, advice = '' }: SearchOptions,
  { elapsed, closing }: Pick<Context, 'elapsed' | 'closing'>,
): Promise<ReadOrRefused<FoundRows>> {
  const limitMet = (reason: string) => refusedWith(400, reason + advice)
  const found: FoundRow[] = []
  const fields = new Set<string>()
  const started = elapsed()
  let sliceStarted = started
  const needsMembers = !isWholeTable(query) || query.sort !== undefined || withFields
  let n = 0
  for (const { bytes, writtenAt = 0 } of rows) {
    n++
    const members = needsMembers ? membersOf(bytes) : []
    if (matches(members, query)) {
      const key: SortKey = query.order === 'written' ? [NUMBER, writtenAt] : keyOf(query.sort, members)
      found.push({ n, key })
      if (withFields) for (const { name } of members) fields.add(name)
      if (fields.size > MAX_FIELDS) return limitMet(`these rows have more than ${MAX_FIELDS} different fields`)
    }
    const now = elapsed()
    if (now - started > ms) return limitMet(`looking at the first ${n} rows took ${ms / 1000} s`)
    if (now - sliceStarted < SLICE_MS) continue
    await giveWay(undefined, { signal: closing })
    sliceStarted = elapsed()
  }
  return { value: { places: ordered(found, query).map(({ n }) => n), fields: [...fields] } }
}

function matches(members: readonly Member[], { search, field }: RowQuery): boolean {
  if (field !== undefined) {
    const member = members.findLast(({ name }) => name === field)
    return member !== undefined && textOf(member) === search
  }
  if (search === '') return true
  const wanted = search.toLowerCase()
  return members.some((member) => textOf(member).toLowerCase().includes(wanted))
}

interface FoundRow {
  /** Its place in the table, 1 for the first arrival. */
  readonly n: number
  /** Without a meaning when rows stay in the order of their arrival. */
  readonly key: SortKey
}

type SortKey = readonly [rank: 0 | 1 | 2 | 3, value: number | string]

function keyOf(sort: string | undefined, members: readonly Member[]): SortKey {
  const member = members.findLast(({ name }) => name === sort)
  if (member === undefined) return [MISSING, 0]
  const text = textOf(member)
  if (member.kind === 'number') return [NUMBER, Number(text)]
  // a copy, for a slice would keep the whole text in memory
  const short = text.length > MAX_KEY ? Buffer.from(text.slice(0, MAX_KEY)).toString() : text
  return [member.kind === 'string' ? TEXT : OTHER, short]
}

/** Sorts rows in place: those with equal keys in the order of their arrival, but of those written at one time the last arrival first. */
function ordered(found: FoundRow[], query: RowQuery): readonly FoundRow[] {
  if (isByArrival(query)) return isDescending(query) ? found.reverse() : found
  const sign = isDescending(query) ? -1 : 1
  return found.sort((a, b) => {
    const [rankA, valueA] = a.key
    const [rankB, valueB] = b.key
    // rows without the field are last whatever the direction
    if (rankA === MISSING || rankB === MISSING) return rankA - rankB
    if (rankA !== rankB) return sign * (rankA - rankB)
    if (valueA === valueB) return query.order === 'written' ? b.n - a.n : 0
    return valueA < valueB ? -sign : sign
  })
}
