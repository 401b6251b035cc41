// Notices records that came in the wrong order: one that replaced a waiting record of the same row whose cursor is higher. They
// are only counted, for the newest arrival wins nevertheless (decisions.md#the-newest-arrival-wins).

import type { CursorWatch } from '../core/types.ts'
import { decodeString } from '../json/strings.ts'

const QUOTE = 0x22
const INTEGER = /^-?\d+$/

/** Of one stream. The engine calls `superseded` with the cursors of both records, as they stand in their bytes. */
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

/** Compares as numbers; what is none (null, an object) is not lower. */
function isLower(a: string, b: string): boolean {
  if (INTEGER.test(a) && INTEGER.test(b)) return BigInt(a) < BigInt(b)
  // JSON's numbers begin so, its words and containers do not
  return /^[-\d]/.test(a) && /^[-\d]/.test(b) && Number(a) < Number(b)
}
