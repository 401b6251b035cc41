// Rejected records, counted by where and why. Never a word of the service about them, which may repeat their data, and never
// their keys.

import type { Rejected } from '../../core/types.ts'
import { shortened } from '../../text/printable.ts'
import type { ReportReject } from './report-data.ts'

/** Different ones that are told apart; a run of days must not grow with its troubles. */
const MOST = 100
/** Characters of a reason. */
const REASON = 300
/** Places in a record's bytes, which would make each record a reason of its own. */
const PLACE = /(?<=\b(?:byte|of|after) )\d+/g
/** What core says itself of a record that was sent. */
const TOO_LARGE = /^the service says the request is too large \(413\)/
const STATUS = /^(4\d\d): /

type Counted = { -readonly [Member in keyof ReportReject]: ReportReject[Member] }

export class RejectCounts {
  readonly #counts = new Map<string, Counted>()

  /** @param name of its stream or topic */
  add(rejected: Rejected<unknown>, name: string): void {
    const about = { name, table: rejected.table?.name, ...causeOf(rejected) }
    this.#of(about).records += 1 + rejected.superseded
  }

  /** The most frequent first. */
  get all(): readonly ReportReject[] {
    return [...this.#counts.values()].toSorted((a, b) => b.records - a.records)
  }

  #of(about: Omit<ReportReject, 'records'>): Counted {
    const key = JSON.stringify(about)
    const known = this.#counts.get(key)
    if (known) return known
    const other = { name: 'any other', table: undefined, by: about.by, reason: 'any other reason' }
    if (this.#counts.size >= MOST && about.reason !== other.reason) return this.#of(other)
    const counted = { ...about, records: 0 }
    this.#counts.set(key, counted)
    return counted
  }
}

/** Who rejected it, and why, without data. */
export function causeOf(rejected: Rejected<unknown>): Pick<ReportReject, 'by' | 'reason'> {
  const { reason } = rejected
  // only what was sent has a key to tell
  if (!('key' in rejected))
    return { by: 'the connector', reason: shortened(reason.replace(PLACE, '…').replace(/\.\s*$/, ''), REASON) }
  const status = TOO_LARGE.test(reason) ? 413 : (STATUS.exec(reason)?.[1] ?? 400)
  return { by: 'the service', reason: `the service answered ${status}` }
}
