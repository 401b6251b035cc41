// What a port expects, TLS, a login or another version, found out from how it answers: kafkajs only reports that a connection
// closed.

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

/** The beginning of a TLS alert. As the size of a Kafka answer it would be 350 MB. */
const ALERT = [0x15, 0x03]

/** Facts about a port that all connections of a client found out: a client asks for versions once, not on every
 *  connection. */
export interface PortMemory {
  sentVersions: boolean
  /** It answered anything else. */
  hasAnswered: boolean
}

/** Must be called before anything else listens to the socket.
 *  @returns call it for each request that is sent */
export function watchPort(socket: Socket, isEncrypted: boolean, port: PortMemory): (api: number) => void {
  let isFirst = true
  let isAskedForVersions = false
  /** Requests that are not about versions or a login; Infinity once a login began, of which nothing is to be said here. */
  let questions = 0
  socket.on('data', (data: Buffer) => {
    if (isFirst && !isEncrypted && ALERT.every((byte, at) => data[at] === byte))
      socket.destroy(new PortError('WANTS_TLS', 'it answers with TLS'))
    isFirst = false
    if (questions > 0) port.hasAnswered = true
    else if (isAskedForVersions) port.sentVersions = true
  })
  socket.on('end', () => {
    if (!port.sentVersions || questions !== 1 || port.hasAnswered) return
    // emitted here, because the next listener only reports that the connection closed
    socket.emit(
      'error',
      new PortError('WANTS_LOGIN', 'it lists its versions, and closes the connection at the next request'),
    )
  })
  return (api) => {
    // a refused login has its own message
    if (api === API.saslHandshake) questions = Infinity
    else if (api === API.apiVersions) isAskedForVersions = true
    else questions++
  }
}

/** Positions in the answer, size and correlation id included. */
const ERROR_AT = 8
const COUNT_AT = 10
const VERSIONS_AT = 14
/** Api key, oldest and newest version. */
const VERSION_BYTES = 6

/** Versions of one kind of request that a broker supports. */
export interface ApiVersions {
  readonly oldest: number
  readonly newest: number
}

/** We read fetch answers of one version only (log/fetch-answer.ts).
 *  @param answer to ApiVersions
 *  @returns what it supports, by api
 *  @throws PortError if the broker does not support that version */
export function checkVersions(answer: Buffer): ReadonlyMap<number, ApiVersions> {
  const versions = new Map<number, ApiVersions>()
  // an error: the client asks again with another version
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
