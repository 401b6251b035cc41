// Counts the records of one stream that came in the wrong order: each replaced a record of the same row that still waited to be sent and
// has a higher cursor. They are stored like others, because the newest arrival wins (decisions.md#the-newest-arrival-wins).

import type { CursorWatch } from '../core/types.ts'
import { QUOTE } from '../json/bytes.ts'
import { decodeString } from '../json/strings.ts'

const INTEGER = /^-?\d+$/

/** Counts such records. The engine calls `superseded` whenever a record replaces a waiting one, with the places of both cursors. */
export class BackwardCursors implements CursorWatch {
  count = 0

  superseded(old: Buffer, oldFrom: number, oldTo: number, newer: Buffer, newerFrom: number, newerTo: number): void {
    // a text and a number have no order
    const isText = old[oldFrom] === QUOTE
    if (isText !== (newer[newerFrom] === QUOTE)) return
    const lower = isText
      ? decodeString(newer, newerFrom + 1, newerTo - 1) < decodeString(old, oldFrom + 1, oldTo - 1)
      : isLower(newer.toString('latin1', newerFrom, newerTo), old.toString('latin1', oldFrom, oldTo))
    if (lower) this.count++
  }
}

/** Whether `a` is the lower number. Both are JSON values; `false` when one of them is no number (null, an object). */
function isLower(a: string, b: string): boolean {
  // as numbers, integers beyond 2^53 would lose digits
  if (INTEGER.test(a) && INTEGER.test(b)) return BigInt(a) < BigInt(b)
  // only numbers begin with a minus or a digit
  return /^[-\d]/.test(a) && /^[-\d]/.test(b) && Number(a) < Number(b)
}
