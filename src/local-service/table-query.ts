// What a request under /_local/tables asks for: which client, which table, which of its rows and in which order.

import { z } from 'zod'
import type { Context } from './context.ts'
import { formValues, mustBe, readValue, refusedWith, type ReadOrRefused } from './json-body.ts'
import type { PathParameters } from './path-table.ts'
import type { TableSize } from './store.ts'

export interface TableRequest {
  readonly parameters: PathParameters
  readonly query: string
}

const text = z.string(mustBe('there once'))
const ORDER = mustBe('first, newest or written; with sort asc or desc')

export const clientQuery = z.strictObject({ client_id: text.exactOptional() })

/** Which rows, in which order. */
export const rowQuery = clientQuery.extend({
  /** Rows that hold it in some value, whatever its case; with `field` those whose field is exactly that. '': all rows. */
  search: text.default(''),
  field: text.exactOptional(),
  /** The field to sort by. */
  sort: text.exactOptional(),
  order: z.enum(['first', 'newest', 'written', 'asc', 'desc'], ORDER).default('first'),
})

export type RowQuery = Omit<z.output<typeof rowQuery>, 'client_id'>

/** A whole number in a query. */
export function number(least: number, most: number): z.ZodType<number> {
  const what = mustBe(`a whole number from ${least} to ${most}`)
  return z
    .string(what)
    .regex(/^\d{1,15}$/, what)
    .transform(Number)
    .refine((value) => value >= least && value <= most, what)
}

/** Reads a query. Refuses with 400 a parameter that the schema does not have, which if misspelt would mean more rows than were meant. */
export function readQuery<T>(query: string, schema: z.ZodType<T>): ReadOrRefused<T> {
  return readValue(formValues(query), schema)
}

/** Reads a query, and finds the table that it is about: one of the client's, which may be left out where there is one client. Refuses with
 *  404 when there is no such client or table. */
export function tableAsked<T extends z.output<typeof clientQuery>>(
  { parameters: { table }, query }: TableRequest,
  schema: z.ZodType<T>,
  context: Context,
): ReadOrRefused<{ readonly table: TableSize; readonly asked: T }> {
  const read = readQuery(query, schema)
  if ('refused' in read) return read
  const client = clientAsked(read.value.client_id, context)
  if ('refused' in client) return client
  const found = context.store.tables().find((it) => it.clientId === client.value && it.table === table)
  return found
    ? { value: { table: found, asked: read.value } }
    : refusedWith(404, `client ${client.value} has no table of that name: nothing was written to it yet`)
}

/** The client of a name. Refuses with 400 when there is no name and several clients, with 404 when it names no client of this service. */
export function clientAsked(name: string | undefined, { clients, store }: Context): ReadOrRefused<number> {
  const ids = clients.ids()
  if (name === undefined && ids.length > 1)
    return refusedWith(400, 'the query parameter client_id is missing: this service has several clients')
  // a data file may hold rows of clients that the service has no more
  const kept = (): number | undefined => store.tables().find(({ clientId }) => String(clientId) === name)?.clientId
  const id = name === undefined ? ids[0] : (clients.idOf(name) ?? kept())
  return id === undefined ? refusedWith(404, 'client_id is not one of this service') : { value: id }
}
