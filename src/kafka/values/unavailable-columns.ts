// Finds columns whose value Debezium did not see: a large value that did not change is not in the database's log.
// Debezium writes a placeholder instead, in the form of the column's type.

import { isAt } from '../../json/byte-map.ts'
import type { RecordData } from '../../json/record-data.ts'
import { STRIDE } from '../../json/scanner.ts'
import { decodeString } from '../../json/strings.ts'
import { hasBackslash } from '../../json/tokens.ts'

const PLACEHOLDER = '__debezium_unavailable_value'
const BYTES = Buffer.from(PLACEHOLDER)
const BASE64 = BYTES.toString('base64')
/** For arrays of UUIDs: version 3 of the placeholder. */
const UUID = 'b68a35a7-17ad-35b3-af2a-ae46edb4545a'
const HSTORE = JSON.stringify({ [PLACEHOLDER]: PLACEHOLDER })
const QUOTED = Buffer.from(`"${PLACEHOLDER}"`)
const QUOTE = 0x22
const BRACKET = 0x5b
const BRACE = 0x7b
const BACKSLASH = 0x5c
/** A text of it in which every character is an escape. */
const LONGEST = 6 * HSTORE.length + 2

const TEXTS = new Set([PLACEHOLDER, BASE64, BYTES.toString('hex'), HSTORE])

/** An array of another type has an element for each of its bytes. */
const perByte = (element: (byte: number) => string): string => `[${Array.from(BYTES, element).join(',')}]`
const oneByte = (byte: number): string => Buffer.from([byte]).toString('base64')

const FORMS = [
  ...[...TEXTS].map((text) => JSON.stringify(text)),
  ...[BASE64, UUID].map((text) => JSON.stringify([text])),
  perByte((byte) => `${byte}`),
  perByte((byte) => `${byte}.0`),
  perByte((byte) => `"${byte}"`),
  perByte((byte) => `"${oneByte(byte)}"`),
  perByte((byte) => `{"scale":0,"value":"${oneByte(byte)}"}`),
].map((form) => Buffer.from(form))
const FORM_LENGTHS = new Set(FORMS.map(({ length }) => length))

/** PostGIS: POINT(-99999999 -99999999) and POINT(179.999999 89.999999) in the SRID 4326, as the member `wkb`. */
const SHAPES = ['AQEAACDmEAAAAAAA/IPXl8EAAAD8g9eXwQ==', 'AQEAACDmEAAADCHn/f9/ZkAYQs77/39WQA=='].map((wkb) =>
  Buffer.from(`"${wkb}"`),
)
const LONGEST_SHAPE = 100

/** Adds the slot of each such column's member to `into`. An array of booleans has no form of its own and is not found. */
export function unavailableColumns({ bytes, from, to, members, first, count }: RecordData, into: number[]): void {
  const spelt = bytes.subarray(from, to).includes(BYTES)
  for (let slot = first * STRIDE; slot < (first + count) * STRIDE; slot += STRIDE) {
    if (isUnavailable(bytes, members[slot + 2]!, members[slot + 3]!, spelt)) into.push(slot)
  }
}

/** @param spelt whether the placeholder occurs in the row at all */
function isUnavailable(bytes: Buffer, from: number, to: number, spelt: boolean): boolean {
  const first = bytes[from]
  if (first !== QUOTE && first !== BRACKET && first !== BRACE) return false
  if (FORM_LENGTHS.has(to - from) && FORMS.some((form) => isAt(bytes, from, to, form))) return true
  if (first !== QUOTE) return (spelt && isInside(bytes, from, to)) || (first === BRACE && isShape(bytes, from, to))
  if (to - from > LONGEST || to - from <= QUOTED.length || !hasBackslash(bytes, from, to)) return false
  return TEXTS.has(decodeString(bytes, from + 1, to - 1))
}

function isShape(bytes: Buffer, from: number, to: number): boolean {
  if (to - from > LONGEST_SHAPE) return false
  const column = bytes.subarray(from, to)
  return SHAPES.some((wkb) => column.includes(wkb))
}

/** Whether a text in the array or object is the placeholder. */
function isInside(bytes: Buffer, from: number, to: number): boolean {
  const column = bytes.subarray(from, to)
  for (let at = column.indexOf(QUOTED); at !== -1; at = column.indexOf(QUOTED, at + 1)) {
    // with a backslash in front its quote begins no text
    if (column[at - 1] !== BACKSLASH) return true
  }
  return false
}
