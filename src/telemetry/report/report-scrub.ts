// A report without secrets: every text in it that is not of this program's own making passes the scrubber. Knows no page.

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
