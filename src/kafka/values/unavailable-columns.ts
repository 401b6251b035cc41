// Finds unavailable columns, whose value Debezium did not see: a large value that did not change is not in the database's log. Debezium
// writes a placeholder instead, in the form of the column's type.

import { createHash } from 'node:crypto'
import { UNAVAILABLE_VALUE } from '../../config/stream/topic-options.ts'
import { BACKSLASH, BRACE, BRACKET, QUOTE } from '../../json/bytes.ts'
import { isAt } from '../../json/byte-map.ts'
import type { RecordData } from '../../json/record-data.ts'
import { STRIDE, VALUE_FROM, VALUE_TO } from '../../json/scanner.ts'
import { decodeString } from '../../json/strings.ts'
import { hasBackslash } from '../../json/tokens.ts'

/** Placeholders of PostGIS columns, always the same: POINT(-99999999 -99999999) for a geometry and POINT(179.999999 89.999999) for a
 *  geography, both in the SRID 4326. They are the member `wkb` of an object. */
const SHAPES = ['AQEAACDmEAAAAAAA/IPXl8EAAAD8g9eXwQ==', 'AQEAACDmEAAADCHn/f9/ZkAYQs77/39WQA=='].map((wkb) =>
  Buffer.from(`"${wkb}"`),
)
/** Most bytes of such an object, which has about 60; larger ones are other shapes and need no search. */
const LONGEST_SHAPE = 100
/** Bytes that a UTF-16 unit takes at most in a text of JSON: \u and four digits. */
const ESCAPED_BYTES = 6

/** One finder for each placeholder: thousands of topics may share one. */
const KNOWN = new Map<string, UnavailableColumns>()

/** The finder of columns that hold a placeholder.
 *  @param placeholder as Debezium's `unavailable.value.placeholder`: a text, or `hex:` and its bytes */
export function unavailableColumns(placeholder: string): UnavailableColumns {
  let known = KNOWN.get(placeholder)
  if (!known) KNOWN.set(placeholder, (known = new UnavailableColumns(placeholder)))
  return known
}

/** Knows one placeholder in each form that a column's type gives it. */
class UnavailableColumns {
  /** The placeholder as JSON usually spells it, in quotes. */
  readonly #quoted: Buffer
  /** The same without the quotes. */
  readonly #bare: Buffer
  /** Texts that a column may have in its place: its own, that of its bytes (base64 or hexadecimal), and that of an hstore. */
  readonly #texts: ReadonlySet<string>
  /** Most bytes that one of `#texts` takes, in quotes. */
  readonly #longest: number
  /** JSON values that a column may have in its place, in their usual spelling. */
  readonly #forms: readonly Buffer[]
  /** Lengths of `#forms`: a value of another length needs no comparison. */
  readonly #lengths: ReadonlySet<number>

  constructor(placeholder: string) {
    const bytes = placeholder.startsWith('hex:') ? Buffer.from(placeholder.slice(4), 'hex') : Buffer.from(placeholder)
    const text = bytes.toString()
    const base64 = bytes.toString('base64')
    const hstore = JSON.stringify({ [text]: text })
    this.#quoted = Buffer.from(JSON.stringify(text))
    this.#bare = this.#quoted.subarray(1, -1)
    this.#texts = new Set([text, base64, bytes.toString('hex'), hstore])
    this.#longest = ESCAPED_BYTES * Math.max(...Array.from(this.#texts, ({ length }) => length)) + '""'.length
    // arrays of numbers have an element for each (signed) byte: as an integer, a float, a decimal as text, as bytes, or with its scale
    const perByte = (element: (byte: number) => string): string =>
      `[${Array.from(new Int8Array(bytes), element).join(',')}]`
    this.#forms = [
      ...[...this.#texts].map((form) => JSON.stringify(form)),
      ...[base64, uuidOf(placeholder, bytes)].map((form) => JSON.stringify([form])),
      perByte((byte) => `${byte}`),
      perByte((byte) => `${byte}.0`),
      perByte((byte) => `"${byte}"`),
      perByte((byte) => `"${oneByte(byte)}"`),
      perByte((byte) => `{"scale":0,"value":"${oneByte(byte)}"}`),
    ].map((form) => Buffer.from(form))
    this.#lengths = new Set(this.#forms.map(({ length }) => length))
  }

  /** Adds the slots of unavailable columns (places in `members`) to `into`, in order. An array of booleans has no form, so is not found. */
  find({ bytes, from, to, members, first, count }: RecordData, into: number[]): void {
    const isInRow = bytes.subarray(from, to).includes(this.#bare)
    for (let slot = first * STRIDE; slot < (first + count) * STRIDE; slot += STRIDE)
      if (this.#isUnavailable(bytes, members[slot + VALUE_FROM]!, members[slot + VALUE_TO]!, isInRow)) into.push(slot)
  }

  /** Whether the value bytes[from, to) is a placeholder.
   *  @param isInRow whether the placeholder occurs anywhere in the row: if not, arrays and objects need no search */
  #isUnavailable(bytes: Buffer, from: number, to: number, isInRow: boolean): boolean {
    const first = bytes[from]
    if (first !== QUOTE && first !== BRACKET && first !== BRACE) return false
    if (this.#lengths.has(to - from) && this.#forms.some((form) => isAt(bytes, from, to, form))) return true
    if (first === QUOTE) return this.#isEscaped(bytes, from, to)
    return (isInRow && this.#holdsText(bytes, from, to)) || (first === BRACE && isShapePlaceholder(bytes, from, to))
  }

  /** Whether a text is one of `#texts` in another spelling than the usual one. Such a spelling has an escape more, and so is longer than
   *  `#quoted`, as long as no control character is in the placeholder. */
  #isEscaped(bytes: Buffer, from: number, to: number): boolean {
    const length = to - from
    if (length > this.#longest || length <= this.#quoted.length || !hasBackslash(bytes, from, to)) return false
    return this.#texts.has(decodeString(bytes, from + 1, to - 1))
  }

  /** Whether a text within the array or object is the placeholder, at any depth. */
  #holdsText(bytes: Buffer, from: number, to: number): boolean {
    const column = bytes.subarray(from, to)
    for (let at = column.indexOf(this.#quoted); at !== -1; at = column.indexOf(this.#quoted, at + 1)) {
      // behind a backslash the quote is itself part of a longer text
      if (column[at - 1] !== BACKSLASH) return true
    }
    return false
  }
}

const oneByte = (byte: number): string => Buffer.from([byte]).toString('base64')

/** The placeholder in arrays of UUIDs: the UUID of version 3 that MD5 makes of its bytes (RFC 9562). */
function uuidOf(placeholder: string, bytes: Buffer): string {
  // Debezium's own placeholder must be found even where Node is not allowed to compute MD5
  if (placeholder === UNAVAILABLE_VALUE) return 'b68a35a7-17ad-35b3-af2a-ae46edb4545a'
  const hash = createHash('md5').update(bytes).digest()
  // the version 3, and the variant of this RFC
  hash[6] = (hash[6]! & 0x0f) | 0x30
  hash[8] = (hash[8]! & 0x3f) | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function isShapePlaceholder(bytes: Buffer, from: number, to: number): boolean {
  if (to - from > LONGEST_SHAPE) return false
  const column = bytes.subarray(from, to)
  return SHAPES.some((wkb) => column.includes(wkb))
}
