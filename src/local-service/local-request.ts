// What the query of a request under /_local may say, and which client it asks about.

import { refusal } from './answers.ts'
import type { Clients } from './clients.ts'
import { percentDecoded, queryValue } from './read-request.ts'
import type { Store } from './store.ts'
import type { Answer } from './types.ts'

/** The clients whose rows may be asked for. */
interface Owners {
  readonly clients: Pick<Clients, 'ids' | 'named'>
  readonly store: Pick<Store, 'tables'>
}

/** The client's id, or why not: 400 without `client_id` where there are several, 404 for none of this service. */
export function clientAsked(query: string, { clients, store }: Owners): number | Answer {
  const asked = queryValue(query, 'client_id')
  const ids = clients.ids()
  if (asked === undefined && ids.length > 1) {
    return refusal(400, ['the query parameter client_id is missing: this service has several clients'])
  }
  const name = asked?.readings[0]
  // A data file may hold rows of clients that the service has no more.
  const kept = (): number | undefined => store.tables().find(({ clientId }) => String(clientId) === name)?.clientId
  const id = asked === undefined ? ids[0]! : (clients.named(name) ?? kept())
  return id ?? refusal(404, ['client_id is not one of this service'])
}

/** 400 for a parameter that is none of `known`, which if misspelt would mean more rows than were meant, for one that
 *  is given twice, and for a value that is no text (as `client_id` that names no client: 404, elsewhere). `undefined`
 *  when there is none of these. */
export function wrongParameter(query: string, known: readonly string[]): Answer | undefined {
  const seen = new Set<string>()
  for (const pair of query.split('&').filter((it) => it !== '')) {
    const rawName = pair.split('=', 1)[0]!
    const name = percentDecoded(rawName)
    if (name === undefined || !known.includes(name)) {
      return refusal(400, [`no such parameter: ${(name ?? rawName).slice(0, 40)}; there are ${known.join(', ')}`])
    }
    if (seen.has(name)) return refusal(400, [`the parameter ${name} is given twice`])
    seen.add(name)
    if (name !== 'client_id' && percentDecoded(pair) === undefined) {
      return refusal(400, [`the value of ${name} is not valid percent-encoding of UTF-8`])
    }
  }
  return undefined
}
