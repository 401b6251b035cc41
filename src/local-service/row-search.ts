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
  /** The field to sort by; undefined: arrival. */
  readonly sort: string | undefined
  readonly descending: boolean
}

export interface FoundRows {
  /** The place of each, 1 for the first arrival. */
  readonly places: readonly number[]
  /** The names of all their fields, in the order they came; none where they are not needed. */
  readonly fields: readonly string[]
}

/** What is found within the time that is given. */
export const MAX_SORTED = 500_000
export const MAX_FIELDS = 2000
/** Of a text that is sorted by, so that many of them have room. */
const MAX_KEY = 200
const SLICE_MS = 10

/** Undefined: `order` is none of `first`, `newest`, `asc` and `desc`. */
export function rowQueryOf(query: string): RowQuery | undefined {
  const value = (name: string): string | undefined => queryValue(query, name)?.readings.at(-1)
  const order = value('order') ?? 'first'
  if (!['first', 'newest', 'asc', 'desc'].includes(order)) return undefined
  return {
    search: value('search') ?? '',
    field: value('field'),
    sort: value('sort'),
    descending: order === 'newest' || order === 'desc',
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
  for (const { bytes } of rows) {
    n++
    const members = membersOf(bytes)
    if (matches(members, query)) {
      places.push(n)
      if (withFields) for (const { name } of members) fields.add(name)
      if (query.sort !== undefined) keys.push(keyOf(members.findLast(({ name }) => name === query.sort)))
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

/** Rows of equal keys stay in the order of their arrival. */
function ordered(
  places: readonly number[],
  keys: readonly SortKey[],
  { sort, descending }: RowQuery,
): readonly number[] {
  if (sort === undefined) return descending ? places.toReversed() : places
  const sign = descending ? -1 : 1
  const order = Array.from(places.keys()).sort((a, b) => {
    const [[rankA, valueA], [rankB, valueB]] = [keys[a]!, keys[b]!]
    if (rankA === 3 || rankB === 3) return rankA - rankB
    if (rankA !== rankB) return sign * (rankA - rankB)
    return valueA < valueB ? -sign : valueA > valueB ? sign : 0
  })
  return order.map((at) => places[at]!)
}
