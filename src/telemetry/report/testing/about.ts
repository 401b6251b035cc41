// A run as its files are told of it, for tests: of a stream in one table, where all is well.

import { Tally } from '../../../core/tally.ts'
import type { BegunRun } from '../run-files.ts'
import type { RunRow } from '../../../run/counts.ts'
import type { RejectFacts } from '../../../run/run-facts.ts'
import { facts, NO_REJECTS } from '../../../run/testing/facts.ts'

/** @param records of its stream, whenever it is asked */
export function aboutRun(name: string, records: () => number, rejects: RejectFacts = NO_REJECTS): BegunRun<unknown> {
  const row = (): RunRow => {
    const counts = { records: records(), rows: 0, superseded: 0, rejected: 0, unsettled: 0 }
    return { name, table: 'orders', counts }
  }
  return {
    host: 'import.example.com',
    limits: [],
    permits: { limit: 4 },
    outages: [],
    configDigest: undefined,
    files: [],
    input: { scopeOf: () => 'all' },
    tally: new Tally(),
    facts: () => ({ ...facts(), group: undefined, rejects, rows: [row()], total: row() }),
  }
}
