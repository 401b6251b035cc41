// How many headers of a record are read: few bytes unpack to millions of them. Knows no record.

const MOST = 1000
/** As they lie in the log, names and lengths included. */
const MOST_BYTES = 256 * 1024
/** What a dead letter has beside its record's (dead-letters/dead-letter.ts), and more. */
const LETTER_MOST = MOST + 16
const LETTER_BYTES = MOST_BYTES + 16 * 1024

/** @param bytes that all of them take @returns why they are not read, in words that go on after a colon; undefined: they are */
export function tooManyHeaders(count: number, bytes: number): string | undefined {
  if (count > MOST) return `it has ${count} headers, and ${MOST} are the most: they are left out`
  if (bytes > MOST_BYTES) return `its headers have ${bytes} bytes, and ${MOST_BYTES} are the most: they are left out`
  return undefined
}

/** Whether a dead letter may have them: those of a record that had as many as are read, and its own. */
export function fitsLetter(count: number, bytes: number): boolean {
  return count <= LETTER_MOST && bytes <= LETTER_BYTES
}
