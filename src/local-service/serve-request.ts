// One request from its first line to its end: route, body, endpoint, answer, log. Knows no socket option.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { answerLocal, LOCAL_HEADERS, MAX_LOCAL_BODY } from './answer-local.ts'
import { refusal } from './answers.ts'
import { authenticate, status } from './authenticate.ts'
import type { Context } from './context.ts'
import { faultyUpsert, type UpsertEnding } from './faulty-upsert.ts'
import { accessFault } from './local-access.ts'
import { answerCall, MAX_CALL_BODY } from './onboarding/answer-call.ts'
import type { Onboarding } from './onboarding/onboarding.ts'
import type { OnboardingRoute } from './onboarding/route.ts'
import { type Body, HARD_MAX_BODY, readBody } from './read-body.ts'
import type { LocalRoute } from './local-route.ts'
import type { LoggedRequest, RequestLog } from './request-log.ts'
import { isLocalPath, pathOf, type Route, routeOf } from './route.ts'
import { sendAnswer } from './send-answer.ts'
import type { Answer, Ending } from './types.ts'

export interface Serving {
  readonly context: Context
  readonly onboarding: Onboarding
  readonly log: RequestLog
  /** Bytes the body of an import request may have. */
  readonly maxBody: number
}

const JSON_TYPE = 'application/json'
/** What one older client library wants to see before it parses JSON (assumptions 3). */
const COMPAT_TYPE = 'text/html; charset=UTF-8'

const PAGES_OWN: ReadonlySet<LocalRoute['kind']> = new Set<LocalRoute['kind']>([
  'overview',
  'page-file',
  'page-of-table',
  'row-of-table',
  'sql',
  'to-page',
])

/** Never rejects: what goes wrong here becomes a 500 that says so. */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  serving: Serving,
): Promise<void> {
  const { method = '', url = '' } = request
  const started = serving.context.elapsed()
  const path = pathOf(url)
  const route = routeOf(method, url)
  const body = await readBody(request, maxBodyOf(route, serving))
  if (body.kind === 'aborted') {
    note({ method, path, status: 'aborted', points: 0 }, { route, body, started }, serving)
    return
  }
  if (isLocalPath(path)) {
    const ending = guarded(await localEnding(route, request, body, serving))
    note({ method, path, status: statusOf(ending), points: 0 }, { route, body, started }, serving)
    await sendAnswer(response, ending, JSON_TYPE)
    return
  }
  const isImport = !isOnboarding(route)
  const { ending, points } = await endingOf(route, request, body, serving, isImport)
  note({ method, path, status: statusOf(ending), points }, { route, body, started }, serving)
  await sendAnswer(response, ending, serving.context.compat && isImport ? COMPAT_TYPE : JSON_TYPE)
}

interface Past {
  readonly route: Route
  readonly body: Body
  readonly started: number
}

/** What the page asks for while it is open is not written down; our other paths are, but not shown as requests. */
function note(request: LoggedRequest, { route, body, started }: Past, { log, context }: Serving): void {
  if (route.kind !== 'local' || !PAGES_OWN.has(route.local.kind)) log.add(request)
  if (isLocalPath(request.path)) return
  const ms = context.elapsed() - started
  const bytes = body.kind === 'body' ? body.bytes.length : 0
  context.live.add({ ...request, at: context.now(), ms, bytes }, route.kind === 'upsert' && route.sandbox)
}

function statusOf(ending: Ending): LoggedRequest['status'] {
  return ending === 'reset' ? 'reset' : ending.status
}

function guarded(ending: Ending): Ending {
  if (ending === 'reset') return ending
  return { ...ending, headers: { ...LOCAL_HEADERS, ...ending.headers }, body: withLineEnd(ending) }
}

/** Of our own JSON, which is read in terminals too; what was sent, and files of the page, stay as they are. */
function withLineEnd({ headers, body }: Answer): Answer['body'] {
  const isJson = typeof body === 'string' && body !== '' && headers?.['Content-Type'] === undefined
  return isJson ? `${body}\n` : body
}

/** Of paths under /_local. */
async function localEnding(route: Route, request: IncomingMessage, body: ReadBody, serving: Serving): Promise<Ending> {
  const { context } = serving
  const { method = '', headers } = request
  const refused = accessFault(method, headers, context.host)
  if (refused !== undefined) return refusal(403, [refused])
  if (route.kind !== 'local') return (await endingOf(route, request, body, serving, false)).ending
  return caught(context, () => answerLocal(route.local, body, headers['if-none-match'], context))
}

type ReadBody = Exclude<Body, { kind: 'aborted' }>

function isOnboarding(route: Route): route is OnboardingRoute {
  return route.kind === 'onboarding' || route.kind === 'onboarding-local'
}

function maxBodyOf(route: Route, { maxBody }: Serving): number {
  if (isOnboarding(route)) return MAX_CALL_BODY
  if (route.kind !== 'local') return maxBody
  return route.local.kind === 'script-fault' ? HARD_MAX_BODY : MAX_LOCAL_BODY
}

async function endingOf(
  route: Route,
  request: IncomingMessage,
  body: ReadBody,
  { context, onboarding }: Serving,
  isImport: boolean,
): Promise<UpsertEnding> {
  let points = 0
  const ending = await caught(context, async () => {
    if (isOnboarding(route)) return answerCall(route, request, body, onboarding, context)
    const latency = isImport ? context.settings.latency() : undefined
    if (latency !== undefined) await wait(latency, undefined, { signal: context.closing })
    if (route.kind !== 'upsert') return answerTo(route, context)
    const upserted = await faultyUpsert(route, body, context)
    points = upserted.points
    return upserted.ending
  })
  return { ending, points }
}

/** What is thrown becomes a 500, or a reset when the service closes. */
async function caught({ closing }: Context, act: () => Promise<Ending>): Promise<Ending> {
  try {
    return await act()
  } catch (error) {
    if (closing.aborted) return 'reset'
    return refusal(500, [`the local service failed: ${String(error)}`])
  }
}

function answerTo(route: Exclude<Route, OnboardingRoute | { kind: 'upsert' }>, context: Context): Answer {
  if (route.kind === 'status') return status(route.sandbox)
  if (route.kind === 'authenticate') return authenticate(route, context)
  return refusal(404, [route.kind === 'none' ? route.reason : 'there is no such path'])
}
