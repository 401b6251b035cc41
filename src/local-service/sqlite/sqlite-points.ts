// What the view of a table needs to know of its points: which fields they have, and what SQLite's JSON functions are to
// read in place of a point that they, or those of an older sqlite3 program, would read wrongly or not at all.

import { isName, nameOf } from '../../json/name.ts'
import type { Name } from '../../json/name.ts'
import { STRIDE } from '../../json/scanner.ts'
import type { Scanner } from '../../json/scanner.ts'
import { scannedMembers, textOf } from '../row-fields.ts'
import type { Member } from '../row-fields.ts'
import type { Columns } from './sqlite-schema.ts'

/** SQLite's JSON functions refuse what is nested deeper than 1,000. */
const MAX_DEPTH = 900
/** Most bytes of a point whose member names are kept for comparison. */
const MAX_NAMES = 4096

/** Reads the points of one table. Points of a table mostly have the same members in the same order: that is looked at
 *  first. */
export class PointReader {
  readonly #columns: Columns
  /** The members of the last ordinary point. */
  #names: readonly Name[] = []

  constructor(columns: Columns) {
    this.#columns = columns
  }

  /** Gives fields that are met for the first time their columns. Answers what the view is to read in place of the point:
   *  null, nothing. `scanned`: has just gone over the point by `table`; `escapes`: does the point hold `\u`? */
  read(bytes: Buffer, scanned: Scanner, escapes: boolean): string | null {
    if (!escapes && scanned.depth <= MAX_DEPTH && this.#isOrdinary(bytes, scanned)) return null
    const members = new Map(scannedMembers(bytes, scanned).map((member) => [member.name, member]))
    const fields = [...members.keys()]
    for (const field of fields) if (this.#columns.of(field) === undefined) this.#columns.add(field)
    const escaped = scanned.members
      .subarray(0, scanned.count * STRIDE)
      .some((it, slot) => slot % STRIDE === 0 && it < 0)
    const distinct = fields.length === scanned.count
    const plain = fields.every((field) => (this.#columns.of(field)?.key ?? field) === field)
    if (plain && distinct && !escaped) {
      if (fields.length <= MAX_NAMES) this.#names = fields.map(nameOf)
      if (scanned.depth <= MAX_DEPTH && !(escapes && hasLoneSurrogate(members))) return null
    }
    return this.#readable(members, scanned.depth > MAX_DEPTH)
  }

  #isOrdinary(bytes: Buffer, { members, count }: Scanner): boolean {
    const names = this.#names
    if (names.length !== count) return false
    for (let index = 0, slot = 0; index < count; index++, slot += STRIDE) {
      if (!isName(bytes, members[slot]!, members[slot + 1]!, names[index]!)) return false
      // An escaped name is equal, but older programs do not find it.
      if (members[slot]! < 0) return false
    }
    return true
  }

  #readable(members: Members, deep: boolean): string {
    const parts: string[] = []
    for (const [field, value] of members) {
      const key = this.#columns.of(field)?.key
      if (key !== undefined) parts.push(`${JSON.stringify(key)}:${readableValue(value, deep)}`)
    }
    return `{${parts.join(',')}}`
  }
}

/** Members by name: of a member that occurs twice the last. */
type Members = ReadonlyMap<string, Member>

function hasLoneSurrogate(members: Members): boolean {
  return [...members.values()].some((member) => member.kind === 'string' && !textOf(member).isWellFormed())
}

/** The value's own bytes; a text without lone surrogates, which are no UTF-8; what may be nested too deep as a text. */
function readableValue(member: Member, deep: boolean): string {
  const { kind, bytes, from, to } = member
  const own = bytes.toString('utf8', from, to)
  if (kind === 'string') {
    const text = textOf(member)
    return text.isWellFormed() ? own : JSON.stringify(text.toWellFormed())
  }
  return deep && (kind === 'array' || kind === 'object') ? JSON.stringify(own) : own
}
