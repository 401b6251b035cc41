// Which rows of a table a query asks for, and in which order. Rows are looked at a few milliseconds at a time: upserts go on
// meanwhile.

import { setImmediate as turn } from 'node:timers/promises'
import type { Context } from './context.ts'
import { queryValue } from './read-request.ts'
import { membersOf, textOf } from './row-fields.ts'
import type { Member } from './row-fields.ts'
import type { StoredRow } from './store.ts'

export interface RowQuery {
  /** Rows that hold it in some value, whatever its case; with `field` those whose field is exactly that. '': all rows. */
  readonly search: string
  readonly field: string | undefined
  /** The field to sort by; `undefined` when rows are in the order of arrival or of their last write. */
  readonly sort: string | undefined
  readonly byWrite: boolean
  readonly descending: boolean
}

export interface FoundRows {
  /** The place of each, 1 for the first arrival. */
  readonly places: readonly number[]
  /** The names of all their fields, in the order they came; none where they are not needed. */
  readonly fields: readonly string[]
}

/** Most rows that are sorted: what is found within the time that is given. */
export const MAX_SORTED = 500_000
export const MAX_FIELDS = 2000
/** Most characters of a text that is sorted by, so that many of them have room. */
const MAX_KEY = 200
const SLICE_MS = 10

/** The rows that a query asks for. `undefined` when `order` is none of those that there are. */
export function rowQueryOf(query: string): RowQuery | undefined {
  const value = (name: string): string | undefined => queryValue(query, name)?.readings.at(-1)
  const order = value('order') ?? 'first'
  if (!['first', 'newest', 'written', 'asc', 'desc'].includes(order)) return undefined
  return {
    search: value('search') ?? '',
    field: value('field'),
    sort: value('sort'),
    byWrite: order === 'written',
    descending: order !== 'first' && order !== 'asc',
  }
}

export function isWholeTable({ search, field }: RowQuery): boolean {
  return search === '' && field === undefined
}

/** Answers a text that says why not where they are too many, or take longer than `ms`. `withFields`: their names are needed.
 *  Rejects when the service closes. */
export async function findRows(
  rows: Iterable<StoredRow>,
  query: RowQuery,
  { ms, withFields }: { readonly ms: number; readonly withFields: boolean },
  { elapsed, closing }: Pick<Context, 'elapsed' | 'closing'>,
): Promise<FoundRows | string> {
  const places: number[] = []
  const keys: SortKey[] = []
  const fields = new Set<string>()
  const started = elapsed()
  let slice = started
  let n = 0
  const isAll = isWholeTable(query) && query.sort === undefined && !withFields
  for (const { bytes, writtenAt } of rows) {
    n++
    const members = isAll ? [] : membersOf(bytes)
    if (matches(members, query)) {
      places.push(n)
      if (withFields) for (const { name } of members) fields.add(name)
      if (query.byWrite) keys.push([0, writtenAt ?? 0])
      else if (query.sort !== undefined) keys.push(keyOf(members.findLast(({ name }) => name === query.sort)))
      if (keys.length > MAX_SORTED) return `at most ${MAX_SORTED} rows are sorted`
      if (fields.size > MAX_FIELDS) return `these rows have more than ${MAX_FIELDS} different fields`
    }
    const now = elapsed()
    if (now - started > ms) return `looking at the first ${n} rows took ${ms / 1000} s`
    if (now - slice < SLICE_MS) continue
    await turn(undefined, { signal: closing })
    slice = elapsed()
  }
  return { places: ordered(places, keys, query), fields: [...fields] }
}

function matches(members: readonly Member[], { search, field }: RowQuery): boolean {
  if (field !== undefined) {
    const found = members.findLast(({ name }) => name === field)
    return found !== undefined && textOf(found) === search
  }
  if (search === '') return true
  const wanted = search.toLowerCase()
  return members.some((member) => textOf(member).toLowerCase().includes(wanted))
}

/** Numbers before texts before what is neither; what has no such field is always last. */
type SortKey = readonly [rank: 0 | 1 | 2 | 3, value: number | string]

function keyOf(member: Member | undefined): SortKey {
  if (member === undefined) return [3, 0]
  const text = textOf(member)
  if (member.kind === 'number') return [0, Number(text)]
  // a piece of a text holds on to all of it
  return [
    member.kind === 'string' ? 1 : 2,
    text.length > MAX_KEY ? Buffer.from(text.slice(0, MAX_KEY)).toString() : text,
  ]
}

/** Rows of equal keys stay in the order of their arrival; of equal times the last arrival is first. */
function ordered(
  places: readonly number[],
  keys: readonly SortKey[],
  { sort, byWrite, descending }: RowQuery,
): readonly number[] {
  if (sort === undefined && !byWrite) return descending ? places.toReversed() : places
  const sign = descending ? -1 : 1
  const order = Array.from(places.keys()).sort((a, b) => {
    const [[rankA, valueA], [rankB, valueB]] = [keys[a]!, keys[b]!]
    if (rankA === 3 || rankB === 3) return rankA - rankB
    if (rankA !== rankB) return sign * (rankA - rankB)
    return valueA < valueB ? -sign : valueA > valueB ? sign : byWrite ? b - a : 0
  })
  return order.map((at) => places[at]!)
}
