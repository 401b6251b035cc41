// A run as its report is told of it, for tests: of a stream in one table, where all is well.

import { Tally } from '../../../core/tally.ts'
import type { RunRow } from '../../counts.ts'
import { facts } from '../../testing/facts.ts'
import type { RejectFacts, ReportAbout } from '../report.ts'

/** @param records of its stream, whenever it is asked */
export function aboutRun(
  name: string,
  records: () => number,
  rejects: RejectFacts = { all: [], stop: undefined, recordsOf: () => 0 },
): ReportAbout<unknown> {
  const row = (): RunRow => {
    const counts = { records: records(), rows: 0, superseded: 0, rejected: 0, unsettled: 0 }
    return { name, table: 'orders', counts }
  }
  return {
    host: 'import.example.com',
    limits: [],
    permits: { limit: 4 },
    placeOf: () => undefined,
    outages: [],
    files: [],
    scopeOf: () => 'all',
    tally: new Tally(),
    rejects,
    rejectsPlace: undefined,
    facts: () => ({ ...facts(), group: undefined, rows: [row()], total: row() }),
  }
}
