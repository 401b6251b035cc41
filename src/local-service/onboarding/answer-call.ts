// One call of interface A from its arrival to its ending: hooks, scripted faults, endpoint.

import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Endpoint } from '../../service/contract.ts'
import { done, refusal, json } from '../answers.ts'
import type { Faults } from '../faults.ts'
import { jsonBody } from '../local-request.ts'
import type { RequestBody } from '../read-request.ts'
import type { Answer, Ending, ScriptedAnswer } from '../types.ts'
import { changeClient, createInvite, createToken, createSignup, readSignup } from './accounts.ts'
import type { Call, SeenCall } from './call.ts'
import { listJobs, startTest, createConnection, listConnections } from './connections.ts'
import { createDashboards, readDashboards } from './dashboards.ts'
import type { Onboarding } from './onboarding.ts'
import { clientOverview, jobStates, signupOverview } from './overview.ts'
import { planFaults } from './plans.ts'
import type { PlanChange } from './plans.ts'
import type { LocalEndpoint, OnboardingRoute } from './route.ts'

/** Bytes the body of a call may have. */
export const MAX_CALL_BODY = 1024 * 1024

type Handler = (call: Call, onboarding: Onboarding) => Answer

const HANDLERS: Readonly<Record<Endpoint | LocalEndpoint, Handler>> = {
  A1: createToken,
  A2: createSignup,
  A3: readSignup,
  A4: createInvite,
  A5: changeClient,
  A6: createConnection,
  A7: listConnections,
  A8: startTest,
  A9: listJobs,
  A10: createDashboards,
  A11: readDashboards,
  'list-clients': listClients,
  'make-import-key': makeImportKey,
  'list-job-states': listJobStates,
  'read-plans': readPlans,
  'change-plans': changePlans,
  'reset-plans': resetPlans,
}

/** Carries the call out even if its sender goes meanwhile. Rejects when `closing` aborts, or with what a hook threw. */
export async function answerCall(
  route: OnboardingRoute,
  { method = '', url = '', headers, socket }: IncomingMessage,
  body: Exclude<RequestBody, { kind: 'aborted' }>,
  onboarding: Onboarding,
  { faults, closing }: { readonly faults: Faults; readonly closing: AbortSignal },
): Promise<Ending> {
  const call: Call = {
    route,
    headers,
    body,
    origin: `http://${hostIn(headers.host) ?? `localhost:${socket.localPort}`}`,
  }
  const act = (): Answer => HANDLERS[route.endpoint](call, onboarding)
  if (route.kind === 'onboarding-local') return act()
  const { onCall, onAnswered } = onboarding.options
  const bytes = body.kind === 'body' ? body.bytes : Buffer.alloc(0)
  const seen: SeenCall = { endpoint: route.endpoint, method, target: url, headers, body: bytes }
  let ending: Ending | undefined
  try {
    await onCall?.(seen)
    ending = await underFault(faults, route.endpoint, url.split('?', 1)[0]!, act, closing)
    return ending
  } finally {
    onAnswered?.(seen, statusOf(ending, closing))
  }
}

/** Without an ending something was thrown: the local service is closing, or it has a defect. */
function statusOf(ending: Ending | undefined, closing: AbortSignal): number | 'reset' {
  if (ending === undefined) return closing.aborted ? 'reset' : 500
  return ending === 'reset' ? 'reset' : ending.status
}

async function underFault(
  faults: Faults,
  endpoint: Endpoint,
  path: string,
  act: () => Answer,
  closing: AbortSignal,
): Promise<Ending> {
  const fault = faults.takeForCall(endpoint, path)
  if (fault?.delay_ms !== undefined) await wait(fault.delay_ms, undefined, { signal: closing })
  if (fault?.reset === 'before') return 'reset'
  if (fault?.answer !== undefined && typeof fault.answer !== 'function') return scripted(fault.answer)
  const answer = act()
  return fault?.reset === 'after' ? 'reset' : answer
}

function scripted({ status, headers = {}, body }: ScriptedAnswer): Answer {
  if (body !== undefined) return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }
  const ordinary =
    status < 300 ? done('a scripted answer; nothing was done', status) : refusal(status, ['a scripted fault'])
  return { ...ordinary, headers }
}

/** Only what can stand in an address. */
function hostIn(host: string | undefined): string | undefined {
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? host : undefined
}

/** `GET /_local/clients`. */
export function listClients(_call: Call, onboarding: Onboarding): Answer {
  return json(200, clientOverview(onboarding))
}

/** `POST /_local/clients/{id}/import-keys` (decisions.md#import-keys-are-made-elsewhere). */
export function makeImportKey(call: Call, onboarding: Onboarding): Answer {
  const id = onboarding.clients.named(call.route.client)?.id
  const key = id === undefined ? undefined : onboarding.makeImportKey(id)
  if (key === undefined) return refusal(404, ['the client id in the path is not one of this service'])
  return json(201, { client_id: id, api_key: key })
}

/** `GET /_local/jobs`. */
export function listJobStates(_call: Call, onboarding: Onboarding): Answer {
  return json(200, jobStates(onboarding))
}

/** `GET /_local/onboarding`. */
export function readPlans(_call: Call, onboarding: Onboarding): Answer {
  return json(200, { plans: onboarding.plans, signups: signupOverview(onboarding) })
}

/** `POST /_local/onboarding`, of any content type. */
export function changePlans({ body }: Call, onboarding: Onboarding): Answer {
  const read = jsonBody<PlanChange>(body, planFaults)
  if ('refused' in read) return read.refused
  onboarding.plan(read.value)
  return done('jobs that start from now on go like that', 200, { plans: onboarding.plans })
}

/** `DELETE /_local/onboarding`. */
export function resetPlans(_call: Call, onboarding: Onboarding): Answer {
  onboarding.resetPlans()
  return done('jobs go as they did when the service started', 200, { plans: onboarding.plans })
}
