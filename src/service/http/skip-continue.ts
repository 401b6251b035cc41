// Takes `100 Continue` heads out of what a connection reads: a client must bear them unasked (RFC 9110, 15.2), and
// undici ends the connection at one. Other 1xx it bears.

import type { Socket } from 'node:net'

const HEAD = 'HTTP/1.1 100'
const END = '\r\n\r\n'
const ONE = 0x31
const MAX_HEAD = 65_536

/** Such a head is held until it is whole; what comes behind it is passed on, and so is one that never ends. Looks only at
 *  how a chunk begins, one comparison each. */
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
