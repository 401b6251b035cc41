// One request from its first line to its end: route, body, endpoint, answer, log. Knows no socket option.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { refusal } from './answers.ts'
import { authenticate, status } from './authenticate.ts'
import type { Context } from './context.ts'
import { faultyUpsert, type UpsertEnding } from './faulty-upsert.ts'
import { clearFaults, listTables, readTable, scriptFault } from './local-paths.ts'
import { answerCall, MAX_CALL_BODY } from './onboarding/answer-call.ts'
import type { Onboarding } from './onboarding/onboarding.ts'
import type { OnboardingRoute } from './onboarding/route.ts'
import { type Body, HARD_MAX_BODY, readBody } from './read-body.ts'
import type { RequestLog } from './request-log.ts'
import { type Route, routeOf } from './route.ts'
import { sendAnswer } from './send-answer.ts'
import type { Answer } from './types.ts'

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

/** Never rejects: what goes wrong here becomes a 500 that says so. */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  serving: Serving,
): Promise<void> {
  const { method = '', url = '' } = request
  const path = url.split('?', 1)[0]!
  const route = routeOf(method, url)
  const body = await readBody(request, maxBodyOf(route, serving))
  if (body.kind === 'aborted') {
    serving.log.add({ method, path, status: 'aborted', points: 0 })
    return
  }
  const isImport = !path.startsWith('/_local') && !isOnboarding(route)
  const { ending, points } = await endingOf(route, request, body, serving, isImport)
  serving.log.add({ method, path, status: ending === 'reset' ? 'reset' : ending.status, points })
  await sendAnswer(response, ending, serving.context.compat && isImport ? COMPAT_TYPE : JSON_TYPE)
}

type ReadBody = Exclude<Body, { kind: 'aborted' }>

function isOnboarding(route: Route): route is OnboardingRoute {
  return route.kind === 'onboarding' || route.kind === 'onboarding-local'
}

function maxBodyOf(route: Route, { maxBody }: Serving): number {
  if (isOnboarding(route)) return MAX_CALL_BODY
  return route.kind === 'script-fault' ? HARD_MAX_BODY : maxBody
}

async function endingOf(
  route: Route,
  request: IncomingMessage,
  body: ReadBody,
  { context, onboarding }: Serving,
  isImport: boolean,
): Promise<UpsertEnding> {
  try {
    if (isOnboarding(route)) return { ending: await answerCall(route, request, body, onboarding, context), points: 0 }
    if (context.latency && isImport) await wait(context.latency(), undefined, { signal: context.closing })
    if (route.kind === 'upsert') return await faultyUpsert(route, body, context)
    return { ending: answerTo(route, body, context), points: 0 }
  } catch (error) {
    if (context.closing.aborted) return { ending: 'reset', points: 0 }
    return { ending: refusal(500, [`the local service failed: ${String(error)}`]), points: 0 }
  }
}

function answerTo(
  route: Exclude<Route, OnboardingRoute | { kind: 'upsert' }>,
  body: ReadBody,
  context: Context,
): Answer {
  switch (route.kind) {
    case 'status':
      return status(route.sandbox)
    case 'authenticate':
      return authenticate(route, context)
    case 'script-fault':
      return scriptFault(body, context)
    case 'clear-faults':
      return clearFaults(context)
    case 'list-tables':
      return listTables(context)
    case 'read-table':
      return readTable(route.table, route.query, context)
    case 'none':
      break
  }
  return refusal(404, [route.reason])
}
