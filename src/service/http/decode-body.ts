// A body that came packed although it was not asked for: HTTP allows it, and so a service may be set up. Knows no
// status.

import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'

import { JsonPieces } from '../../json/unfinished.ts'
import type { HttpAnswer } from './answer.ts'
import { header, isBlank, KEPT_BYTES, markLength } from './answer.ts'
import { endsWithConnection } from './cut-off.ts'

/** An answer unpacks to so much at most. */
const MAX_BYTES = 1_048_576

interface Decoder {
  readonly decode: (bytes: Uint8Array, options: { maxOutputLength: number; finishFlush?: number }) => Buffer
  /** A `finishFlush` that gives what there is of a body that was cut off. */
  readonly partly: number
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = constants
const GZIP: Decoder = { decode: gunzipSync, partly: Z_SYNC_FLUSH }

const DECODERS = new Map<string, Decoder>([
  ['gzip', GZIP],
  ['x-gzip', GZIP],
  ['deflate', { decode: inflateSync, partly: Z_SYNC_FLUSH }],
  ['br', { decode: brotliDecompressSync, partly: BROTLI_OPERATION_FLUSH }],
  ['zstd', { decode: zstdDecompressSync, partly: ZSTD_e_flush }],
])

/** The answer with its body unpacked, as far as it came where its end is that of its connection; the same object if it was
 *  not packed, or cannot be unpacked: broken, more than was kept, several encodings, or cut off although it is whole by HTTP. */
export function decodeBody<A extends HttpAnswer>(answer: A, keptBytes = KEPT_BYTES): A {
  const encoding = header(answer, 'content-encoding')
  if (encoding === undefined) return answer
  const decoder = DECODERS.get(encoding.trim().toLowerCase())
  if (decoder === undefined || answer.end !== 'whole' || answer.length > answer.body.length) return answer
  const body = unpacked(answer, decoder, Math.max(MAX_BYTES, keptBytes))
  if (body === undefined) return answer
  const { bytes, isWhole } = body
  // One that was cut off before it said anything must not pass for an empty one.
  const end = isWhole || !isBlank(bytes) ? answer.end : 'lost'
  const json = bytes.length > keptBytes ? new JsonPieces().add(bytes.subarray(markLength(bytes))) : undefined
  return { ...answer, body: bytes.subarray(0, keptBytes), length: bytes.length, json, end }
}

function unpacked(
  answer: HttpAnswer,
  { decode, partly }: Decoder,
  maxOutputLength: number,
): { readonly bytes: Buffer; readonly isWhole: boolean } | undefined {
  try {
    return { bytes: decode(answer.body, { maxOutputLength }), isWhole: true }
  } catch {
    if (answer.length === 0 || !endsWithConnection(answer)) return undefined
  }
  try {
    return { bytes: decode(answer.body, { maxOutputLength, finishFlush: partly }), isWhole: false }
  } catch {
    return undefined
  }
}
