// Counts records of one stream that came in the wrong order: one replaced a waiting record of the same row whose cursor is higher.
// They are stored like others, because the newest arrival wins (decisions.md#the-newest-arrival-wins).

import type { CursorWatch } from '../core/types.ts'
import { QUOTE } from '../json/bytes.ts'
import { decodeString } from '../json/strings.ts'

const INTEGER = /^-?\d+$/

/** The engine calls `superseded` whenever a record of the stream replaces a waiting one, with the places of both cursors. */
export class BackwardCursors implements CursorWatch {
  count = 0

  superseded(old: Buffer, oldFrom: number, oldTo: number, newer: Buffer, newerFrom: number, newerTo: number): void {
    const isText = old[oldFrom] === QUOTE
    if (isText !== (newer[newerFrom] === QUOTE)) return
    const lower = isText
      ? decodeString(newer, newerFrom + 1, newerTo - 1) < decodeString(old, oldFrom + 1, oldTo - 1)
      : isLower(newer.toString('latin1', newerFrom, newerTo), old.toString('latin1', oldFrom, oldTo))
    if (lower) this.count++
  }
}

/** Compares two JSON values as numbers. Of what is no number (null, an object) none is lower. */
function isLower(a: string, b: string): boolean {
  if (INTEGER.test(a) && INTEGER.test(b)) return BigInt(a) < BigInt(b)
  // only numbers begin with a minus or a digit
  return /^[-\d]/.test(a) && /^[-\d]/.test(b) && Number(a) < Number(b)
}
