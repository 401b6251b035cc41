// Where a record was read: its line's number or, where rejected records are kept, the whole line. The engine carries it along with the
// record until that is settled.

/** A record's line, kept as long as it may be rejected. */
interface RecordLine {
  /** Its number, from 1. */
  readonly number: number
  /** Its bytes, a character each: exact, and one allocation. A very long line is the bytes it was read into. */
  readonly text: string | Buffer
}

/** The number of the record's line, or all of it. Where rejected records are kept, the source gives the line with every record, and only
 *  the rows that the table of rejected records gets have the number. In a dry run and under the policy `stop`, all have the number. */
export type Origin = number | RecordLine

/** Bytes that a kept line costs beside its own: its object and that of its text. */
const LINE_COST = 96

/** @param isOwn whether the bytes are the line's for good: then they are viewed, not copied */
export function keptLine(number: number, bytes: Buffer, from: number, to: number, isOwn = false): RecordLine {
  return { number, text: isOwn ? bytes.subarray(from, to) : bytes.toString('latin1', from, to) }
}

/** Bytes that holding it costs. */
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
