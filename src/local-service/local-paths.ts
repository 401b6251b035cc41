// The paths under /_local: which one a request names, and its answer. They ask for no key; who may ask at all local-access.ts
// decides.

import { done, htmlSafeJson, json, refusal } from './answers.ts'
import type { Context } from './context.ts'
import { faultFaults } from './fault-description.ts'
import { shownFault } from './faults.ts'
import { jsonBody } from './local-request.ts'
import { HARD_MAX_BODY, percentDecoded, queryValue } from './read-request.ts'
import type { RequestBody } from './read-request.ts'
import { settingsFaults } from './settings.ts'
import type { SettingsChange } from './settings.ts'
import { BUSY } from './sql/sql-box.ts'
import { listTables, pageOfTable, readTable, removeTable, removeTables, rowOfTable } from './table-pages.ts'
import type { Answer, Fault } from './types.ts'

export interface LocalRequest {
  readonly body: Exclude<RequestBody, { kind: 'aborted' }>
  /** Its If-None-Match. */
  readonly knownTag: string | undefined
}

export interface LocalRoute {
  /** Rejects when the local service closes. */
  answer(context: Context, request: LocalRequest): Answer | Promise<Answer>
  /** Bytes its body may have, if not MAX_LOCAL_BODY. */
  readonly maxBody?: number
}

type Methods = Readonly<Record<string, LocalRoute>>

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

/** The routes at this path by their methods; undefined: there is none. `segments`: behind `_local`. */
export function localPath(segments: readonly string[], query: string): Methods | undefined {
  const [noun, item, ...rest] = segments
  if (noun === 'tables' && item !== undefined) return tablePath(percentDecoded(item), rest, query)
  if (rest.length > 0) return undefined
  if (noun === 'page' && item !== undefined) return pagePath(item)
  const n = /^[1-9]\d{0,14}$/.test(item ?? '') ? Number(item) : undefined
  if (noun === 'faults' && n !== undefined) return { DELETE: { answer: (context) => removeFault(n, context) } }
  if (noun === 'requests' && n !== undefined) {
    return { GET: { answer: (context) => bodiesOfRequest(n, context) } }
  }
  return item === undefined ? wholePath(noun, query) : undefined
}

function wholePath(noun: string | undefined, query: string): Methods | undefined {
  switch (noun) {
    case undefined:
      return { GET: { answer: () => ({ status: 308, headers: { Location: '_local/' }, body: '' }) } }
    case '':
      return pagePath('index.html')
    case 'faults':
      return {
        GET: { answer: listFaults },
        POST: { answer: scriptFault, maxBody: HARD_MAX_BODY },
        DELETE: { answer: clearFaults },
      }
    case 'tables':
      return { GET: { answer: listTables }, DELETE: { answer: (context) => removeTables(query, context) } }
    case 'overview':
      return { GET: { answer: (context) => overviewAnswer(query, context) } }
    case 'settings':
      return { GET: { answer: readSettings }, POST: { answer: changeSettings }, DELETE: { answer: resetSettings } }
    case 'sql':
      return { POST: { answer: askSql } }
    default:
      return undefined
  }
}

/** `table`: undefined when its percent-encoding is malformed. */
function tablePath(table: string | undefined, rest: readonly string[], query: string): Methods | undefined {
  const [rows, n, ...more] = rest
  if (rows === undefined) {
    return {
      GET: { answer: (context) => readTable(table, query, context) },
      DELETE: { answer: (context) => removeTable(table, query, context) },
    }
  }
  if (rows !== 'rows' || more.length > 0) return undefined
  if (n === undefined) return { GET: { answer: (context) => pageOfTable(table, query, context) } }
  return { GET: { answer: (context) => rowOfTable(table, n, query, context) } }
}

function pagePath(name: string): Methods {
  const answer: LocalRoute['answer'] = async ({ command }, { knownTag }) => {
    const { pageFile } = await import('./page-files.ts')
    return pageFile(name, knownTag, command) ?? refusal(404, ['the page has no such file'])
  }
  return { GET: { answer } }
}

/** Those that wait, in the order they were scripted. */
function listFaults({ faults }: Context): Answer {
  return { status: 200, body: htmlSafeJson(faults.waiting().map(shownFault)) }
}

function scriptFault({ faults }: Context, { body }: LocalRequest): Answer {
  const read = jsonBody<Fault>(body, (value) => faultFaults(value, false))
  if ('refused' in read) return read.refused
  faults.add(read.value)
  return done('the fault waits for its upserts', 201)
}

function clearFaults({ faults }: Context): Answer {
  return done('no fault is waiting any more', 200, { cleared: faults.clear() })
}

function removeFault(id: number, { faults }: Context): Answer {
  return faults.remove(id) ? done('the fault is ended') : refusal(404, ['no such fault is waiting'])
}

function readSettings({ settings }: Context): Answer {
  return { status: 200, body: htmlSafeJson(settings.json) }
}

function changeSettings({ settings }: Context, { body }: LocalRequest): Answer {
  const read = jsonBody<SettingsChange>(body, settingsFaults)
  if ('refused' in read) return read.refused
  settings.change(read.value)
  return done('requests from now on go like that', 200, { settings: settings.json })
}

function resetSettings({ settings }: Context): Answer {
  settings.reset()
  return done('the settings are as they were when the service started', 200, { settings: settings.json })
}

async function askSql({ sql }: Context, { body }: LocalRequest): Promise<Answer> {
  const read = jsonBody<{ sql: string }>(body, (value) =>
    typeof (value as { sql?: unknown } | null)?.sql === 'string' ? [] : ['the body must be an object with sql, a text'],
  )
  if ('refused' in read) return read.refused
  const result = await sql.run(read.value.sql)
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
  const after = Number.isSafeInteger(asked) && asked <= live.total ? asked : 0
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
      requests: live.total,
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
  return { status: 200, body: htmlSafeJson(shown) }
}
