// Rows of the local service as bytes, and the documents in them, compared without the connector's own reading of JSON.

import { isDeepStrictEqual } from 'node:util'
import type { LocalService } from '../../src/local-service/start.ts'
import type { DocumentMode, PointFacts } from './modes.ts'

const ROW_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const ID_LENGTH = 36

/** The rows of a table, first arrival first, as the service gives them out; none when it was never pushed. */
export async function rowsOf(service: LocalService, table: string): Promise<Buffer[]> {
  const answer = await fetch(`${service.url}/_local/tables/${table}`)
  const body = Buffer.from(await answer.arrayBuffer())
  if (answer.status === 404) return []
  const rows: Buffer[] = []
  // no message holds a line feed, so those between rows are the only ones
  for (let from = 1; from < body.length;) {
    const feed = body.indexOf('\n', from)
    const end = feed === -1 ? body.length : feed
    rows.push(body.subarray(from, end - 1))
    from = end + 1
  }
  return rows
}

/** What is wrong with a row that should be this document, by its bytes and by JSON.parse; undefined: nothing. */
export function rowFault(row: Buffer, document: Buffer, mode: DocumentMode, point: PointFacts): string | undefined {
  const id = rowId(row, mode, point)
  if (id !== undefined && !ROW_ID.test(id)) return `has the id ${id}`
  const head = Buffer.from(mode.head(point).replace('‹id›', id ?? ''))
  if (!row.subarray(0, head.length).equals(head)) return `begins ${shown(row)}, not ${shown(head)}`
  // white space around the document is the envelope's
  const members = document.subarray(document.indexOf('{') + 1, document.lastIndexOf('}') + 1)
  const hasNone = /^[\t\r ]*\}$/.test(members.toString('latin1'))
  const expected = Buffer.concat([Buffer.from(hasNone ? '' : ','), members])
  const rest = row.subarray(head.length)
  if (!rest.equals(expected))
    return `goes on ${shown(rest)} (${rest.length} bytes), not ${shown(expected)} (${expected.length})`
  const own = JSON.parse(`${head.toString()}}`) as object
  const values = { ...own, ...(JSON.parse(document.toString()) as object) }
  return isDeepStrictEqual(JSON.parse(row.toString()), values) ? undefined : 'has other values'
}

/** The text that stands where the mode puts a row's id; undefined: it has none. */
export function rowId(row: Buffer, mode: DocumentMode, point: PointFacts): string | undefined {
  const at = mode.head(point).indexOf('‹id›')
  return at === -1 ? undefined : row.toString('latin1', at, at + ID_LENGTH)
}

function shown(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('latin1', 0, 120))
}
