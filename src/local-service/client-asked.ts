// Which client a path under /_local is asked about. Knows no table.

import { refusal } from './answers.ts'
import type { Context } from './context.ts'
import { queryValue } from './query.ts'
import type { Answer } from './types.ts'

/** The client's id, or why not: 400 without `client_id` where there are several, 404 for none of this service. */
export function clientAsked(query: string, context: Context): number | Answer {
  const asked = queryValue(query, 'client_id')
  const ids = context.clients.ids()
  if (asked === undefined && ids.length > 1) {
    return refusal(400, ['the query parameter client_id is missing: this service has several clients'])
  }
  const id = asked === undefined ? ids[0]! : clientNamed(asked.readings[0], context)
  return id ?? refusal(404, ['client_id is not one of this service'])
}

/** A data file may hold rows of clients that the service has no more. */
function clientNamed(text: string | undefined, { clients, store }: Context): number | undefined {
  return clients.named(text) ?? store.tables().find(({ clientId }) => String(clientId) === text)?.clientId
}
