// Words for where a text stops being JSON, and for what often stands there. Places are the scanner's `failedAt`.

/** "it breaks at byte 3 of 9", "it stops after 9 bytes".
 *  @param failedAt where the scanner gave up: from 0, `length` at the end */
export function whereBroken(failedAt: number, length: number): string {
  if (failedAt < length) return `it breaks at byte ${failedAt + 1} of ${length}`
  return `it stops after ${length} ${length === 1 ? 'byte' : 'bytes'}`
}

/** The place where a text begins: behind a byte order mark, if it has one. */
export function afterBom(bytes: Uint8Array, from: number): number {
  return bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf ? from + 3 : from
}

const NOT_A_NUMBER = /^-?(?:NaN|Infinity)/

/** NaN or Infinity, which a text that begins at `from` often breaks at. `undefined` when it is not that. */
export function wrongNumberAt(bytes: Buffer, from: number, failedAt: number): string | undefined {
  // the scanner may have gone a letter into the word
  const around = bytes.toString('latin1', Math.max(from, failedAt - 1), failedAt + 10)
  return (NOT_A_NUMBER.exec(around) ?? NOT_A_NUMBER.exec(around.slice(1)))?.[0]
}

/** ", at NaN, which is not valid JSON", if it is that. */
export function wordAt(bytes: Buffer, from: number, failedAt: number): string {
  const word = wrongNumberAt(bytes, from, failedAt)
  return word === undefined ? '' : `, at ${word}, which is not valid JSON`
}
