// Who is calling: the access token in the headers, and the user it was made for. Of tokens only hashes are kept.

import type { IncomingHttpHeaders } from 'node:http'
import { refusedWith, type ReadOrRefused } from '../json-body.ts'
import { hashOf } from './random-texts.ts'
import type { Records } from './records.ts'

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
