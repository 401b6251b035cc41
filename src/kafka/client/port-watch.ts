// What a broker's port wants, seen by how it answers one that does not give it: kafkajs only ever reports that a connection
// closed.

import type { Socket } from 'node:net'
import { FETCH_VERSION } from '../log/fetch-answer.ts'
import { API } from './request-bytes.ts'

export type PortWant = 'WANTS_TLS' | 'WANTS_LOGIN' | 'OLD_BROKER' | 'NEW_BROKER'

/** What the socket ends with. */
export class PortError extends Error {
  readonly code: PortWant

  constructor(code: PortWant, message: string) {
    super(message)
    this.code = code
  }
}

/** How a TLS record begins that says that something is wrong: as Kafka's answer it would be of 350 MB. */
const ALERT = [0x15, 0x03]

/** What all connections of one client to one port found out about it: a client asks for versions once, not once a connection. */
export interface PortMemory {
  sentVersions: boolean
  /** Anything else. */
  hasAnswered: boolean
}

/** To be called before anybody else listens to the socket.
 *  @returns to be called for each request that goes out */
export function watchPort(socket: Socket, isEncrypted: boolean, port: PortMemory): (api: number) => void {
  let isFirst = true
  let isAskedForVersions = false
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
    // emitted by hand, as what listens next reports that the connection closed, and nothing else
    socket.emit('error', new PortError('WANTS_LOGIN', 'it tells its versions, and closes when it is asked for more'))
  })
  return (api) => {
    // a login that is refused comes with words
    if (api === API.saslHandshake) questions = Infinity
    else if (api === API.apiVersions) isAskedForVersions = true
    else questions++
  }
}

/** In an answer with size and correlation id. */
const ERROR_AT = 8
const COUNT_AT = 10
const VERSIONS_AT = 14
/** Api, oldest and newest version. */
const VERSION_BYTES = 6

/** Records are asked for in one version only, which is understood byte by byte (log/fetch-answer.ts).
 *  @param answer which versions a broker has of each api
 *  @throws PortError when it has not that one */
export function checkVersions(answer: Buffer): void {
  // an error: the client asks again, in another way
  if (answer.length < VERSIONS_AT || answer.readInt16BE(ERROR_AT) !== 0) return
  const end = Math.min(answer.length, VERSIONS_AT + answer.readInt32BE(COUNT_AT) * VERSION_BYTES)
  for (let at = VERSIONS_AT; at + VERSION_BYTES <= end; at += VERSION_BYTES) {
    if (answer.readInt16BE(at) !== API.fetch) continue
    const [oldest, newest] = [answer.readInt16BE(at + 2), answer.readInt16BE(at + 4)]
    if (newest < FETCH_VERSION)
      throw new PortError('OLD_BROKER', `it has no fetch requests of version ${FETCH_VERSION}, but up to ${newest}`)
    if (oldest > FETCH_VERSION)
      throw new PortError(
        'NEW_BROKER',
        `it has no fetch requests of version ${FETCH_VERSION} any more, but from ${oldest}`,
      )
  }
}
