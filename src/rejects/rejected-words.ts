// What may be said of a rejected record: never its data, its key only if that is wanted. Decides nothing about its fate.

import type { Rejected } from '../core/types.ts'
import { label } from '../mapping/catalog-stream.ts'
import { shownKey } from '../mapping/shown-key.ts'
import { shortened } from '../text/printable.ts'

/** Characters of a reason and of a key that are told. */
const REASON = 500
const KEY = 100

export interface Telling {
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
  readonly logKeys: boolean
}

/** Without a full stop. The service's words may echo the address it was asked at. */
export function reasonOf({ reason }: { readonly reason: string }, { scrub }: Pick<Telling, 'scrub'>): string {
  return shortened(scrub(reason).replace(/\.\s*$/, ''), REASON)
}

/** `of stream "orders", table "orders", input line 7, with the key 5,`.
 *  @param line the record's number in the input, from 1 */
export function whichRecord(rejected: Rejected<unknown>, line: number, { scrub, logKeys }: Telling): string {
  const table = rejected.table ? `, table "${rejected.table.name}"` : ''
  const key = logKeys ? shownKey(rejected.key) : undefined
  const shown = key === undefined ? '' : `, with the key ${shortened(scrub(key), KEY)}`
  return `of stream ${label(rejected.track)}${table}, input line ${line}${shown},`
}
