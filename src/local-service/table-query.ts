// Reads what a request under /_local/tables asks for: which client, which table, which of its rows and in which order.

import { z } from 'zod'
import type { Context } from './context.ts'
import { formValues, mustBe, readValue, refusedWith, type ReadOrRefused } from './json-body.ts'
import type { PathParameters } from './path-table.ts'
import type { TableSize } from './store.ts'

export interface TableRequest {
  readonly parameters: PathParameters
  readonly query: string
}

/** The text of a parameter. One that occurs twice is a list (formValues), and refused. */
const text = z.string(mustBe('there once'))
const ORDER = mustBe('first, newest or written; with sort asc or desc')

export const clientQuery = z.strictObject({ client_id: text.exactOptional() })

/** Which rows, in which order. */
export const rowQuery = clientQuery.extend({
  /** Asks for rows with this text in some value, in whatever case ('' for all rows); with `field`, for rows where that is this text. */
  search: text.default(''),
  field: text.exactOptional(),
  /** The field to sort by. */
  sort: text.exactOptional(),
  /** first: by arrival; newest: last arrival first; written: last write first; asc, desc: by the field `sort`. */
  order: z.enum(['first', 'newest', 'written', 'asc', 'desc'], ORDER).default('first'),
})

export type RowQuery = Omit<z.output<typeof rowQuery>, 'client_id'>

export function wholeNumberIn(least: number, most: number): z.ZodType<number> {
  const what = mustBe(`a whole number from ${least} to ${most}`)
  return z
    .string(what)
    .regex(/^\d{1,15}$/, what)
    .transform(Number)
    .refine((value) => value >= least && value <= most, what)
}

/** Reads a query. Refuses with 400 a parameter that the schema does not have: to ignore a misspelt one might mean too many rows. */
export function readQuery<T>(query: string, schema: z.ZodType<T>): ReadOrRefused<T> {
  return readValue(formValues(query), schema)
}

/** Reads a query with a client_id, which may be left out where there is one client, and finds the table of that client that the path names.
 *  Refuses with 400 what the schema does not take, with 404 when there is no such client or table. */
export function tableAsked<T extends z.output<typeof clientQuery>>(
  { parameters: { table }, query }: TableRequest,
  schema: z.ZodType<T>,
  context: Context,
): ReadOrRefused<{ readonly table: TableSize; readonly asked: T }> {
  const read = readQuery(query, schema)
  if ('refused' in read) return read
  const client = clientAsked(read.value.client_id, context)
  if ('refused' in client) return client
  const known = context.store.tables().find((it) => it.clientId === client.value && it.table === table)
  return known
    ? { value: { table: known, asked: read.value } }
    : refusedWith(404, `client ${client.value} has no table of that name: nothing was written to it yet`)
}

/** The id of the client that a query asks for. Refuses with 400 when it must name one and does not, with 404 when there is no such client.
 *  @param name the parameter client_id. `undefined` when it is left out: then the only client is meant */
export function clientAsked(name: string | undefined, { clients, store }: Context): ReadOrRefused<number> {
  const ids = clients.ids()
  if (name === undefined && ids.length > 1)
    return refusedWith(400, 'the query parameter client_id is missing: this service has several clients')
  // a data file may hold rows of clients that the service was started without this time
  const withTables = (): number | undefined =>
    store.tables().find(({ clientId }) => String(clientId) === name)?.clientId
  const id = name === undefined ? ids[0] : (clients.idOf(name) ?? withTables())
  return id === undefined ? refusedWith(404, 'client_id is not one of this service') : { value: id }
}
