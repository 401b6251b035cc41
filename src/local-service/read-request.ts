// Collects the body of a request, up to a limit.

import type { IncomingMessage } from 'node:http'

/** Bytes that no body may exceed, whatever the options say. */
export const HARD_MAX_BODY = 256 * 1024 * 1024

export type RequestBody =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  /** The body has more than `max` bytes; what is still to come of it will be discarded. */
  | { readonly kind: 'too-large'; readonly max: number }
  /** The connection ended before the body did. */
  | { readonly kind: 'aborted' }

/** The body of a sender that stayed. */
export type ReadBody = Exclude<RequestBody, { kind: 'aborted' }>

/** Collects a request's body. Never rejects. Several events may call `resolve`: only the first call counts.
 *  @param max bytes, at most HARD_MAX_BODY */
export function readBody(request: IncomingMessage, max: number): Promise<RequestBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    let tooLarge = Number(request.headers['content-length'] ?? 0) > max
    if (tooLarge) resolve({ kind: 'too-large', max })
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      // a sender that never stops is cut off; any other may send the rest, which is discarded, and then reads the answer
      if (size > HARD_MAX_BODY) request.destroy()
      if (!tooLarge && size <= max) {
        chunks.push(chunk)
        return
      }
      tooLarge = true
      chunks.length = 0
      resolve({ kind: 'too-large', max })
    })
    request.on('end', () => resolve({ kind: 'body', bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }))
    request.on('error', () => resolve({ kind: 'aborted' }))
    request.on('close', () => resolve({ kind: 'aborted' }))
  })
}
