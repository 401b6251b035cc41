// The paths under /_local: scripted faults, and data given back as it came. They ask for no key.

import { done, refusal } from './answers.ts'
import type { Context } from './context.ts'
import { faultFaults } from './fault-description.ts'
import { queryValue } from './query.ts'
import type { Body } from './read-body.ts'
import type { Answer, Fault } from './types.ts'

const PIECE = 64 * 1024

/** `POST /_local/faults`. */
export function scriptFault(body: Exclude<Body, { kind: 'aborted' }>, context: Context): Answer {
  if (body.kind === 'too-large') return refusal(413, [`the body is larger than ${body.max} bytes`])
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body.bytes))
  } catch {
    return refusal(400, ['the body is not valid JSON in UTF-8'])
  }
  const reasons = faultFaults(value, false)
  if (reasons.length > 0) return refusal(400, reasons)
  context.faults.add(value as Fault)
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
    body: JSON.stringify(tables.map(({ clientId, table, rows }) => ({ client_id: clientId, table, rows }))),
  }
}

/** `GET /_local/tables/{table}?client_id=`: the rows' own bytes, first arrival first. */
export function readTable(table: string | undefined, query: string, context: Context): Answer {
  const asked = queryValue(query, 'client_id')
  const ids = context.clients.ids()
  if (asked === undefined && ids.length > 1) {
    return refusal(400, ['the query parameter client_id is missing: this service has several clients'])
  }
  const id = asked === undefined ? ids[0]! : clientNamed(asked.readings[0], context)
  if (id === undefined) return refusal(404, ['client_id is not one of this service'])
  const rows = table === undefined ? undefined : context.store.rows(id, table)
  if (rows === undefined) return refusal(404, [`client ${id} has no table of that name: none was pushed`])
  return { status: 200, body: jsonArray(rows) }
}

/** A data file may hold rows of clients that the service has no more. */
function clientNamed(text: string | undefined, { clients, store }: Context): number | undefined {
  return clients.named(text) ?? store.tables().find(({ clientId }) => String(clientId) === text)?.clientId
}

/** In pieces, so that no table has to fit into one string. */
function* jsonArray(rows: Iterable<Uint8Array>): Generator<Uint8Array> {
  const [open, separator, close] = ['[', ',\n', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]
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
