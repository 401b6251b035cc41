// Pages of a table's rows for the page under /_local/, and single rows. Never a whole table. Knows no storage.

import { refusal, htmlSafeJson } from './answers.ts'
import type { Context } from './context.ts'
import { clientAsked } from './local-request.ts'
import { queryValue } from './query.ts'
import { memberOf, shownRow } from './shown-row.ts'
import type { ShownRow } from './shown-row.ts'
import type { Answer } from './types.ts'

const MAX_COUNT = 200
/** Bytes of rows that are looked into for one page; what is beyond is told by its size. */
const MAX_READ = 16 * 1024 * 1024

/** `GET /_local/tables/{table}/rows?client_id=&from=&count=&order=`: `from` rows are passed over; the order is `first`
 *  (arrival, the default) or `newest`. */
export function pageOfTable(table: string | undefined, query: string, context: Context): Answer {
  const found = tableAsked(table, query, context)
  if ('status' in found) return found
  const { clientId, name, rows: total } = found
  const from = numberAsked(query, 'from', 0)
  const count = numberAsked(query, 'count', 50)
  const order = queryValue(query, 'order')?.readings[0] ?? 'first'
  if (from === undefined || count === undefined || count > MAX_COUNT || count === 0) {
    return refusal(400, [`from is a whole number from 0, count one from 1 to ${MAX_COUNT}`])
  }
  if (order !== 'first' && order !== 'newest') return refusal(400, ['order is first or newest'])
  const to = Math.min(from + count, total)
  const first = order === 'first' ? from : total - to
  const rows: ShownRow[] = []
  let read = 0
  for (const row of context.store.rowsFrom(clientId, name, first, Math.max(to - from, 0)) ?? []) {
    const n = first + rows.length + 1
    read += row.length
    rows.push(read > MAX_READ ? { n, bytes: row.length, fields: [], count: 0 } : shownRow(row, n))
  }
  if (order === 'newest') rows.reverse()
  return { status: 200, body: htmlSafeJson({ client_id: clientId, table: name, total, from, order, rows }) }
}

/** `GET /_local/tables/{table}/rows/{n}?client_id=&member=`: the own bytes of the n-th row, from 1, or of its n-th value. */
export function rowOfTable(table: string | undefined, n: string, query: string, context: Context): Answer {
  const found = tableAsked(table, query, context)
  if ('status' in found) return found
  const place = wholeNumber(n)
  const [row] =
    place === undefined || place === 0 ? [] : (context.store.rowsFrom(found.clientId, found.name, place - 1, 1) ?? [])
  if (row === undefined) return refusal(404, [`the table has no row ${n.slice(0, 20)}`])
  const member = queryValue(query, 'member')
  if (member === undefined) return { status: 200, body: [row] }
  const index = wholeNumber(member.readings[0])
  const value = index === undefined ? undefined : memberOf(row, index)
  return value === undefined ? refusal(404, ['the row has no such member']) : { status: 200, body: [value] }
}

function tableAsked(
  table: string | undefined,
  query: string,
  context: Context,
): Answer | { readonly clientId: number; readonly name: string; readonly rows: number } {
  const clientId = clientAsked(query, context)
  if (typeof clientId !== 'number') return clientId
  const size = context.store.tables().find((it) => it.clientId === clientId && it.table === table)
  if (size === undefined) return refusal(404, [`client ${clientId} has no table of that name: none was pushed`])
  return { clientId, name: size.table, rows: size.rows }
}

function numberAsked(query: string, name: string, otherwise: number): number | undefined {
  const asked = queryValue(query, name)
  return asked === undefined ? otherwise : wholeNumber(asked.readings[0])
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
