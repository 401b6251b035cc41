// The origin of a record: where it was read. It is the number of its line or, where rejected records are kept, the whole line. The engine
// carries it along with the record until that is settled.

/** A record's line, kept as long as it may be rejected. */
interface RecordLine {
  /** Its number, from 1. */
  readonly number: number
  /** Its bytes, one character for each: exact, and one allocation. Of a very long line the bytes it was read into. */
  readonly text: string | Buffer
}

/** A RecordLine for each record where rejected records are kept; the number of a line for rows of the table of rejected records. In a dry
 *  run, and under the policy `stop`, the number for all. */
export type Origin = number | RecordLine

/** Bytes of memory that a kept line costs besides its own: its object and that of its text. */
const LINE_COST = 96

/** Keeps the line bytes[from, to). @param isOwn whether nothing else is ever written to these bytes: then they are viewed, not copied */
export function keptLine(number: number, bytes: Buffer, from: number, to: number, isOwn = false): RecordLine {
  return { number, text: isOwn ? bytes.subarray(from, to) : bytes.toString('latin1', from, to) }
}

/** Bytes of memory that a kept line costs. */
export function costOf(line: RecordLine): number {
  return line.text.length + LINE_COST
}

export function holdsLine(origin: Origin): origin is RecordLine {
  return typeof origin !== 'number'
}

export function lineNumber(origin: Origin): number {
  return holdsLine(origin) ? origin.number : origin
}

/** The whole line: its bytes, or a character for each; '' when only its number is there. */
export function lineText(origin: Origin): string | Buffer {
  return holdsLine(origin) ? origin.text : ''
}
