// A call (one request of interface A) as its endpoint sees it; who its caller is, by the access token in the headers; and what endpoints
// for one client check before they act, in this order: the caller, the client in the path, headers and query, the body.

import type { IncomingHttpHeaders } from 'node:http'
import { refusal } from '../answers.ts'
import { refusedWith, type ReadOrRefused } from '../json-body.ts'
import type { Answer } from '../types.ts'
import type { Onboarding } from './onboarding.ts'
import type { Received } from './read-json.ts'
import { hashOf, type Client, type Records } from './records.ts'

export interface Call extends Received {
  /** The client's id as in the path, percent-decoded. `undefined` when malformed, or where the path has none. */
  readonly client: string | undefined
  /** The id of the signup or job in the path, percent-decoded. `undefined` as for `client`. */
  readonly id: string | undefined
  readonly query: string
  /** The address at which the service was reached, without a slash at the end. */
  readonly origin: string
}

/** Answers the calls of one endpoint. */
export type Handler = (call: Call, onboarding: Onboarding) => Answer

/** The checks of an endpoint. @typeParam B what `read` makes of its body; `undefined` where that is absent */
interface Checks<B> {
  /** Identifies the caller; callerByToken when absent. */
  readonly identify?: typeof callerByToken
  /** Reasons to refuse headers or query; [] when there are none. */
  readonly faults?: (call: Call) => readonly string[]
  /** Reads the body, for endpoints that have one. */
  readonly read?: (call: Call) => ReadOrRefused<B>
}

/** Makes the handler of an endpoint that acts on the client in the path. It refuses with 401, 404, 400 or 413, or answers as `act` does. */
export function onClient<B>(
  { identify = callerByToken, faults, read }: Checks<B>,
  act: (client: Client, body: B, onboarding: Onboarding, call: Call) => Answer,
): Handler {
  return (call, onboarding) => {
    const caller = identify(call.headers, onboarding.records, onboarding.now())
    if ('refused' in caller) return caller.refused
    const { clients } = onboarding
    const id = clients.idOf(call.client)
    const client = id === undefined ? undefined : clients.get(id)
    if (!client) return refusal(404, ['the client id in the path is not one of this service'])
    const reasons = faults?.(call) ?? []
    if (reasons.length > 0) return refusal(400, reasons)
    const body = read?.(call)
    if (body && 'refused' in body) return body.refused
    return act(client, body?.value as B, onboarding, call)
  }
}

/** Finds the caller's user id by the token in `Authorization: Bearer` or in the cookie DASHSESS2: one valid token is enough
 *  (decisions.md#bearer-and-cookie-both-count). Refuses with 401 when there is none.
 *  @param now milliseconds since 1970 */
export function callerByToken(headers: IncomingHttpHeaders, records: Records, now: number): ReadOrRefused<number> {
  return callerOf([...bearerIn(headers), ...cookies(headers, 'DASHSESS2')], records, now)
}

/** Finds the caller's user id as A8 and A9 want it: by the cookies DASHSESS2, the token, and dashuid, its user's id. Refuses with 401. */
export function callerByCookies(headers: IncomingHttpHeaders, records: Records, now: number): ReadOrRefused<number> {
  const caller = callerOf(cookies(headers, 'DASHSESS2'), records, now, 'send it as the cookie DASHSESS2')
  if ('refused' in caller) return caller
  const ids = cookies(headers, 'dashuid')
  if (ids.length === 0) return refusedWith(401, 'the cookie dashuid is missing')
  return ids.includes(String(caller.value))
    ? caller
    : refusedWith(401, 'the cookie dashuid is not the id of the user whose access token it is')
}

/** Finds the user id of the first valid token. Refuses with 401 when there is none.
 *  @param now milliseconds since 1970
 *  @param advice what to do, for the refusal when there is no token at all */
function callerOf(
  tokens: readonly string[],
  records: Records,
  now: number,
  advice = 'send it as Authorization: Bearer or as the cookie DASHSESS2',
): ReadOrRefused<number> {
  const known = tokens.flatMap((token) => records.get('token', hashOf(token)) ?? [])
  const valid = known.find(({ expires }) => now < expires)
  if (valid !== undefined) return { value: valid.userId }
  if (tokens.length === 0) return refusedWith(401, `there is no access token: ${advice}`)
  return refusedWith(
    401,
    known.length > 0 ? 'the access token has expired' : 'the access token is not one of this service',
  )
}

function bearerIn({ authorization = '' }: IncomingHttpHeaders): readonly string[] {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  return token === undefined ? [] : [token]
}

/** The values of all cookies of a name. */
function cookies({ cookie = '' }: IncomingHttpHeaders, name: string): readonly string[] {
  return cookie.split(';').flatMap((pair) => {
    const equals = pair.indexOf('=')
    return equals !== -1 && pair.slice(0, equals).trim() === name ? [pair.slice(equals + 1).trim()] : []
  })
}
