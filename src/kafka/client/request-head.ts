// What a Kafka request is, read from its first bytes: which kind, and for a group's requests the member and generation in
// it. Knows no socket. (Kafka protocol: size, api key, version, correlation id, client id, then the body.)

/** Kinds of requests that are looked at. */
export const API = {
  fetch: 1,
  listOffsets: 2,
  joinGroup: 11,
  heartbeat: 12,
  leaveGroup: 13,
  syncGroup: 14,
  describeGroups: 15,
  saslHandshake: 17,
  apiVersions: 18,
} as const

export type RequestHead =
  | { readonly api: number }
  | { readonly api: typeof API.fetch; readonly version: number; readonly correlationId: number }
  | { readonly api: typeof API.joinGroup; readonly memberId: string }
  | { readonly api: typeof API.syncGroup; readonly generation: number; readonly memberId: string }

const API_AT = 4
export const VERSION_AT = 6
const CORRELATION_AT = 8
/** In front of it everything has its place. */
const CLIENT_ID_AT = 12

/** @param request one whole request, as it is written to a socket.
 *  @returns undefined for what is no request: raw authentication bytes, or fewer bytes than it names */
export function requestHead(request: Buffer): RequestHead | undefined {
  if (request.length < CLIENT_ID_AT + 2 || request.readInt32BE(0) !== request.length - API_AT) return undefined
  const api = request.readInt16BE(API_AT)
  if (api === API.fetch)
    return { api, version: request.readInt16BE(VERSION_AT), correlationId: request.readInt32BE(CORRELATION_AT) }
  if (api !== API.joinGroup && api !== API.syncGroup) return { api }
  const afterGroup = skipString(request, skipString(request, CLIENT_ID_AT))
  if (afterGroup === undefined || afterGroup + 4 > request.length) return undefined
  // version 0 of a join has no rebalance timeout in front of the member's id
  const memberAt = afterGroup + (api === API.syncGroup || request.readInt16BE(VERSION_AT) === 0 ? 4 : 8)
  const end = skipString(request, memberAt)
  if (end === undefined) return undefined
  const memberId = request.toString('utf8', memberAt + 2, end)
  return api === API.joinGroup ? { api, memberId } : { api, generation: request.readInt32BE(afterGroup), memberId }
}

/** Where the string at `at` ends; undefined: outside of the request. */
export function skipString(request: Buffer, at: number | undefined): number | undefined {
  if (at === undefined || at + 2 > request.length) return undefined
  const end = at + 2 + Math.max(0, request.readInt16BE(at))
  return end > request.length ? undefined : end
}

/** Where the body begins, of a kind and version whose head has no more than a client id; Infinity: outside of the request. */
export function bodyAt(request: Buffer): number {
  return skipString(request, CLIENT_ID_AT) ?? Infinity
}
