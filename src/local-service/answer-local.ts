// Answers the paths under /_local that are about the import interface and the page. They ask for no key; who may ask at all
// local-access.ts decides.

import { done, htmlSafeJson, json, refusal } from './answers.ts'
import type { Context } from './context.ts'
import { shownFault } from './faults.ts'
import { clearFaults, listFaults, scriptFault } from './local-paths.ts'
import { jsonBody } from './local-request.ts'
import type { LocalRoute } from './local-route.ts'
import { queryValue } from './read-request.ts'
import type { RequestBody } from './read-request.ts'
import { settingsFaults } from './settings.ts'
import type { SettingsChange } from './settings.ts'
import { BUSY } from './sql/sql-box.ts'
import { listTables, pageOfTable, readTable, removeTable, removeTables, rowOfTable } from './table-pages.ts'
import type { Answer } from './types.ts'

type ReadBody = Exclude<RequestBody, { kind: 'aborted' }>

/** Bytes the body of a request to the SQL box or the settings may have. */
export const MAX_LOCAL_BODY = 1024 * 1024

/** On every answer under /_local: it is nobody else's to show, to run or to keep. */
export const LOCAL_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/** `knownTag`: the If-None-Match of the request. Rejects when the local service closes. */
export async function answerLocal(
  route: LocalRoute,
  body: ReadBody,
  knownTag: string | undefined,
  context: Context,
): Promise<Answer> {
  switch (route.kind) {
    case 'list-faults':
      return listFaults(context)
    case 'script-fault':
      return scriptFault(body, context)
    case 'clear-faults':
      return clearFaults(context)
    case 'remove-fault':
      return removeFault(route.id, context)
    case 'list-tables':
      return listTables(context)
    case 'remove-tables':
      return removeTables(route.query, context)
    case 'remove-table':
      return removeTable(route.table, route.query, context)
    case 'read-table':
      return readTable(route.table, route.query, context)
    case 'page-of-table':
      return pageOfTable(route.table, route.query, context)
    case 'row-of-table':
      return rowOfTable(route.table, route.n, route.query, context)
    case 'bodies-of-request':
      return bodiesOfRequest(route.n, context)
    case 'overview':
      return overviewAnswer(route.query, context)
    case 'read-settings':
      return { status: 200, body: htmlSafeJson(context.settings.json) }
    case 'change-settings':
      return changeSettings(body, context)
    case 'reset-settings':
      context.settings.reset()
      return done('the settings are as they were when the service started', 200, { settings: context.settings.json })
    case 'sql':
      return askSql(body, context)
    case 'to-page':
      return { status: 308, headers: { Location: '_local/' }, body: '' }
    case 'page-file':
      break
  }
  const { pageFile } = await import('./page-files.ts')
  return pageFile(route.name, knownTag, context.command) ?? refusal(404, ['the page has no such file'])
}

function removeFault(id: number, { faults }: Context): Answer {
  return faults.remove(id) ? done('the fault is ended') : refusal(404, ['no such fault is waiting'])
}

function changeSettings(body: ReadBody, { settings }: Context): Answer {
  const read = jsonBody(body)
  if ('refused' in read) return read.refused
  const reasons = settingsFaults(read.value)
  if (reasons.length > 0) return refusal(400, reasons)
  settings.change(read.value as SettingsChange)
  return done('requests from now on go like that', 200, { settings: settings.json })
}

async function askSql(body: ReadBody, { sql }: Context): Promise<Answer> {
  const read = jsonBody(body)
  if ('refused' in read) return read.refused
  const asked = read.value as { sql?: unknown } | null
  if (typeof asked?.sql !== 'string') return refusal(400, ['the body must be an object with sql, a text'])
  const result = await sql.run(asked.sql)
  if (result === BUSY) return refusal(429, ['two queries are running already'], { 'Retry-After': '1' })
  return 'error' in result ? refusal(400, [result.error]) : { status: 200, body: htmlSafeJson(result) }
}

/** `GET /_local/requests/N`. */
function bodiesOfRequest(n: number, { payloads, clients }: Context): Answer {
  if (payloads === undefined) return refusal(404, ['bodies are not kept: serve runs with --no-payloads'])
  const bodies = payloads.get(n, clients.mask)
  return bodies === undefined
    ? refusal(404, ['its bodies are kept no more, only those of the last 200 requests, 8 MiB in all'])
    : json(200, bodies)
}

const MAX_TABLES = 500
const MAX_FAULTS = 100
/** Characters of a name that is shown. */
const MAX_NAME = 300

/** `GET /_local/overview?after=`: `after` is the number of the last request that is known. */
function overviewAnswer(query: string, context: Context): Answer {
  const { store, live, payloads, faults, settings, data, clients, now } = context
  const asked = Number(queryValue(query, 'after')?.readings[0] ?? 0)
  const after = Number.isSafeInteger(asked) && asked <= live.requests ? asked : 0
  const tables = store.tables()
  const waiting = faults.waiting()
  const shown = {
    now: now(),
    data: data ?? null,
    connect: clients.shown,
    tables: tables
      .filter(({ table }) => table.length <= MAX_NAME)
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
      requests: live.requests,
      points: live.points,
      faults: waiting.length,
    },
    sandbox: live.sandbox,
    seconds: live.seconds(now()),
    payloads: payloads !== undefined,
    requests: live.after(after),
    faults: waiting.slice(0, MAX_FAULTS).map(shownFault),
    settings: settings.json,
  }
  return { status: 200, body: htmlSafeJson(shown) }
}
