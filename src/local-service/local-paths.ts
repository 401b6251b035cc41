// The paths under /_local: scripted faults, and data given back as it came. They ask for no key.

import { done, refusal, htmlSafeJson } from './answers.ts'
import type { Context } from './context.ts'
import { faultFaults } from './fault-description.ts'
import { shownFault } from './faults.ts'
import { clientAsked, jsonBody } from './local-request.ts'
import type { Answer, Fault } from './types.ts'
import type { RequestBody } from './read-request.ts'

const PIECE = 64 * 1024

/** `GET /_local/faults`: those that wait, in the order they were scripted. */
export function listFaults({ faults }: Context): Answer {
  return { status: 200, body: htmlSafeJson(faults.waiting().map(shownFault)) }
}

/** `POST /_local/faults`. */
export function scriptFault(body: Exclude<RequestBody, { kind: 'aborted' }>, context: Context): Answer {
  const read = jsonBody(body)
  if ('refused' in read) return read.refused
  const reasons = faultFaults(read.value, false)
  if (reasons.length > 0) return refusal(400, reasons)
  context.faults.add(read.value as Fault)
  return done('the fault waits for its upserts', 201)
}

/** `DELETE /_local/faults`. */
export function clearFaults(context: Context): Answer {
  return done('no fault is waiting any more', 200, { cleared: context.faults.clear() })
}

/** `GET /_local/tables`. */
export function listTables(context: Context): Answer {
  const tables = context.store.tables()
  return {
    status: 200,
    body: htmlSafeJson(tables.map(({ clientId, table, rows }) => ({ client_id: clientId, table, rows }))),
  }
}

/** `GET /_local/tables/{table}?client_id=`: the rows' own bytes, first arrival first. */
export function readTable(table: string | undefined, query: string, context: Context): Answer {
  const id = clientAsked(query, context)
  if (typeof id !== 'number') return id
  const rows = table === undefined ? undefined : context.store.rows(id, table)
  if (rows === undefined) return refusal(404, [`client ${id} has no table of that name: none was pushed`])
  return { status: 200, body: jsonArray(rows) }
}

/** In pieces, so that no table has to fit into one string. */
function* jsonArray(rows: Iterable<Uint8Array>): Generator<Uint8Array> {
  const [open, separator, close] = ['[', ',\n', ']\n'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]
  let piece: Uint8Array[] = [open]
  let size = 0
  let first = true
  for (const row of rows) {
    if (!first) piece.push(separator)
    first = false
    piece.push(row)
    size += row.length
    if (size < PIECE) continue
    yield Buffer.concat(piece)
    piece = []
    size = 0
  }
  piece.push(close)
  yield Buffer.concat(piece)
}
