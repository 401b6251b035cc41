// The paths under /_local, each with the function that answers it, and those of these functions that are short. The paths ask for no key:
// local-access.ts decides who may use them.

import type { z } from 'zod'
import { done, json, refusal } from './answers.ts'
import type { Context } from './context.ts'
import { faultSchema } from './fault-schema.ts'
import { shownFault } from './faults.ts'
import { readJsonBody } from './json-body.ts'
import { clientOverview, jobStates, signupOverview } from './onboarding/overview.ts'
import { planSchema, type PlanChange } from './onboarding/plans.ts'
import { methodsAt, type PathParameters } from './path-table.ts'
import { HARD_MAX_BODY, type ReadBody } from './read-request.ts'
import { settingsSchema, type SettingsChange } from './settings.ts'
import { exportTable } from './table-export.ts'
import { listTables, pageOfTable, removeTable, removeTables, rowOfTable } from './table-pages.ts'
import type { Answer } from './types.ts'

export interface LocalRequest {
  readonly body: ReadBody
  /** The value of the header If-None-Match. */
  readonly knownTag: string | undefined
}

export interface LocalRoute {
  readonly kind: 'local'
  /** Bytes its body may have. */
  readonly maxBody: number
  /** Rejects, if it answers with a promise, when the local service closes. */
  readonly answer: (context: Context, request: LocalRequest) => Answer | Promise<Answer>
}

type RequestAtPath = LocalRequest & { readonly parameters: PathParameters; readonly query: string }
type AnswerTo = (context: Context, request: RequestAtPath) => Answer | Promise<Answer>

/** Bytes the body of a request may have, where PATHS gives no other limit. */
const MAX_LOCAL_BODY = 1024 * 1024

/** How many tables and faults the overview has at most. */
const MAX_TABLES = 500
const MAX_FAULTS = 100
/** Most characters of a table's name. The overview leaves out tables with longer ones. */
const MAX_NAME = 300

/** Headers of every answer under /_local that sets no others itself: no other site may show it, no script in it runs, no cache keeps it. */
export const LOCAL_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

const PATHS: readonly (readonly [method: string, path: string, answer: AnswerTo, maxBody?: number])[] = [
  ['GET', '/_local', () => ({ status: 308, headers: { Location: '_local/' }, body: '' })],
  ['GET', '/_local/', readPage],
  ['GET', '/_local/page/{name}', readPage],
  ['GET', '/_local/overview', readOverview],
  ['GET', '/_local/tables', listTables],
  ['DELETE', '/_local/tables', removeTables],
  ['GET', '/_local/tables/{table}', exportTable],
  ['DELETE', '/_local/tables/{table}', removeTable],
  ['GET', '/_local/tables/{table}/rows', pageOfTable],
  ['GET', '/_local/tables/{table}/rows/{n}', rowOfTable],
  ['GET', '/_local/requests/{n}', bodiesOfRequest],
  ['GET', '/_local/faults', ({ faults }) => json(200, faults.waiting().map(shownFault))],
  ['POST', '/_local/faults', withBody(faultSchema, scriptFault), HARD_MAX_BODY],
  ['DELETE', '/_local/faults', ({ faults }) => done('no fault is waiting any more', 200, { cleared: faults.clear() })],
  ['DELETE', '/_local/faults/{n}', removeFault],
  ['GET', '/_local/settings', ({ settings }) => json(200, settings.json)],
  ['POST', '/_local/settings', withBody(settingsSchema, changeSettings)],
  ['DELETE', '/_local/settings', resetSettings],
  ['GET', '/_local/clients', ({ onboarding }) => json(200, clientOverview(onboarding))],
  ['POST', '/_local/clients/{client}/import-keys', makeImportKey],
  ['GET', '/_local/jobs', ({ onboarding }) => json(200, jobStates(onboarding))],
  ['GET', '/_local/onboarding', readPlans],
  ['POST', '/_local/onboarding', withBody(planSchema, changePlans)],
  ['DELETE', '/_local/onboarding', resetPlans],
]

/** Finds the routes at a path, by their methods. `undefined` when there is none.
 *  @param segments of the path, behind its first slash */
export function localPath(
  segments: readonly string[],
  query: string,
): Readonly<Record<string, LocalRoute>> | undefined {
  return methodsAt(PATHS, segments, ([, , answer, maxBody = MAX_LOCAL_BODY], parameters) => ({
    kind: 'local',
    maxBody,
    answer: (context, request) => answer(context, { ...request, parameters, query }),
  }))
}

/** Passes a body that fits the schema to `answer`, and refuses any other. */
function withBody<T>(schema: z.ZodType<T>, answer: (context: Context, value: T) => Answer): AnswerTo {
  return (context, { body }) => {
    const read = readJsonBody(body, schema)
    return 'refused' in read ? read.refused : answer(context, read.value)
  }
}

async function readPage({ command }: Context, { parameters, knownTag }: RequestAtPath): Promise<Answer> {
  const { pageFile } = await import('./page-files.ts')
  return pageFile(parameters['name'] ?? 'index.html', knownTag, command) ?? refusal(404, ['the page has no such file'])
}

/** Answers `GET /_local/overview?after=` with what the page shows every second, in bounded size. `after` is the number of the last request
 *  that the page knows, which gets only newer ones, or all where `after` is no number that was given since the service started. */
function readOverview(context: Context, { query }: RequestAtPath): Answer {
  const { store, live, payloads, faults, settings, data, clients, now } = context
  const lastKnown = Number(new URLSearchParams(query).get('after'))
  const after = Number.isSafeInteger(lastKnown) && lastKnown <= live.total ? lastKnown : 0
  const tables = store.tables()
  const waiting = faults.waiting()
  return json(200, {
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
  })
}

function scriptFault({ faults }: Context, fault: z.output<typeof faultSchema>): Answer {
  faults.add(fault)
  return done('the fault waits for its upserts', 201)
}

function removeFault({ faults }: Context, { parameters }: RequestAtPath): Answer {
  return faults.remove(Number(parameters['n']))
    ? done('the fault is ended')
    : refusal(404, ['no such fault is waiting'])
}

function changeSettings({ settings }: Context, change: SettingsChange): Answer {
  settings.change(change)
  return done('requests from now on go like that', 200, { settings: settings.json })
}

function resetSettings({ settings }: Context): Answer {
  settings.reset()
  return done('the settings are as they were when the service started', 200, { settings: settings.json })
}

function bodiesOfRequest({ payloads, clients }: Context, { parameters }: RequestAtPath): Answer {
  if (payloads === undefined) return refusal(404, ['bodies are not kept: serve runs with --no-payloads'])
  const bodies = payloads.get(Number(parameters['n']), clients.mask)
  return bodies === undefined
    ? refusal(404, ['its bodies are kept no more, only those of the last 200 requests, 8 MiB in all'])
    : json(200, bodies)
}

/** Makes a key for imports (decisions.md#import-keys-are-made-elsewhere). */
function makeImportKey({ onboarding, clients }: Context, { parameters }: RequestAtPath): Answer {
  const id = clients.idOf(parameters['client'])
  if (id === undefined) return refusal(404, ['the client id in the path is not one of this service'])
  return json(201, { client_id: id, api_key: onboarding.makeImportKey(id) })
}

function readPlans({ onboarding }: Context): Answer {
  return json(200, { plans: onboarding.plans, signups: signupOverview(onboarding) })
}

function changePlans({ onboarding }: Context, change: PlanChange): Answer {
  onboarding.plan(change)
  return done('jobs that start from now on go like that', 200, { plans: onboarding.plans })
}

function resetPlans({ onboarding }: Context): Answer {
  onboarding.resetPlans()
  return done('jobs go as they did when the service started', 200, { plans: onboarding.plans })
}
