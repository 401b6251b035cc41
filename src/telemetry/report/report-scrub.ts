// A report without secrets and without what others said: every text in it that is not of this program's own making passes
// the scrubber, and of how a run ended it has the error's own words, but not what these quote of the service's, which may
// repeat the data of records. Knows no page.

import type { ConnectorError } from '../../core/errors.ts'
import { shortened } from '../../text/printable.ts'
import type { ReportData, ReportEnd, ReportRecord, ReportRow, ReportTable } from './report-data.ts'

type Scrub = (text: string) => string

export function withoutSecrets(data: ReportData, scrub: Scrub): ReportData {
  const { version, host, ended, record, table, limits } = data
  return {
    ...data,
    version: scrub(version),
    host: host === undefined ? undefined : scrub(host),
    ended: endOf(ended, scrub),
    record: record && recordOf(record, scrub),
    table: table && tableOf(table, scrub),
    limits: limits.map(([option, value]) => [scrub(option), scrub(value)] as const),
  }
}

function endOf(ended: ReportEnd, scrub: Scrub): ReportEnd {
  return 'message' in ended ? { ...ended, message: scrub(ended.message) } : ended
}

function recordOf(record: ReportRecord, scrub: Scrub): ReportRecord {
  const rejects = record.rejects.map((reject) =>
    Object.assign({}, reject, {
      name: scrub(reject.name),
      table: reject.table === undefined ? undefined : scrub(reject.table),
      reason: scrub(reject.reason),
    }),
  )
  return { ...record, rejects }
}

function tableOf({ rows, total }: ReportTable, scrub: Scrub): ReportTable {
  const clean = (row: ReportRow): ReportRow => ({
    ...row,
    name: scrub(row.name),
    table: row.table === undefined ? undefined : scrub(row.table),
  })
  return { rows: rows.map(clean), total: clean(total) }
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
