// What a report may say: no secret, and no words of the service, which may repeat the data of records. Every text in it that is
// not of this program's own making passes the scrubber; an error's message is there without what it quotes; rejected records are
// counted by where and why, without their keys.

import type { ConnectorError } from '../../core/errors.ts'
import { isObject } from '../../json/is-object.ts'
import { shortened } from '../../text/printable.ts'
import type { Rejected } from '../../core/types.ts'
import type { ReportData, ReportEnd, ReportReject } from './report.ts'

type Scrub = (text: string) => string

/** Our own words among its texts, which the page is chosen by, stay. */
export function withoutSecrets(data: ReportData, scrub: Scrub): ReportData {
  const { command, noun, ended } = data
  const end = 'message' in ended ? { ...ended, message: scrub(ended.message) } : ended
  return { ...scrubbed(data, scrub), command, noun, ended: end }
}

/** With every text anywhere in it scrubbed. */
function scrubbed<T>(value: T, scrub: Scrub): T {
  if (typeof value === 'string') return scrub(value) as T
  if (Array.isArray(value)) return value.map((member: unknown) => scrubbed(member, scrub)) as T
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, scrubbed(member, scrub)])) as T
}

/** Where words of others stand: what comes before and behind them stays. Each as long as can be, so that words that pretend
 *  to be their own end are left out with the rest. */
const QUOTES: readonly RegExp[] = [
  /^(The service refuses table ".*?" \(stream ".*?"\)):[^]*( Three different records, each sent alone,[^]*)$/,
  /^(\S+ answered \d{3} for client \S+) \([^]*\)(: (?:the key is wrong|the key may not write|there is no such client|this is not the import interface)[^]*)$/,
  /^(\S+ answered \d{3} with an HTML page) titled "[^]*"(: this is not the import interface[^]*)$/,
  /^(An unexpected fault stopped the run):[^]*()$/,
]
const ELSEWHERE = ' (its words are in the log)'
const MESSAGE = 2_000

export function failedWith({ kind, message }: ConnectorError): ReportEnd {
  const quote = QUOTES.map((pattern) => pattern.exec(message)).find((found) => found !== null)
  const shown = quote ? `${quote[1]}${ELSEWHERE}${quote[2] === '' ? '' : quote[2]!.replace(/^ /, '. ')}` : message
  return { how: 'failed', kind, message: shortened(shown, MESSAGE) }
}

/** Different ones that are counted apart; memory must not grow with the troubles of a long run. */
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
  // only what was sent has a key
  if (!('key' in rejected))
    return { by: 'the connector', reason: shortened(reason.replace(PLACE, '…').replace(/\.\s*$/, ''), REASON) }
  const status = TOO_LARGE.test(reason) ? 413 : (STATUS.exec(reason)?.[1] ?? 400)
  return { by: 'the service', reason: `the service answered ${status}` }
}
