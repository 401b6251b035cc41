// Whether a Kafka broker answers at an address, asked in a few bytes of the protocol. Knows no client library.

import { once } from 'node:events'
import { connect } from 'node:net'

const CORRELATION = 0x6b61666b
const API_VERSIONS = 18
const LIMIT_MS = 5000

/** Asks for ApiVersions v0. A port that takes connections is not enough: a broker does so before it is ready. */
export async function answers(port: number, signal: AbortSignal): Promise<boolean> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect', { signal: limit })
    socket.write(request())
    let received = Buffer.alloc(0)
    while (received.length < 10) {
      const [chunk] = (await once(socket, 'data', { signal: limit })) as [Buffer]
      received = Buffer.concat([received, chunk])
    }
    return received.readInt32BE(4) === CORRELATION && received.readInt16BE(8) === 0
  } catch {
    return false
  } finally {
    socket.on('error', () => {})
    socket.destroy()
  }
}

/** Its size, then api, version, correlation and the client's name (its length and itself). */
function request(): Buffer {
  const name = Buffer.from('ready?')
  const request = Buffer.alloc(14 + name.length)
  request.writeInt32BE(request.length - 4, 0)
  request.writeInt16BE(API_VERSIONS, 4)
  request.writeInt16BE(0, 6)
  request.writeInt32BE(CORRELATION, 8)
  request.writeInt16BE(name.length, 12)
  name.copy(request, 14)
  return request
}
