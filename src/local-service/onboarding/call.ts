// One request of interface A as its endpoint sees it; who is calling, by the access token in the headers, of which only a hash is kept;
// and what the endpoints of one client check before they act, in this order: the caller, the client in the path, headers and query,
// the body.

import type { IncomingHttpHeaders } from 'node:http'
import { refusal } from '../answers.ts'
import { refusedWith, type ReadOrRefused } from '../json-body.ts'
import type { Answer } from '../types.ts'
import type { Onboarding } from './onboarding.ts'
import type { Received } from './read-json.ts'
import { hashOf, type Client, type Records } from './records.ts'

/** One request of interface A. */
export interface Call extends Received {
  /** The client's id as in the path, percent-decoded. `undefined` when malformed, or where the path names none. */
  readonly client: string | undefined
  /** The same of the job's id. */
  readonly id: string | undefined
  readonly query: string
  /** The address at which the service was reached, without a slash at the end. */
  readonly origin: string
}

/** Answers a call whose path is the endpoint's. */
export type Handler = (call: Call, onboarding: Onboarding) => Answer

interface Checks<B> {
  /** Finds the caller; callerByToken when absent. */
  readonly identify?: typeof callerByToken
  /** Reasons to refuse headers or query. */
  readonly faults?: (call: Call) => readonly string[]
  /** Reads the body, for endpoints that have one. */
  readonly read?: (call: Call) => ReadOrRefused<B>
}

/** An endpoint that acts on the client in the path: 401, 404, 400, 413, or what `act` answers. */
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

/** Finds the caller's user id by the token in `Authorization: Bearer` or in the cookie DASHSESS2
 *  (decisions.md#bearer-and-cookie-both-count). One that is good is enough, else it refuses with 401.
 *  @param now milliseconds since 1970 */
export function callerByToken(headers: IncomingHttpHeaders, records: Records, now: number): ReadOrRefused<number> {
  return callerOf([...bearerIn(headers), ...cookies(headers, 'DASHSESS2')], records, now)
}

/** Finds the caller's user id as the job endpoints want it: the token in the cookie DASHSESS2 and the id of its user in dashuid. Refuses with
 *  401. */
export function callerByCookies(headers: IncomingHttpHeaders, records: Records, now: number): ReadOrRefused<number> {
  const caller = callerOf(cookies(headers, 'DASHSESS2'), records, now, 'send it as the cookie DASHSESS2')
  if ('refused' in caller) return caller
  const ids = cookies(headers, 'dashuid')
  if (ids.length === 0) return refusedWith(401, 'the cookie dashuid is missing')
  return ids.includes(String(caller.value))
    ? caller
    : refusedWith(401, 'the cookie dashuid is not the id of the user whose access token it is')
}

/** @param now milliseconds since 1970, as `expires` of a token
 *  @param how what to do when there is no token */
function callerOf(
  tokens: readonly string[],
  records: Records,
  now: number,
  how = 'send it as Authorization: Bearer or as the cookie DASHSESS2',
): ReadOrRefused<number> {
  const known = tokens.flatMap((token) => records.get('token', hashOf(token)) ?? [])
  const good = known.find(({ expires }) => now < expires)
  if (good !== undefined) return { value: good.userId }
  if (tokens.length === 0) return refusedWith(401, `there is no access token: ${how}`)
  return refusedWith(
    401,
    known.length > 0 ? 'the access token has expired' : 'the access token is not one of this service',
  )
}

function bearerIn({ authorization = '' }: IncomingHttpHeaders): readonly string[] {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  return token === undefined ? [] : [token]
}

/** Values of all cookies of a name. */
function cookies({ cookie = '' }: IncomingHttpHeaders, name: string): readonly string[] {
  return cookie.split(';').flatMap((pair) => {
    const equals = pair.indexOf('=')
    return equals !== -1 && pair.slice(0, equals).trim() === name ? [pair.slice(equals + 1).trim()] : []
  })
}
