// `GET /_local/overview`: all that the page shows at first sight, bounded.

import { json } from './answers.ts'
import type { Context } from './context.ts'
import { shownFault } from './faults.ts'
import type { Answer } from './types.ts'

const MAX_TABLES = 500
const MAX_FAULTS = 100
/** Characters of a name that is shown. */
const MAX_NAME = 300

/** `GET /_local/overview?after=`: `after` is the number of the last request that is known. */
export function readOverview(context: Context, { query }: { readonly query: string }): Answer {
  const { store, live, payloads, faults, settings, data, clients, now } = context
  const asked = Number(new URLSearchParams(query).get('after'))
  const after = Number.isSafeInteger(asked) && asked <= live.total ? asked : 0
  const tables = store.tables()
  const waiting = faults.waiting()
  const shown = {
    now: now(),
    data: data ?? null,
    connect: clients.shown,
    tables: tables
      .filter(({ table }) => table.length <= MAX_NAME)
      .toSorted((one, other) => (other.writtenAt ?? 0) - (one.writtenAt ?? 0))
      .slice(0, MAX_TABLES)
      .map(({ clientId, table, rows, writtenAt }) => ({
        client_id: clientId,
        table,
        rows,
        written_at: writtenAt ?? null,
      })),
    totals: {
      tables: tables.length,
      rows: tables.reduce((sum, { rows }) => sum + rows, 0),
      requests: live.total,
      failed: live.failed,
      points: live.points,
      faults: waiting.length,
    },
    sandbox: live.sandbox,
    seconds: live.seconds(now()),
    payloads: payloads !== undefined,
    requests: live.recent(after),
    faults: waiting.slice(0, MAX_FAULTS).map(shownFault),
    settings: settings.json,
  }
  return json(200, shown)
}
