// One request from its first line to its end: who may ask, its route and body, the endpoint's answer, and a note of it for the page.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { refusal } from './answers.ts'
import { authenticate, status } from './authorise.ts'
import type { Context } from './context.ts'
import { accessFault, pageFault } from './local-access.ts'
import { LOCAL_HEADERS } from './local-paths.ts'
import { answerCall, MAX_CALL_BODY } from './onboarding/answer-call.ts'
import { readBody, type ReadBody, type RequestBody } from './read-request.ts'
import { isLocalPath, pathOf, routeOf, type Route } from './route.ts'
import { ANSWER_HEADERS, sendAnswer } from './send-answer.ts'
import { TableGone } from './store.ts'
import type { Answer, Ending } from './types.ts'
import { faultyUpsert } from './upsert.ts'

/** The content type that one older client library wants to see before it parses JSON (decisions.md#201-when-a-row-is-new). */
const COMPAT_TYPE = 'text/html; charset=UTF-8'

/** Answers one request. Never rejects: what goes wrong here becomes a 500 that says so. */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  context: Context,
): Promise<void> {
  const { method = '', url = '', headers } = request
  const started = context.elapsed()
  const path = pathOf(url)
  const isLocal = isLocalPath(path)
  const route = routeOf(method, url)
  const refused = refusedAtOnce(request, context)
  // nothing is kept of what will not be read
  const body = await readBody(request, refused === undefined ? maxBodyOf(route, context) : 0)
  const past = { method, path, route, body, started }
  if (body.kind === 'aborted') {
    note({ ...past, ending: { status: 'reset' } }, context)
    return
  }
  const early = refused ?? context.allowedOrigins.preflight(method, headers)
  const ending = early ?? (await endingOf(route, request, body, context))
  note({ ...past, ending }, context)
  const own = ending.status === 'reset' ? {} : ending.headers
  const isImport = !isLocal && route.kind !== 'onboarding'
  await sendAnswer(response, isLocal ? guarded(ending) : ending, {
    ...ANSWER_HEADERS,
    ...(context.compat && isImport && { 'Content-Type': COMPAT_TYPE }),
    ...context.allowedOrigins.headersFor(headers, own),
  })
}

/** The answer to a request that may not be made at all: before the path, the method and the body are looked at.
 *  `undefined` when this one may. */
export function refusedAtOnce(
  { method = '', url = '', headers }: IncomingMessage,
  context: Context,
): Answer | undefined {
  const fault = isLocalPath(pathOf(url)) ? accessFault(method, headers, context) : pageFault(headers, context)
  return fault === undefined ? undefined : refusal(403, [fault])
}

interface Past {
  readonly method: string
  readonly path: string
  readonly route: Route
  readonly body: RequestBody
  readonly ending: Ending
  readonly started: number
}

/** Writes a request down for the page, unless it is one to our own paths. */
function note({ method, path, route, body, ending, started }: Past, context: Context): void {
  if (isLocalPath(path)) return
  const ms = context.elapsed() - started
  const bytes = body.kind === 'body' ? body.bytes : undefined
  const answer = ending.status === 'reset' ? undefined : ending
  const status = body.kind === 'aborted' ? 'aborted' : ending.status
  const { points = 0 } = ending
  const { live, payloads, now } = context
  // a reason may quote the body
  const isRefused = payloads !== undefined && answer !== undefined && answer.status >= 400
  const reason = isRefused ? answer.reasons?.join('; ') : undefined
  const isUpsert = route.kind === 'upsert'
  const request = { method, path, status, points, at: now(), ms, bytes: bytes?.length ?? 0, reason } as const
  const n = live.add(request, isUpsert && route.sandbox)
  payloads?.add(n, bytes, answer?.body, isUpsert)
}

/** An answer under /_local with the headers that guard it. */
function guarded(ending: Ending): Ending {
  if (ending.status === 'reset') return ending
  return { ...ending, headers: { ...LOCAL_HEADERS, ...ending.headers }, body: withLineEnd(ending) }
}

/** Ends our own JSON, which is read in terminals too, with a line end; what was sent, and files of the page, stay as
 *  they are. */
function withLineEnd({ headers, body }: Answer): Answer['body'] {
  const isJson = typeof body === 'string' && body !== '' && headers?.['Content-Type'] === undefined
  return isJson ? `${body}\n` : body
}

function maxBodyOf(route: Route, { maxBody }: Context): number {
  if (route.kind === 'onboarding') return MAX_CALL_BODY
  return route.kind === 'local' ? route.maxBody : maxBody
}

/** Carries out what a request asks for. Never rejects: an error becomes a 500, a 404 when a table was removed meanwhile, or a reset when the service closes. */
async function endingOf(route: Route, request: IncomingMessage, body: ReadBody, context: Context): Promise<Ending> {
  const { closing, onboarding, settings } = context
  try {
    if (route.kind === 'onboarding') return await answerCall(route, request, body, onboarding, context)
    if (route.kind === 'local') {
      return await route.answer(context, { body, knownTag: request.headers['if-none-match'] })
    }
    const latency = isLocalPath(pathOf(request.url ?? '')) ? undefined : settings.latency()
    if (latency !== undefined) await wait(latency, undefined, { signal: closing })
    if (route.kind === 'upsert') return await faultyUpsert(route, body, context)
    if (route.kind === 'status') return status(route)
    return route.kind === 'authenticate' ? authenticate(route, context) : refusal(404, [route.reason])
  } catch (error) {
    if (closing.aborted) return { status: 'reset' }
    if (error instanceof TableGone) return refusal(404, [error.message])
    return refusal(500, [`the local service failed: ${String(error)}`])
  }
}
