// For tests: what a decoder made, its JSON as a string.

import type { Decoded } from '../types.ts'

export type DecodedText = { readonly json: string } | { readonly problem: string }

export function asText(decoded: Decoded): DecodedText {
  return 'json' in decoded ? { json: decoded.json.toString() } : decoded
}
