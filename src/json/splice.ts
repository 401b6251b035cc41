// Puts other bytes in the place of ranges of a buffer; everything else stays byte for byte.

/** `bytes` in pieces, in which each of the ranges (from, to pairs, ascending, apart) is `replacement`. An empty range
 *  inserts. Nothing is copied. */
export function splice(bytes: Uint8Array, ranges: readonly number[], replacement: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = []
  let kept = 0
  for (let i = 0; i < ranges.length; i += 2) {
    parts.push(bytes.subarray(kept, ranges[i]), replacement)
    kept = ranges[i + 1]!
  }
  parts.push(bytes.subarray(kept))
  return parts
}
