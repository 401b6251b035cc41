// How a run ended, for its report: the error's own words, but not what it quotes of the service's, which may repeat the data
// of records.

import type { ConnectorError } from '../../core/errors.ts'
import type { ReportEnd } from './report-data.ts'
import { shortened } from '../../text/shortened.ts'

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
