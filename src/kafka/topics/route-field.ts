// Finds the field of a value that names its table.

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

export class RouteField {
  readonly #path: string
  readonly #names: readonly Name[]
  readonly #scanner: Scanner
  readonly #inner = new RecordData()
  readonly #found: TextPlace = { bytes: this.#inner.bytes, from: 0, to: 0 }

  /** @param scanner used while a field is read, and not between */
  constructor(path: readonly string[], scanner: Scanner) {
    this.#path = path.join('.')
    this.#names = path.map(nameOf)
    this.#scanner = scanner
  }

  /** @returns valid until the next call; `undefined` when it is missing, or neither a text nor a whole number */
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

  /** Names of a row that lacks the field: those beside which it would stand. */
  namesBeside(row: RecordData): string[] {
    return namesBeside(row, this.#names, this.#scanner)
  }

  /** Whether a row has it, or what it is in, whatever that is. */
  isIn({ bytes, members, first, count }: RecordData): boolean {
    return lastMember(bytes, members, first, count, this.#names[0]!) !== ABSENT
  }

  #textAt(bytes: Buffer, from: number, to: number): TextPlace | undefined {
    const isText = bytes[from] === QUOTE
    if (!isText && !isWhole(bytes, from, to)) return undefined
    const found = this.#found
    found.bytes = bytes
    found.from = isText ? from + 1 : from
    found.to = isText ? to - 1 : to
    if (!isText || !hasBackslash(bytes, from, to)) return found
    found.bytes = utf8Of(decodeString(bytes, from + 1, to - 1))
    found.from = 0
    found.to = found.bytes.length
    return found
  }
}

/** The byte in front of a text with lone surrogates, for which there is no UTF-8: its UTF-16 follows. No UTF-8 begins
 *  so. */
const NO_UTF8 = 0xff

/** Bytes that only the same text becomes, in UTF-8 where there is such. */
export function utf8Of(text: string): Buffer {
  return text.isWellFormed() ? Buffer.from(text) : Buffer.concat([Buffer.of(NO_UTF8), Buffer.from(text, 'utf16le')])
}

/** The text of what `utf8Of` made, or of UTF-8. */
export function routeText({ bytes, from, to }: TextPlace): string {
  return bytes[from] === NO_UTF8 ? bytes.toString('utf16le', from + 1, to) : bytes.toString('utf8', from, to)
}

function isWhole(bytes: Uint8Array, from: number, to: number): boolean {
  let at = bytes[from] === MINUS ? from + 1 : from
  while (at < to && bytes[at]! >= ZERO && bytes[at]! <= NINE) at++
  return at === to
}
