// Words for where a text stops being JSON (`failedAt` of scanner.ts), and for the NaN or Infinity that often stands there.

/** "it breaks at byte 3 of 9", or "it stops after 9 bytes" when more bytes could have made it JSON.
 *  @param failedAt counted from the text's first byte: `length` when all of it was read */
export function whereBroken(failedAt: number, length: number): string {
  if (failedAt < length) return `it breaks at byte ${failedAt + 1} of ${length}`
  return `it stops after ${length} ${length === 1 ? 'byte' : 'bytes'}`
}

/** The place behind the byte order mark that a text may have at `from`; `from` itself when it has none. */
export function afterBom(bytes: Uint8Array, from: number): number {
  return bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf ? from + 3 : from
}

const NOT_A_NUMBER = /^-?(?:NaN|Infinity)/

/** The NaN or Infinity, with its sign, at which a text breaks. `undefined` when it breaks at something else.
 *  @param from, failedAt where the text begins and where it breaks, both counted from the first of `bytes` */
export function wrongNumberAt(bytes: Buffer, from: number, failedAt: number): string | undefined {
  // behind a minus the scanner stops one byte late, where a digit is missing; 10 bytes hold either word
  const around = bytes.toString('latin1', Math.max(from, failedAt - 1), failedAt + 10)
  return (NOT_A_NUMBER.exec(around) ?? NOT_A_NUMBER.exec(around.slice(1)))?.[0]
}

/** Words to put behind the place of a fault: ", at NaN, which is not valid JSON"; '' when the text breaks at something else. */
export function wordAt(bytes: Buffer, from: number, failedAt: number): string {
  const word = wrongNumberAt(bytes, from, failedAt)
  return word === undefined ? '' : `, at ${word}, which is not valid JSON`
}
