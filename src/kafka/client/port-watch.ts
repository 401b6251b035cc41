// What a broker's port wants, seen by how it answers one that does not give it: kafkajs only ever tells of a connection that
// closed. Knows no client.

import type { Socket } from 'node:net'
import { API } from './request-head.ts'

export type PortWant = 'WANTS_TLS' | 'WANTS_LOGIN'

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
  toldVersions: boolean
  /** Anything else. */
  hasAnswered: boolean
}

/** To be called before anybody else listens to the socket.
 *  @returns to be told of each request that goes out */
export function watchPort(socket: Socket, isEncrypted: boolean, port: PortMemory): (api: number) => void {
  let isFirst = true
  let isAskedForVersions = false
  let questions = 0
  socket.on('data', (data: Buffer) => {
    if (isFirst && !isEncrypted && ALERT.every((byte, at) => data[at] === byte))
      socket.destroy(new PortError('WANTS_TLS', 'it answers with TLS'))
    isFirst = false
    if (questions > 0) port.hasAnswered = true
    else if (isAskedForVersions) port.toldVersions = true
  })
  socket.on('end', () => {
    if (!port.toldVersions || questions !== 1 || port.hasAnswered) return
    // emitted by hand, as what listens next tells that the connection closed, and nothing else
    socket.emit('error', new PortError('WANTS_LOGIN', 'it tells its versions, and closes when it is asked for more'))
  })
  return (api) => {
    // a login that is refused is told in words
    if (api === API.saslHandshake) questions = Infinity
    else if (api === API.apiVersions) isAskedForVersions = true
    else questions++
  }
}
