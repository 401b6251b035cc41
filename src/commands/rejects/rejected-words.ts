// What may be said of a rejected record: never its data, its key only if that is wanted. Decides nothing about its fate.

import type { Rejected } from '../../core/types.ts'
import { shownKey } from '../../mapping/shown-key.ts'
import { label } from '../../mapping/stream-facts.ts'
import { shortened } from '../../telemetry/shortened.ts'
import { lineNumber } from '../origin.ts'
import type { Origin } from '../origin.ts'

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

/** `of stream "orders", table "orders", input line 7, with the key 5,`. */
export function whichRecord(rejected: Rejected<Origin>, { scrub, logKeys }: Telling): string {
  const table = rejected.table ? `, table "${rejected.table.name}"` : ''
  const key = logKeys ? shownKey(rejected.key) : undefined
  const shown = key === undefined ? '' : `, with the key ${shortened(scrub(key), KEY)}`
  return `of stream ${label(rejected.track)}${table}, input line ${lineNumber(rejected.origin)}${shown},`
}
