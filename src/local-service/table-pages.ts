// Answers the paths under /_local/tables but for exports: the list of tables, pages of rows, single rows and values, removal.

import { done, json, refusal } from './answers.ts'
import type { Context } from './context.ts'
import type { ReadOrRefused } from './json-body.ts'
import { memberOf, shownRow, type ShownRow } from './row-fields.ts'
import { findRows, isByArrival, isDescending, isWholeTable } from './row-search.ts'
import type { StoredRow, TableSize } from './store.ts'
import { clientAsked, clientQuery, readQuery, rowQuery, tableAsked, wholeNumberIn } from './table-query.ts'
import type { RowQuery, TableRequest } from './table-query.ts'
import type { Answer } from './types.ts'

/** Most rows of a page. */
const MAX_COUNT = 200
/** Most bytes of the rows of a page whose fields are shown; of the rows after these only the sizes are. */
const MAX_READ = 16 * 1024 * 1024
/** How the rows of a page are searched for (SearchOptions of row-search.ts). */
const PAGE_SEARCH = { ms: 5000, withFields: false, advice: ': query the file of serve --data FILE with sqlite3' }

const pageQuery = rowQuery.extend({
  from: wholeNumberIn(0, Number.MAX_SAFE_INTEGER).default(0),
  count: wholeNumberIn(1, MAX_COUNT).default(50),
})
const valueQuery = clientQuery.extend({ member: wholeNumberIn(0, Number.MAX_SAFE_INTEGER).optional() })

/** Answers `GET /_local/tables`. */
export function listTables({ store }: Pick<Context, 'store'>): Answer {
  const tables = store.tables().map(({ clientId, table, rows }) => ({ client_id: clientId, table, rows }))
  return json(200, tables)
}

/** Answers `DELETE /_local/tables?client_id=`. Without `client_id` it removes the tables of all clients. */
export function removeTables(context: Context, { query }: TableRequest): Answer {
  const read = readQuery(query, clientQuery)
  if ('refused' in read) return read.refused
  const { client_id } = read.value
  const all = context.store.tables()
  if (client_id === undefined) return remove(all, context)
  const client = clientAsked(client_id, context)
  if ('refused' in client) return client.refused
  const ofClient = all.filter(({ clientId }) => clientId === client.value)
  return remove(ofClient, context)
}

/** Answers `DELETE /_local/tables/{table}?client_id=`. */
export function removeTable(context: Context, request: TableRequest): Answer {
  const read = tableAsked(request, clientQuery, context)
  return 'refused' in read ? read.refused : remove([read.value.table], context)
}

/** Removes tables, and answers how many rows they had. */
function remove(tables: readonly TableSize[], { store }: Context): Answer {
  store.remove(tables)
  const rows = tables.reduce((sum, it) => sum + it.rows, 0)
  return done('the tables and their rows are removed', 200, { tables: tables.length, rows })
}

/** Answers `GET /_local/tables/{table}/rows?client_id=&from=&count=&order=&sort=&search=&field=`. The first `from` rows are passed over. The
 *  order is `first` (arrival, the default), `newest` or `written` (last write first); with `sort` it is `asc` or `desc`. */
export async function pageOfTable(context: Context, request: TableRequest): Promise<Answer> {
  const read = tableAsked(request, pageQuery, context)
  if ('refused' in read) return read.refused
  const { table, asked } = read.value
  const page = await findPage(table, asked, context)
  if ('refused' in page) return page.refused
  const { matched, placed } = page.value
  let bytesSoFar = 0
  const rows = placed.map(([n, row]): ShownRow => {
    bytesSoFar += row.bytes.length
    return shownRow(row, n, bytesSoFar <= MAX_READ)
  })
  return json(200, {
    client_id: table.clientId,
    table: table.table,
    total: table.rows,
    matched,
    from: asked.from,
    rows,
  })
}

interface Page {
  /** How many rows fit the query, on this page or not. */
  readonly matched: number
  /** Rows of this page, each with its place in the table, 1 for the first arrival. */
  readonly placed: readonly (readonly [n: number, row: StoredRow])[]
}

/** Finds the rows of a page. In the order of arrival, without a search, no others are read; else all rows of the table are looked at. */
async function findPage(
  table: TableSize,
  { from, count, ...asked }: RowQuery & { readonly from: number; readonly count: number },
  context: Context,
): Promise<ReadOrRefused<Page>> {
  const { store } = context
  if (isWholeTable(asked) && isByArrival(asked)) {
    const to = Math.min(from + count, table.rows)
    const skipped = isDescending(asked) ? table.rows - to : from
    const page = store.rows(table, skipped, Math.max(to - from, 0))
    const rows = Array.from(page, (row, index) => [skipped + index + 1, row] as const)
    return { value: { matched: table.rows, placed: isDescending(asked) ? rows.reverse() : rows } }
  }
  const found = await findRows(store.rows(table), asked, PAGE_SEARCH, context)
  if ('refused' in found) return found
  const { places } = found.value
  const placed = places
    .slice(from, from + count)
    .flatMap((n) => [...store.rows(table, n - 1, 1)].map((row) => [n, row] as const))
  return { value: { matched: places.length, placed } }
}

/** Answers `GET /_local/tables/{table}/rows/{n}?client_id=&member=` with the bytes of row n (from 1), or of its value `member` (from 0). */
export function rowOfTable(context: Context, request: TableRequest): Answer {
  const read = tableAsked(request, valueQuery, context)
  if ('refused' in read) return read.refused
  const { table, asked } = read.value
  const [row] = context.store.rows(table, Number(request.parameters['n']) - 1, 1)
  if (row === undefined) return refusal(404, ['the table has no such row'])
  if (asked.member === undefined) return { status: 200, body: [row.bytes] }
  const value = memberOf(row.bytes, asked.member)
  return value === undefined ? refusal(404, ['the row has no such member']) : { status: 200, body: [value] }
}
