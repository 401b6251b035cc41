// Keeps secrets and data out of a summary. Every text that is not this program's own passes the scrubber; error messages lose what
// they quote from the service, which may repeat the data of records.

import type { ConnectorError } from '../../core/errors.ts'
import { isObject } from '../../json/is-object.ts'
import type { ReportEnd } from '../report/report.ts'

type Scrub = (text: string) => string

/** Scrubs every text anywhere in it. */
export function scrubbed<T>(value: T, scrub: Scrub): T {
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

export function failedWith({ kind, code, message }: Pick<ConnectorError, 'kind' | 'code' | 'message'>): ReportEnd {
  const quote = QUOTES.map((pattern) => pattern.exec(message)).find((found) => found !== null)
  const shown = quote ? `${quote[1]}${ELSEWHERE}${quote[2] === '' ? '' : quote[2]!.replace(/^ /, '. ')}` : message
  return { how: 'failed', kind, code, message: shown }
}
