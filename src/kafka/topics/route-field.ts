// Reads the field of a value that names its table, undecoded where it can be.

import { ABSENT } from '../../json/record-data.ts'
import { decodeString } from '../../json/strings.ts'
import type { RecordData } from '../../json/record-data.ts'
import type { Scanner } from '../../json/scanner.ts'
import { KeyReader } from '../../mapping/key-reader.ts'
import { MemberFinder } from '../../mapping/member-finder.ts'
import { beyondBounds } from '../../mapping/stream-mapping.ts'
import type { RejectedValue } from '../values/read-object.ts'

const QUOTE = 0x22
const WHOLE = /^-?\d+$/
const TWICE = 'occurs twice'
/** Digits of a number, and what an object or list is cut off at. */
const LONGEST = 1000

export class RouteField {
  readonly #finder: MemberFinder
  /** Of a nested one. */
  readonly #reader: KeyReader | undefined

  /** @param scanner used while a field is read, and not between */
  constructor(path: readonly string[], scanner: Scanner) {
    const roots = [path[0]!]
    this.#finder = new MemberFinder({ roots })
    this.#reader = path.length === 1 ? undefined : new KeyReader([{ path, field: path.join('_') }], roots, scanner)
  }

  /** @returns the bytes of its UTF-8, a character each; undefined: it is missing, or neither a text nor a whole number */
  read(row: RecordData): string | RejectedValue | undefined {
    const reader = this.#reader
    const rejected = beyondBounds(row) ?? this.#finder.find(row)
    if (rejected !== undefined) return { rejected: ofRoute(rejected) }
    const slot = this.#finder.slots[0]!
    if (slot === ABSENT) return undefined
    let from = row.members[slot + 2]!
    let to = row.members[slot + 3]!
    if (reader) {
      if (!reader.read(row, this.#finder.slots))
        return reader.rejected.endsWith(TWICE) ? { rejected: ofRoute(reader.rejected) } : undefined
      ;[from, to] = reader.values as [number, number]
    }
    const { bytes } = row
    if (bytes[from] !== QUOTE) {
      if (to - from > LONGEST) return undefined
      const number = bytes.toString('latin1', from, to)
      return WHOLE.test(number) ? number : undefined
    }
    const text = bytes.toString('latin1', from + 1, to - 1)
    if (!text.includes('\\')) return text
    const decoded = decodeString(bytes, from + 1, to - 1)
    return decoded.isWellFormed() ? Buffer.from(decoded).toString('latin1') : `\0${decoded}`
  }
}

function ofRoute(rejected: string): string {
  return rejected.replace('its key field', 'its route field')
}
