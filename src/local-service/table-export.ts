// `GET /_local/tables/{table}`: the rows of a table, or those that are searched for, as JSON or CSV.

import { z } from 'zod'
import { mustBe } from './json-body.ts'
import type { Context } from './context.ts'
import { membersOf, textOf } from './row-members.ts'
import { findRows, isWholeTable } from './row-search.ts'
import type { StoredRow } from './store.ts'
import { rowQuery, tableAsked, type TableRequest } from './table-query.ts'
import type { Answer } from './types.ts'

/** Bytes of an answer that are sent at a time. */
const PIECE_BYTES = 64 * 1024
const EXPORT_MS = 60_000

const QUERY = rowQuery.extend({ format: z.enum(['json', 'csv'], mustBe('json or csv')).default('json') })

/** Answers with the rows in the order of their arrival, whatever order is asked for; in JSON with their own bytes. */
export async function exportTable(context: Context, request: TableRequest): Promise<Answer> {
  const read = tableAsked(request, QUERY, context)
  if ('refused' in read) return read.refused
  const { table, asked } = read.value
  const isJson = asked.format === 'json'
  const all = context.store.rows(table)
  if (isJson && isWholeTable(asked)) return { status: 200, body: inPieces(jsonArray(all)) }
  // to sort them would take time and memory for nothing
  const byArrival = {
    search: asked.search,
    order: 'first',
    ...(asked.field !== undefined && { field: asked.field }),
  } as const
  const found = await findRows(all, byArrival, { ms: EXPORT_MS, withFields: !isJson }, context)
  if ('refused' in found) return found.refused
  const { places, fields } = found.value
  const chosen = rowsAt(new Set(places), context.store.rows(table))
  if (isJson) return { status: 200, body: inPieces(jsonArray(chosen)) }
  const headers = { 'Content-Type': 'text/csv; charset=utf-8; header=present' }
  return { status: 200, headers, body: inPieces(csv(chosen, fields)) }
}

/** The rows that stand at these places, 1 for the first. */
function* rowsAt(places: ReadonlySet<number>, rows: Iterable<StoredRow>): Generator<StoredRow> {
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

/** Puts an apostrophe before what a spreadsheet would take for a formula. An empty text is `""`, so that it is no null. */
function csvText(text: string): string {
  return text === '' ? '""' : quoted(/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text)
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Joins small parts, and yields before all is read, so that no table has to fit into memory. */
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
