// Pages of a table's rows for the page under /_local/, and single rows. Never a whole table.

import { Scanner, STRIDE } from '../json/scanner.ts'
import { decodeString } from '../json/strings.ts'
import { refusal, htmlSafeJson } from './answers.ts'
import type { Context } from './context.ts'
import { clientAsked } from './local-request.ts'
import { queryValue } from './read-request.ts'
import type { Answer } from './types.ts'

const MAX_COUNT = 200
/** Bytes of rows that are looked into for one page; of what is beyond only the size is shown. */
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

/** One member of a point. `text`: of a string what it stands for, of anything else its own characters. */
export interface ShownField {
  readonly name: string
  readonly kind: 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array'
  readonly text: string
  /** Bytes of the whole value, when `text` is not all of it. */
  readonly cut?: number
}

export interface ShownRow {
  /** Its place, 1 for the first arrival. */
  readonly n: number
  readonly bytes: number
  /** As many as are shown. */
  readonly fields: readonly ShownField[]
  /** How many there are. */
  readonly count: number
}

const MAX_FIELDS = 100
/** Bytes of a value, and of a name. */
const MAX_VALUE = 400
const MAX_NAME = 200
/** A row of more bytes is not looked into. */
const MAX_ROW = 4 * 1024 * 1024

const KINDS: Readonly<Record<string, ShownField['kind']>> = {
  '"': 'string',
  '{': 'object',
  '[': 'array',
  t: 'boolean',
  f: 'boolean',
  n: 'null',
}

export function shownRow(row: Uint8Array, n: number): ShownRow {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.length)
  const scanner = scanned(bytes)
  const fields: ShownField[] = []
  for (let index = 0; index < Math.min(scanner?.count ?? 0, MAX_FIELDS); index++) {
    fields.push(fieldAt(bytes, scanner!.members, index * STRIDE))
  }
  return { n, bytes: row.length, fields, count: scanner?.count ?? 0 }
}

/** The own bytes of the value of the row's member `index`, from 0; undefined: it has no such member. */
export function memberOf(row: Uint8Array, index: number): Uint8Array | undefined {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.length)
  const scanner = scanned(bytes)
  if (scanner === undefined || index >= scanner.count) return undefined
  return bytes.subarray(scanner.members[index * STRIDE + 2], scanner.members[index * STRIDE + 3])
}

/** Undefined: it is too large. */
function scanned(bytes: Buffer): Scanner | undefined {
  if (bytes.length > MAX_ROW) return undefined
  const scanner = new Scanner()
  scanner.start(bytes, 0, bytes.length)
  return scanner.table() ? scanner : undefined
}

function fieldAt(bytes: Buffer, members: Int32Array, slot: number): ShownField {
  const nameFrom = members[slot]!
  const name = decodeString(bytes, nameFrom < 0 ? ~nameFrom : nameFrom, members[slot + 1]!)
  const from = members[slot + 2]!
  const to = members[slot + 3]!
  const kind = KINDS[String.fromCharCode(bytes[from]!)] ?? 'number'
  const isText = kind === 'string'
  const [start, end] = isText ? [from + 1, to - 1] : [from, to]
  const last = end - start > MAX_VALUE ? wholeEnd(bytes, start, start + MAX_VALUE, isText) : end
  const text = isText ? decodeString(bytes, start, last) : bytes.toString('utf8', start, last)
  return { name: shortened(name), kind, text, ...(last < end && { cut: end - start }) }
}

/** Not in the middle of a character, and of a string not in the middle of an escape. */
function wholeEnd(bytes: Buffer, from: number, to: number, isText: boolean): number {
  let end = to
  while (end > from && (bytes[end]! & 0xc0) === 0x80) end--
  if (!isText) return end
  for (let back = Math.max(from, end - 5); back < end; back++) {
    if (bytes[back] !== 0x5c || isEscaped(bytes, from, back)) continue
    const length = bytes[back + 1] === 0x75 ? 6 : 2
    if (back + length > end) return back
    back += length - 1
  }
  return end
}

/** Is the backslash at `at` the second of two? */
function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let before = at
  while (before > from && bytes[before - 1] === 0x5c) before--
  return (at - before) % 2 === 1
}

function shortened(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name
}
