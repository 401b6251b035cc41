// The tables under /_local/tables: a whole table or what is searched for, as JSON or CSV; pages of it; single rows; removal.

import { done, json, refusal } from './answers.ts'
import type { Context } from './context.ts'
import { clientAsked, wrongParameter } from './local-request.ts'
import type { PathParameters } from './path-table.ts'
import { queryValue } from './read-request.ts'
import { memberOf, membersOf, shownRow, textOf } from './row-fields.ts'
import type { ShownRow } from './row-fields.ts'
import { findRows, isWholeTable, rowQueryOf } from './row-search.ts'
import type { RowQuery } from './row-search.ts'
import type { StoredRow, TableSize } from './store.ts'
import type { Answer } from './types.ts'

const MAX_COUNT = 200
/** Bytes of an answer that are sent at a time. */
const PIECE = 64 * 1024
/** Bytes of rows that are looked into for one page; of what is beyond only the size is shown. */
const MAX_READ = 16 * 1024 * 1024

const PAGE_MS = 5000
const EXPORT_MS = 60_000
const FILTERS = ['order', 'sort', 'search', 'field']
const ORDERS = 'order is first, newest or written; with sort asc or desc'

type Rows = Pick<Context, 'clients' | 'store' | 'elapsed' | 'closing'>

/** `GET /_local/tables`. */
export function listTables({ store }: Pick<Context, 'store'>): Answer {
  const tables = store.tables().map(({ clientId, table, rows }) => ({ client_id: clientId, table, rows }))
  return json(200, tables)
}

/** `DELETE /_local/tables?client_id=`: without `client_id` the tables of all clients. */
export function removeTables(query: string, context: Rows): Answer {
  const wrong = wrongParameter(query, ['client_id'])
  if (wrong !== undefined) return wrong
  const isForAll = queryValue(query, 'client_id') === undefined
  const clientId = isForAll ? undefined : clientAsked(query, context)
  if (typeof clientId === 'object') return clientId
  const found = context.store.tables().filter((it) => isForAll || it.clientId === clientId)
  return removed(found, context)
}

/** `DELETE /_local/tables/{table}?client_id=`. */
export function removeTable(table: string | undefined, query: string, context: Rows): Answer {
  const found = tableAsked(table, query, [], context)
  return 'status' in found ? found : removed([found], context)
}

function removed(tables: readonly TableSize[], { store }: Pick<Context, 'store'>): Answer {
  store.remove(tables)
  const rows = tables.reduce((sum, it) => sum + it.rows, 0)
  return done('the tables and their rows are removed', 200, { tables: tables.length, rows })
}

/** `GET /_local/tables/{table}?client_id=&format=&search=&field=`: the rows' own bytes, or CSV, first arrival first. */
export async function readTable(table: string | undefined, query: string, context: Rows): Promise<Answer> {
  const found = tableAsked(table, query, ['format', ...FILTERS], context)
  if ('status' in found) return found
  const asked = rowQueryOf(query)
  if (asked === undefined) return refusal(400, [ORDERS])
  const format = queryValue(query, 'format')?.readings[0] ?? 'json'
  if (format !== 'json' && format !== 'csv') return refusal(400, ['format is json or csv'])
  const all = context.store.rows(found)
  if (format === 'json' && isWholeTable(asked)) return { status: 200, body: inPieces(jsonArray(all)) }
  const byArrival = { ...asked, sort: undefined, byWrite: false, descending: false }
  const rows = await findRows(all, byArrival, { ms: EXPORT_MS, withFields: format === 'csv' }, context)
  if (typeof rows === 'string') return refusal(400, [rows])
  const chosen = only(new Set(rows.places), context.store.rows(found))
  if (format === 'json') return { status: 200, body: inPieces(jsonArray(chosen)) }
  const headers = { 'Content-Type': 'text/csv; charset=utf-8; header=present' }
  return { status: 200, headers, body: inPieces(csv(chosen, rows.fields)) }
}

/** `GET /_local/tables/{table}/rows?client_id=&from=&count=&order=&sort=&search=&field=`: `from` rows are passed over. The
 *  order is `first` (arrival, the default), `newest` or `written` (last write first), of a sort `asc` or `desc`. */
export async function pageOfTable(table: string | undefined, query: string, context: Rows): Promise<Answer> {
  const found = tableAsked(table, query, ['from', 'count', ...FILTERS], context)
  if ('status' in found) return found
  const { clientId, table: name, rows: total } = found
  const from = numberAsked(query, 'from', 0)
  const count = numberAsked(query, 'count', 50)
  if (from === undefined || count === undefined || count > MAX_COUNT || count === 0) {
    return refusal(400, [`from is a whole number from 0, count one from 1 to ${MAX_COUNT}`])
  }
  const asked = rowQueryOf(query)
  if (asked === undefined) return refusal(400, [ORDERS])
  const page = await pageAsked(found, asked, from, count, context)
  if (typeof page === 'string') return refusal(400, [`${page}: query the file of serve --data FILE with sqlite3`])
  let read = 0
  const rows = page.rows.map(([n, row]): ShownRow => {
    read += row.bytes.length
    return read > MAX_READ ? { ...shownRow(row, n), fields: [], count: 0 } : shownRow(row, n)
  })
  const { matched } = page
  return json(200, { client_id: clientId, table: name, total, matched, from, rows })
}

interface Page {
  readonly matched: number
  readonly rows: readonly (readonly [n: number, row: StoredRow])[]
}

async function pageAsked(
  table: TableSize,
  asked: RowQuery,
  from: number,
  count: number,
  context: Rows,
): Promise<Page | string> {
  const { store } = context
  if (isWholeTable(asked) && asked.sort === undefined && !asked.byWrite) {
    const to = Math.min(from + count, table.rows)
    const first = asked.descending ? table.rows - to : from
    const rows = [...store.rows(table, first, Math.max(to - from, 0))].map((row, at) => [first + at + 1, row] as const)
    return { matched: table.rows, rows: asked.descending ? rows.reverse() : rows }
  }
  const found = await findRows(store.rows(table), asked, { ms: PAGE_MS, withFields: false }, context)
  if (typeof found === 'string') return found
  const places = found.places.slice(from, from + count)
  const rows = places.flatMap((n) => [...store.rows(table, n - 1, 1)].map((row) => [n, row] as const))
  return { matched: found.places.length, rows }
}

/** `GET /_local/tables/{table}/rows/{n}?client_id=&member=`: the own bytes of the n-th row, from 1, or of its n-th value. */
export function rowOfTable({ table, row: n = '' }: PathParameters, query: string, context: Rows): Answer {
  const found = tableAsked(table, query, ['member'], context)
  if ('status' in found) return found
  const place = wholeNumber(n)
  const [row] = place === undefined || place === 0 ? [] : context.store.rows(found, place - 1, 1)
  if (row === undefined) return refusal(404, [`the table has no row ${n.slice(0, 20)}`])
  const member = queryValue(query, 'member')
  if (member === undefined) return { status: 200, body: [row.bytes] }
  const index = wholeNumber(member.readings[0])
  const value = index === undefined ? undefined : memberOf(row.bytes, index)
  return value === undefined ? refusal(404, ['the row has no such member']) : { status: 200, body: [value] }
}

/** `known`: the parameters besides `client_id`. */
function tableAsked(
  table: string | undefined,
  query: string,
  known: readonly string[],
  context: Rows,
): Answer | TableSize {
  const wrong = wrongParameter(query, ['client_id', ...known])
  if (wrong !== undefined) return wrong
  const clientId = clientAsked(query, context)
  if (typeof clientId !== 'number') return clientId
  const found = context.store.tables().find((it) => it.clientId === clientId && it.table === table)
  return found ?? refusal(404, [`client ${clientId} has no table of that name: nothing was written to it yet`])
}

function numberAsked(query: string, name: string, otherwise: number): number | undefined {
  const asked = queryValue(query, name)
  return asked === undefined ? otherwise : wholeNumber(asked.readings[0])
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function* only(places: ReadonlySet<number>, rows: Iterable<StoredRow>): Generator<StoredRow> {
  let n = 0
  for (const row of rows) if (places.has(++n)) yield row
}

function* jsonArray(rows: Iterable<StoredRow>): Generator<Uint8Array | string> {
  let before = '['
  for (const { bytes } of rows) {
    yield before
    yield bytes
    before = ',\n'
  }
  yield before === '[' ? '[]\n' : ']\n'
}

/** A line a row, ended as RFC 4180 says. Of a field that is there twice the last. */
function* csv(rows: Iterable<StoredRow>, fields: readonly string[]): Generator<string> {
  const inOrder = [...fields.filter((name) => name !== 'keys'), ...fields.filter((name) => name === 'keys')]
  yield `${inOrder.map((name) => csvText(name)).join()}\r\n`
  for (const { bytes } of rows) {
    const byName = new Map(membersOf(bytes).map((member) => [member.name, member]))
    const cells = inOrder.map((name) => {
      const member = byName.get(name)
      if (member === undefined || member.kind === 'null') return ''
      return member.kind === 'string' ? csvText(textOf(member)) : quoted(textOf(member))
    })
    yield `${cells.join()}\r\n`
  }
}

/** What a spreadsheet would take for a formula begins with an apostrophe. An empty text is `""`, so that it is no null. */
function csvText(text: string): string {
  return text === '' ? '""' : quoted(/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text)
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** So that no table has to fit into one string. */
function* inPieces(parts: Iterable<Uint8Array | string>): Generator<Uint8Array> {
  let piece: Uint8Array[] = []
  let size = 0
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    piece.push(bytes)
    size += bytes.length
    if (size < PIECE) continue
    yield Buffer.concat(piece)
    piece = []
    size = 0
  }
  yield Buffer.concat(piece)
}
