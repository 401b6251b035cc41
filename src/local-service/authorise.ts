// Decides whether a request may act for the client in its path (decisions.md#refusals-come-in-one-order), as upserts and authenticate
// requests must. Answers the endpoints of imports that touch no data: B1, the status, and B2, authenticate.

import { KEY_PARAMETER } from '../service/contract.ts'
import { done, refusal } from './answers.ts'
import type { Context } from './context.ts'
import { refusedWith, type ReadOrRefused } from './json-body.ts'
import { percentDecoded } from './path-table.ts'
import type { ImportRoute } from './route.ts'
import type { Answer } from './types.ts'

/** Finds the id of the client that a request acts for, by the key in its query. Refuses with 404 (no such client), 400 (no key),
 *  401 (wrong key), 429 (too many requests), in that order. */
export function authorise(route: ImportRoute, context: Context): ReadOrRefused<number> {
  const { clients } = context
  const id = clients.idOf(route.client)
  if (id === undefined) return refusedWith(404, 'the client id in the path is not one of this service')
  const keyReadings = readParameter(route.query, KEY_PARAMETER)
  if (keyReadings === undefined) return refusedWith(400, `the query parameter ${KEY_PARAMETER} is missing`)
  if (!clients.allows(id, keyReadings)) {
    const fault = keyReadings.length === 0 ? 'is not valid percent-encoding of UTF-8' : `is not a key of client ${id}`
    return refusedWith(401, `apikey ${fault}`)
  }
  const seconds = context.settings.rateLimit.secondsToWait(id, context.now())
  if (seconds === 0) return { value: id }
  const headers = { 'Retry-After': String(seconds) }
  return { refused: refusal(429, [`more requests a second than client ${id} may make`], headers) }
}

/** Answers B1 (service-interface.md#b1-status, service-interface.md#b4-sandbox). */
export function status({ sandbox }: { readonly sandbox: boolean }): Answer {
  return done(sandbox ? 'the import sandbox is operational' : 'the import interface is operational')
}

/** Answers B2 (service-interface.md#b2-authenticate). */
export function authenticate(route: ImportRoute, context: Context): Answer {
  const client = authorise(route, context)
  return 'refused' in client ? client.refused : done(`the key is good for client ${client.value}`)
}

/** Reads the first parameter of a name. A value with `+` has two readings: by the rules of URIs it is a plus, by those of forms a space.
 *  Without `=` the value is "".
 *  @param query without `?`
 *  @returns one reading or two; none when the value is not valid percent-encoding of UTF-8; `undefined` when there is no such parameter */
export function readParameter(query: string, name: string): readonly string[] | undefined {
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=')
    const rawName = equals === -1 ? pair : pair.slice(0, equals)
    if (percentDecoded(rawName) !== name) continue
    const rawValue = equals === -1 ? '' : pair.slice(equals + 1)
    const asUri = percentDecoded(rawValue)
    if (asUri === undefined) return []
    return rawValue.includes('+') ? [asUri, percentDecoded(rawValue.replaceAll('+', ' '))!] : [asUri]
  }
  return undefined
}
