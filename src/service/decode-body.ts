// A body that came packed although it was not asked for: HTTP allows it, and so a service may be set up. Knows no
// status.

import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'

import type { Answer } from './answer.ts'
import { header, KEPT_BYTES, lastVisible } from './answer.ts'

/** An answer unpacks to so much at most. */
const MAX_BYTES = 1_048_576

const DECODERS = new Map<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
])

/** The answer with its body unpacked; the same object if it was not packed, or cannot be unpacked: cut off, broken, more
 *  than was kept, several encodings. */
export function decodeBody<A extends Answer>(answer: A, keptBytes = KEPT_BYTES): A {
  const encoding = header(answer, 'content-encoding')
  if (encoding === undefined) return answer
  const decode = DECODERS.get(encoding.trim().toLowerCase())
  if (decode === undefined || answer.end !== 'whole' || answer.length > answer.body.length) return answer
  try {
    const body = decode(answer.body, { maxOutputLength: Math.max(MAX_BYTES, keptBytes) })
    return { ...answer, body: body.subarray(0, keptBytes), length: body.length, last: lastVisible(body) }
  } catch {
    return answer
  }
}
