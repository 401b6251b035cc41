// Where a text stops being JSON, in words. Knows no text.

/** "it breaks at byte 3 of 9", "it stops after 9 bytes".
 *  @param failedAt where the scanner gave up: from 0, `length` at the end */
export function whereBroken(failedAt: number, length: number): string {
  if (failedAt < length) return `it breaks at byte ${failedAt + 1} of ${length}`
  return `it stops after ${length} ${length === 1 ? 'byte' : 'bytes'}`
}
