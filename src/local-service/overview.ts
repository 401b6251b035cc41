// What the page under /_local/ shows while it is open, in one answer of bounded size. No key, no query, no body is in it.

import type { Context } from './context.ts'
import { htmlSafeJson } from './own-json.ts'
import { queryValue } from './query.ts'
import { shownFault } from './shown-fault.ts'
import type { Answer } from './types.ts'

const MAX_REQUESTS = 200
const MAX_TABLES = 500
const MAX_FAULTS = 100
/** Characters of a name that is shown. */
const MAX_NAME = 300

/** `GET /_local/overview?after=`: `after` is the number of the last request that is known. */
export function overviewAnswer(query: string, { store, live, faults, settings, data, clients, now }: Context): Answer {
  const asked = Number(queryValue(query, 'after')?.readings[0] ?? 0)
  const after = Number.isSafeInteger(asked) && asked <= live.requests ? asked : 0
  const tables = store.tables()
  const waiting = faults.waiting()
  const shown = {
    now: now(),
    data: data ?? null,
    clients: clients.ids().slice(0, MAX_TABLES),
    tables: tables
      .filter(({ table }) => table.length <= MAX_NAME)
      .slice(0, MAX_TABLES)
      .map(({ clientId, table, rows }) => ({ client_id: clientId, table, rows })),
    totals: {
      tables: tables.length,
      rows: tables.reduce((sum, { rows }) => sum + rows, 0),
      requests: live.requests,
      points: live.points,
      faults: waiting.length,
    },
    sandbox: live.sandbox,
    seconds: live.seconds(now()),
    requests: live.after(after, MAX_REQUESTS),
    faults: waiting.slice(0, MAX_FAULTS).map(shownFault),
    settings: settings.json,
  }
  return { status: 200, body: htmlSafeJson(shown) }
}
