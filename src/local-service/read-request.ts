// Collects a request's body, bounded.

import type { IncomingMessage } from 'node:http'

/** Bytes that no body may exceed, whatever the options say. */
export const HARD_MAX_BODY = 256 * 1024 * 1024

export type RequestBody =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  /** More than `max`; what is left of it is being discarded. */
  | { readonly kind: 'too-large'; readonly max: number }
  /** The connection ended before the body did. */
  | { readonly kind: 'aborted' }

/** The body of a sender that stayed. */
export type ReadBody = Exclude<RequestBody, { kind: 'aborted' }>

/** Never rejects. `max`: bytes, at most HARD_MAX_BODY. */
export function readBody(request: IncomingMessage, max: number): Promise<RequestBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = Number(request.headers['content-length'] ?? 0)
    let tooLarge = size > max
    if (tooLarge) resolve({ kind: 'too-large', max })
    size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      // A sender that never stops is cut off; all others get to read the answer.
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

/** A value in both readings of `+`: form decoding takes it as a space, URI decoding literally. Undefined in
 *  `readings`: the value is not valid percent-encoding of UTF-8. */
export interface QueryValue {
  readonly readings: readonly string[]
}

/** The first `name` in `query` (without `?`). `undefined` when there is none. A parameter without `=` has the value
 *  "". */
export function queryValue(query: string, name: string): QueryValue | undefined {
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=')
    const rawName = equals === -1 ? pair : pair.slice(0, equals)
    if (percentDecoded(rawName) !== name) continue
    const raw = equals === -1 ? '' : pair.slice(equals + 1)
    const literal = percentDecoded(raw)
    if (literal === undefined) return { readings: [] }
    return { readings: raw.includes('+') ? [literal, percentDecoded(raw.replaceAll('+', ' '))!] : [literal] }
  }
  return undefined
}

/** Undefined when `text` is not valid percent-encoding of UTF-8. */
export function percentDecoded(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
