// Reads a record's value or key as one JSON object, or says why it is none.

import { isUtf8 } from 'node:buffer'
import { BRACE } from '../../json/bytes.ts'
import type { RecordData } from '../../json/record-data.ts'
import type { Scanner } from '../../json/scanner.ts'
import { afterBom, whereBroken, wordAt } from '../../json/json-faults.ts'

/** A record that is skipped, and counted under this word. */
export interface Ignored {
  readonly ignored: string
}

/** A record that cannot be stored, and why: a clause about "it", without its data. */
export interface RejectedValue {
  readonly rejected: string
  /** Sentences that help to correct the cause (`RejectedItem.hint`). */
  readonly hint?: string | undefined
}

/** Locates the object that `bytes` holds, and nothing else but white space and a byte order mark. Its members are the scanner's first ones.
 *  @param into becomes that object
 *  @returns what is wrong, in words that go on after "its value", without its data. `undefined` when nothing is */
export function readObject(scanner: Scanner, bytes: Buffer, into: RecordData): string | undefined {
  if (!isUtf8(bytes)) return `is not valid UTF-8${registryHint(bytes)}`
  // lets go of the large table that an enormous value may have needed
  scanner.keepSmall()
  scanner.start(bytes, afterBom(bytes, 0), bytes.length)
  const from = scanner.at
  if (from === bytes.length) return bytes.length === 0 ? 'is empty' : 'is blank'
  if (bytes[from] !== BRACE)
    return scanner.skip() && scanner.finish() ? 'is JSON but not an object' : notJson(scanner, bytes)
  // locates the object's members; `finish` tells of a fault in them
  scanner.table()
  const to = scanner.at
  if (!scanner.finish()) return notJson(scanner, bytes)
  into.hold(scanner, bytes, from, to)
  return undefined
}

function notJson({ failedAt }: Scanner, bytes: Buffer): string {
  const place = whereBroken(failedAt, bytes.length)
  return `is not JSON: ${place}${wordAt(bytes, 0, failedAt)}${registryHint(bytes)}`
}

/** Words on bytes that may come from a serialiser of a schema registry: a byte 0, then the id of a schema in four. Else ''. */
function registryHint(bytes: Buffer): string {
  if (bytes[0] !== 0 || bytes.length < 5) return ''
  return '; it begins like the output of a serialiser of a schema registry: set value_encoding (of a key: key_encoding) to registry'
}
