// Reads the field of a row that names its table, and makes the bytes by which such values are compared.

import { BRACE, MINUS, NINE, QUOTE, ZERO } from '../../json/bytes.ts'
import type { TextPlace } from '../../json/byte-map.ts'
import { nameOf, type Name } from '../../json/name.ts'
import { ABSENT, lastMember, RecordData } from '../../json/record-data.ts'
import { STRIDE, VALUE_FROM, VALUE_TO, type Scanner } from '../../json/scanner.ts'
import { decodeString } from '../../json/strings.ts'
import { hasBackslash } from '../../json/tokens.ts'
import { namesBeside } from '../../mapping/missing-field.ts'
import { beyondBounds } from '../../mapping/stream-mapping.ts'
import type { RejectedValue } from '../values/read-object.ts'

/** The field at one path of the rows of a topic. */
export class RouteField {
  readonly #path: string
  readonly #names: readonly Name[]
  readonly #scanner: Scanner
  /** The object inside a row that is looked into, filled again for each level of the path. */
  readonly #inner = new RecordData()
  /** The result of `read`, filled again for each row. */
  readonly #place: TextPlace = { bytes: this.#inner.bytes, from: 0, to: 0 }

  /** @param path names of members, from the row down
   *  @param scanner free for others between two calls */
  constructor(path: readonly string[], scanner: Scanner) {
    this.#path = path.join('.')
    this.#names = path.map(nameOf)
    this.#scanner = scanner
  }

  /** Reads the field of a row.
   *  @returns its bytes as `utf8Of` makes them, valid until the next call. `undefined` when it is missing, or no text or whole number */
  read(row: RecordData): TextPlace | RejectedValue | undefined {
    const { bytes } = row
    let object = row
    for (let level = 0; ; level++) {
      const name = this.#names[level]!
      const { members, first, count } = object
      const rejected = beyondBounds(object)
      if (rejected !== undefined) return { rejected }
      const index = lastMember(bytes, members, first, count, name)
      if (index === ABSENT) return undefined
      // among the members in front of it
      if (lastMember(bytes, members, first, index - first, name) !== ABSENT)
        return { rejected: `its route field ${JSON.stringify(this.#path)} occurs twice` }
      const from = members[index * STRIDE + VALUE_FROM]!
      const to = members[index * STRIDE + VALUE_TO]!
      if (level + 1 === this.#names.length) return this.#textAt(bytes, from, to)
      if (bytes[from] !== BRACE) return undefined
      object = this.#inner
      object.locate(this.#scanner, bytes, from, to)
    }
  }

  /** The names, in a row that lacks the field, beside which the field would stand. */
  namesBeside(row: RecordData): string[] {
    return namesBeside(row, this.#names, this.#scanner)
  }

  /** Whether a row has the member with which the path begins, whatever its value is: what a source does not send, it leaves out whole. */
  isIn({ bytes, members, first, count }: RecordData): boolean {
    return lastMember(bytes, members, first, count, this.#names[0]!) !== ABSENT
  }

  /** The text or whole number that the JSON value bytes[from, to) is. `undefined` when it is neither. */
  #textAt(bytes: Buffer, from: number, to: number): TextPlace | undefined {
    const isText = bytes[from] === QUOTE
    if (!isText && !isWhole(bytes, from, to)) return undefined
    const place = this.#place
    place.bytes = bytes
    place.from = isText ? from + 1 : from
    place.to = isText ? to - 1 : to
    if (!isText || !hasBackslash(bytes, from, to)) return place
    place.bytes = utf8Of(decodeString(bytes, from + 1, to - 1))
    place.from = 0
    place.to = place.bytes.length
    return place
  }
}

/** The first byte of a text in UTF-16, for one with lone surrogates, which has no UTF-8. No UTF-8 begins with this byte. */
const UTF16_MARK = 0xff

/** Makes bytes of a text that differ for any two texts: its UTF-8, or where it has none its UTF-16, marked. */
export function utf8Of(text: string): Buffer {
  return text.isWellFormed() ? Buffer.from(text) : Buffer.concat([Buffer.of(UTF16_MARK), Buffer.from(text, 'utf16le')])
}

/** The text of bytes that `utf8Of` made. */
export function routeText({ bytes, from, to }: TextPlace): string {
  return bytes[from] === UTF16_MARK ? bytes.toString('utf16le', from + 1, to) : bytes.toString('utf8', from, to)
}

/** Whether the JSON value bytes[from, to) is a number without a fraction or an exponent. */
function isWhole(bytes: Uint8Array, from: number, to: number): boolean {
  let at = bytes[from] === MINUS ? from + 1 : from
  while (at < to && bytes[at]! >= ZERO && bytes[at]! <= NINE) at++
  return at === to
}
