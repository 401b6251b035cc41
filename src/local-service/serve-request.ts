// Serves one request: checks who may ask, finds the route, reads the body, has the endpoint answer, and keeps the request for the page.

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

/** The content type that an older client library expects, although the body is JSON (decisions.md#201-when-a-row-is-new). */
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
  // no byte is kept of a body that will not be read
  const body = await readBody(request, refused === undefined ? maxBodyOf(route, context) : 0)
  const soFar = { method, path, route, body, started }
  if (body.kind === 'aborted') {
    remember({ ...soFar, ending: { status: 'reset' } }, context)
    return
  }
  const withoutEndpoint = refused ?? context.allowedOrigins.preflight(method, headers)
  const ending = withoutEndpoint ?? (await endingOf(route, request, body, context))
  remember({ ...soFar, ending }, context)
  const readable = ending.status === 'reset' ? {} : ending.headers
  const isImport = !isLocal && route.kind !== 'onboarding'
  await sendAnswer(response, isLocal ? guarded(ending) : ending, {
    ...ANSWER_HEADERS,
    ...(context.compat && isImport && { 'Content-Type': COMPAT_TYPE }),
    ...context.allowedOrigins.headersFor(headers, readable),
  })
}

/** The refusal of a request whose sender may not use its path (local-access.ts), whatever its body. `undefined` when it may. */
export function refusedAtOnce(
  { method = '', url = '', headers }: IncomingMessage,
  context: Context,
): Answer | undefined {
  const fault = isLocalPath(pathOf(url)) ? accessFault(method, headers, context) : pageFault(headers, context)
  return fault === undefined ? undefined : refusal(403, [fault])
}

interface EndedRequest {
  readonly method: string
  readonly path: string
  readonly route: Route
  readonly body: RequestBody
  readonly ending: Ending
  /** The time of its arrival, by `elapsed` of the context. */
  readonly started: number
}

/** Keeps a request for the page, unless it is one to a path under /_local. */
function remember({ method, path, route, body, ending, started }: EndedRequest, context: Context): void {
  if (isLocalPath(path)) return
  const ms = context.elapsed() - started
  const bytes = body.kind === 'body' ? body.bytes : undefined
  const answer = ending.status === 'reset' ? undefined : ending
  const status = body.kind === 'aborted' ? 'aborted' : ending.status
  const { points = 0 } = ending
  const { live, payloads, now } = context
  // a reason may quote the body: it is kept only where bodies are
  const showsReason = payloads !== undefined && answer !== undefined && answer.status >= 400
  const reason = showsReason ? answer.reasons?.join('; ') : undefined
  const isUpsert = route.kind === 'upsert'
  const request = { method, path, status, points, at: now(), ms, bytes: bytes?.length ?? 0, reason } as const
  const n = live.add(request, isUpsert && route.sandbox)
  payloads?.add(n, bytes, answer?.body, isUpsert)
}

/** Adds the headers of every answer under /_local, and a line end where it is JSON. */
function guarded(ending: Ending): Ending {
  if (ending.status === 'reset') return ending
  return { ...ending, headers: { ...LOCAL_HEADERS, ...ending.headers }, body: withLineEnd(ending) }
}

/** The body with a line end if it is JSON made here, for readers in terminals. Rows as they were sent, and files of the page, stay as
 *  they are. */
function withLineEnd({ headers, body }: Answer): Answer['body'] {
  const isJson = typeof body === 'string' && body !== '' && headers?.['Content-Type'] === undefined
  return isJson ? `${body}\n` : body
}

function maxBodyOf(route: Route, { maxBody }: Context): number {
  if (route.kind === 'onboarding') return MAX_CALL_BODY
  return route.kind === 'local' ? route.maxBody : maxBody
}

/** Has the endpoint answer. Never rejects: an error becomes a 500, a 404 when a table was removed meanwhile, a reset on closing. */
async function endingOf(route: Route, request: IncomingMessage, body: ReadBody, context: Context): Promise<Ending> {
  const { closing, onboarding, settings } = context
  try {
    if (route.kind === 'onboarding') return await answerCall(route, request, body, onboarding, context)
    if (route.kind === 'local') {
      return await route.answer(context, { body, knownTag: request.headers['if-none-match'] })
    }
    // paths under /_local that are not served come here too
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
