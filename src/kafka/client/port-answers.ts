// Finds out by the way in which a broker's port answers that it wants TLS or a login, or has other versions: kafkajs would only report that
// a connection closed. The socket then ends with a `PortError`, for which kafka-problem.ts has words for the user.

import type { Socket } from 'net'
import { FETCH_VERSION } from '../log/fetch-answer.ts'
import { API } from './request-bytes.ts'

export type PortWant = 'WANTS_TLS' | 'WANTS_LOGIN' | 'OLD_BROKER' | 'NEW_BROKER'

/** The error that a socket is destroyed with. */
export class PortError extends Error {
  readonly code: PortWant

  constructor(code: PortWant, message: string) {
    super(message)
    this.code = code
  }
}

/** The beginning of a TLS alert. No Kafka answer begins so: as its size that would mean 350 MB. */
const TLS_ALERT = [0x15, 0x03]

/** Facts about a port that the connections of a client share: a client asks for versions once, not on every connection. */
export interface PortMemory {
  /** Whether the port answered a request for its versions. */
  sentVersions: boolean
  /** Whether it answered any other request. */
  hasAnswered: boolean
}

/** Ends a socket with a PortError when its port wants TLS or a login. Must be called before anything else listens. @param port to fill in
 *  @returns a function to call for each request that is sent, with its kind (`API`) */
export function watchPort(socket: Socket, isEncrypted: boolean, port: PortMemory): (api: number) => void {
  let isFirstChunk = true
  let isAskedForVersions = false
  /** Number of requests that are not about versions or a login. */
  let questions = 0
  let hasLoginBegun = false
  socket.on('data', (data: Buffer) => {
    if (isFirstChunk && !isEncrypted && TLS_ALERT.every((byte, at) => data[at] === byte))
      socket.destroy(new PortError('WANTS_TLS', 'it answers with TLS'))
    isFirstChunk = false
    if (hasLoginBegun || questions > 0) port.hasAnswered = true
    else if (isAskedForVersions) port.sentVersions = true
  })
  socket.on('end', () => {
    // goes on only where the port closed at the first question after its versions; a login that is refused has a message of its own
    if (hasLoginBegun || !port.sentVersions || questions !== 1 || port.hasAnswered) return
    // emitted here, because kafkajs's listener, which is next, only reports that the connection closed
    const error = new PortError('WANTS_LOGIN', 'it lists its versions, and closes the connection at the next request')
    socket.emit('error', error)
  })
  return (api) => {
    if (api === API.saslHandshake) hasLoginBegun = true
    else if (api === API.apiVersions) isAskedForVersions = true
    else questions++
  }
}

/** Positions in an answer to ApiVersions: of the error code (behind size and correlation id), the number of apis, and their versions. */
const ERROR_AT = 8
const COUNT_AT = 10
const VERSIONS_AT = 14
/** Bytes of an api's versions: its key, the oldest and the newest version. */
const VERSION_BYTES = 2 + 2 + 2

/** Versions of one kind of request that a broker supports. */
export interface ApiVersions {
  readonly oldest: number
  readonly newest: number
}

/** Reads which versions a broker supports, by its whole answer to ApiVersions, and checks that FETCH_VERSION is among them.
 *  @returns the versions by kind of request (`API`); empty when the answer is an error
 *  @throws PortError if the broker does not support FETCH_VERSION, the only one whose answers can be read */
export function checkVersions(answer: Buffer): ReadonlyMap<number, ApiVersions> {
  const versions = new Map<number, ApiVersions>()
  // after an error kafkajs asks again, by another version of ApiVersions
  if (answer.length < VERSIONS_AT || answer.readInt16BE(ERROR_AT) !== 0) return versions
  const end = Math.min(answer.length, VERSIONS_AT + answer.readInt32BE(COUNT_AT) * VERSION_BYTES)
  for (let at = VERSIONS_AT; at + VERSION_BYTES <= end; at += VERSION_BYTES) {
    const [api, oldest, newest] = [0, 2, 4].map((field) => answer.readInt16BE(at + field)) as [number, number, number]
    versions.set(api, { oldest, newest })
    if (api !== API.fetch) continue
    if (newest < FETCH_VERSION)
      throw new PortError('OLD_BROKER', `it has no fetch requests of version ${FETCH_VERSION}, but up to ${newest}`)
    if (oldest > FETCH_VERSION)
      throw new PortError(
        'NEW_BROKER',
        `it has no fetch requests of version ${FETCH_VERSION} any more, but from ${oldest}`,
      )
  }
  return versions
}
