// Removes `100 Continue` heads from what a connection reads: a client must accept them (RFC 9110, 15.2), but undici closes the
// connection. It accepts other 1xx.

import type { Socket } from 'node:net'

const HEAD = 'HTTP/1.1 100'
const END = '\r\n\r\n'
const ONE = 0x31
const MAX_HEAD = 65_536

/** Replaces the socket's `push`. The head of a 100 is held until it is complete, then dropped, and what follows is passed on. One that is too
 *  long is passed on too. This costs one comparison per chunk. */
export function skipContinue(socket: Socket): void {
  const push = socket.push.bind(socket)
  let held: Buffer | undefined
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (held === undefined && !begins(chunk)) return push(chunk, encoding)
    if (chunk === null) return push(null)
    let rest = held === undefined ? chunk : Buffer.concat([held, chunk])
    for (held = undefined; begins(rest);) {
      const end = rest.indexOf(END, HEAD.length, 'latin1')
      if (end === -1 && rest.length > MAX_HEAD) break
      if (end === -1) {
        held = rest
        return true
      }
      rest = rest.subarray(end + END.length)
    }
    return rest.length === 0 || push(rest)
  }
}

function begins(chunk: Buffer | null): chunk is Buffer {
  return chunk !== null && chunk[9] === ONE && chunk.toString('latin1', 0, HEAD.length) === HEAD
}
