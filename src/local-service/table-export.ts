// Answers `GET /_local/tables/{table}` with the rows of a table, or those that are searched for, as JSON or CSV.

import { z } from 'zod'
import { mustBe } from './json-body.ts'
import type { Context } from './context.ts'
import { membersOf, textOf } from './row-members.ts'
import { findRows, isWholeTable } from './row-search.ts'
import type { StoredRow } from './store.ts'
import { rowQuery, tableAsked, type TableRequest } from './table-query.ts'
import type { Answer } from './types.ts'

/** An answer is sent in pieces of at least so many bytes. */
const PIECE_BYTES = 64 * 1024
/** Most milliseconds that the search for rows may take. */
const SEARCH_MS = 60_000

const QUERY = rowQuery.extend({ format: z.enum(['json', 'csv'], mustBe('json or csv')).default('json') })

/** Answers with the rows, in JSON as they were sent, in the order of their arrival: to sort them would take much time and memory. */
export async function exportTable(context: Context, request: TableRequest): Promise<Answer> {
  const read = tableAsked(request, QUERY, context)
  if ('refused' in read) return read.refused
  const { table, asked } = read.value
  const isJson = asked.format === 'json'
  const all = context.store.rows(table)
  if (isJson && isWholeTable(asked)) return { status: 200, body: inPieces(jsonArray(all)) }
  const { search, field } = asked
  const byArrival = { search, order: 'first', ...(field !== undefined && { field }) } as const
  const found = await findRows(all, byArrival, { ms: SEARCH_MS, withFields: !isJson }, context)
  if ('refused' in found) return found.refused
  const { places, fields } = found.value
  const chosen = rowsAt(new Set(places), context.store.rows(table))
  if (isJson) return { status: 200, body: inPieces(jsonArray(chosen)) }
  const headers = { 'Content-Type': 'text/csv; charset=utf-8; header=present' }
  return { status: 200, headers, body: inPieces(csv(chosen, fields)) }
}

/** The rows that stand at these places of a table, 1 for the first. */
function* rowsAt(places: ReadonlySet<number>, rows: Iterable<StoredRow>): Generator<StoredRow> {
  let n = 0
  for (const row of rows) if (places.has(++n)) yield row
}

function* jsonArray(rows: Iterable<StoredRow>): Generator<Uint8Array | string> {
  let isEmpty = true
  for (const { bytes } of rows) {
    yield isEmpty ? '[' : ',\n'
    yield bytes
    isEmpty = false
  }
  yield isEmpty ? '[]\n' : ']\n'
}

/** A head and a line for each row, ended by CR LF (RFC 4180); `keys` is the last column. Of a field that is there twice the last counts. */
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

/** A string as a cell. What a spreadsheet takes for a formula gets an apostrophe in front. An empty one is `""`, for a null is empty. */
function csvText(text: string): string {
  return text === '' ? '""' : quoted(/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text)
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Joins small parts into pieces, and yields each piece as soon as it is full, so that no table has to fit into memory. */
function* inPieces(parts: Iterable<Uint8Array | string>): Generator<Uint8Array> {
  let piece: Uint8Array[] = []
  let size = 0
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    piece.push(bytes)
    size += bytes.length
    if (size < PIECE_BYTES) continue
    yield Buffer.concat(piece)
    piece = []
    size = 0
  }
  yield Buffer.concat(piece)
}
