// How long a line of the Airbyte input may be.

const ALWAYS = 64 * 1024 * 1024
/** What stands around a record, and what its bytes become with escapes: a record that fills a request is no long line. */
const A_REQUEST = 4

/** In bytes, its LF not counted. */
export function longestLine(maxRequestBytes: number): number {
  return Math.max(ALWAYS, A_REQUEST * maxRequestBytes)
}
