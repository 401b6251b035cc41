// Keeps secrets and data out of a report. Every text that is not this program's own passes the scrubber; error messages lose what
// they quote from the service, which may repeat the data of records; rejected records are counted by place and reason, without
// their keys.

import type { ConnectorError } from '../../core/errors.ts'
import { isObject } from '../../json/is-object.ts'
import { shortened } from '../../text/printable.ts'
import type { Rejected } from '../../core/types.ts'
import type { ReportData, ReportEnd, ReportReject } from './report.ts'

type Scrub = (text: string) => string

/** Except our own words, which decide the layout of the page. */
export function withoutSecrets(data: ReportData, scrub: Scrub): ReportData {
  const { command, noun, ended } = data
  const end = 'message' in ended ? { ...ended, message: scrub(ended.message) } : ended
  return { ...scrubbed(data, scrub), command, noun, ended: end }
}

/** Scrubs every text anywhere in it. */
function scrubbed<T>(value: T, scrub: Scrub): T {
  if (typeof value === 'string') return scrub(value) as T
  if (Array.isArray(value)) return value.map((member: unknown) => scrubbed(member, scrub)) as T
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, scrubbed(member, scrub)])) as T
}

/** Messages that quote the service; the groups before and after the quote stay. Quotes match greedily, so that a quote that
 *  imitates its own end is left out as a whole. */
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

/** Distinct ones that are counted separately; memory must stay bounded in a long run. */
const MOST = 100
/** Length of a reason. */
const REASON = 300
/** Positions in a record's bytes, which would give each record a reason of its own. */
const PLACE = /(?<=\b(?:byte|of|after) )\d+/g
/** A reason of the engine's own for a record that was sent. */
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

/** By whom and why, without data. */
export function causeOf(rejected: Rejected<unknown>): Pick<ReportReject, 'by' | 'reason'> {
  const { reason } = rejected
  // only records that were sent have a key
  if (!('key' in rejected))
    return { by: 'the connector', reason: shortened(reason.replace(PLACE, '…').replace(/\.\s*$/, ''), REASON) }
  const status = TOO_LARGE.test(reason) ? 413 : (STATUS.exec(reason)?.[1] ?? 400)
  return { by: 'the service', reason: `the service answered ${status}` }
}
