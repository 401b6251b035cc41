// Finds the endpoint of interface A (onboarding) for a path (service-interface.md#onboarding-requests), and answers a call, a request to
// such an endpoint: has it seen by hooks, then carried out by the endpoint's handler, under a scripted fault if it gets one.

import type { IncomingMessage } from 'node:http'
import type { Endpoint } from '../../service/contract.ts'
import { done } from '../answers.ts'
import type { Faults } from '../faults.ts'
import { methodsAt } from '../path-table.ts'
import type { ReadBody } from '../read-request.ts'
import type { Ending } from '../types.ts'
import { underFault } from '../under-fault.ts'
import { changeClient, createInvite, createToken, createSignup, readSignup } from './accounts.ts'
import type { Call, Handler } from './call.ts'
import { createDashboards, listJobs, readDashboards, startTest } from './connection-jobs.ts'
import { createConnection, listConnections } from './connections.ts'
import type { Onboarding } from './onboarding.ts'
import type { SeenCall } from './options.ts'

/** Bytes the body of a call may have. */
export const MAX_CALL_BODY = 1024 * 1024

export interface OnboardingRoute extends Pick<Call, 'client' | 'id' | 'query'> {
  readonly kind: 'onboarding'
  readonly endpoint: Endpoint
  readonly handler: Handler
}

const ENDPOINTS: readonly (readonly [method: string, path: string, endpoint: Endpoint, handler: Handler])[] = [
  ['POST', '/v1/tokens', 'A1', createToken],
  ['POST', '/v3/signups', 'A2', createSignup],
  ['GET', '/v3/signups/{id}', 'A3', readSignup],
  ['POST', '/v3/invites', 'A4', createInvite],
  ['PUT', '/v1/clients/{client}', 'A5', changeClient],
  ['POST', '/v1/v2/clients/{client}/connections/input-connections', 'A6', createConnection],
  ['GET', '/v1/v2/clients/{client}/connections/input-connections', 'A7', listConnections],
  ['POST', '/v2/client/{client}/job', 'A8', startTest],
  ['GET', '/v2/client/{client}/job/type/{number}', 'A9', listJobs],
  ['POST', '/v1/clients/{client}/autodash', 'A10', createDashboards],
  ['GET', '/v1/clients/{client}/autodash/{id}', 'A11', readDashboards],
]

/** Names of all endpoints of interface A. */
export const ENDPOINT_NAMES: readonly Endpoint[] = ENDPOINTS.map(([, , endpoint]) => endpoint)

/** Tells whether there is an endpoint of interface A at this path. */
export function isCallPath(path: string): boolean {
  const segments = path.split('/').slice(1)
  return path.startsWith('/') && onboardingPath(segments, '') !== undefined
}

/** Finds the routes of interface A at a path, by their methods. `undefined` when there is none.
 *  @param segments of the path, behind its first slash */
export function onboardingPath(
  segments: readonly string[],
  query: string,
): Readonly<Record<string, OnboardingRoute>> | undefined {
  return methodsAt(ENDPOINTS, segments, ([, , endpoint, handler], { client, id }) => ({
    kind: 'onboarding',
    endpoint,
    handler,
    client,
    id,
    query,
  }))
}

/** Answers a call, even if its sender disconnects meanwhile. Rejects when `closing` aborts, or with what a hook threw. */
export async function answerCall(
  route: OnboardingRoute,
  { method = '', url = '', headers, socket }: IncomingMessage,
  body: ReadBody,
  onboarding: Onboarding,
  { faults, closing }: { readonly faults: Faults; readonly closing: AbortSignal },
): Promise<Ending> {
  const origin = `http://${hostIn(headers.host) ?? `localhost:${socket.localPort}`}`
  const { endpoint, handler, client, id, query } = route
  const bytes = body.kind === 'body' ? body.bytes : Buffer.alloc(0)
  const seen: SeenCall = { endpoint, method, target: url, headers, body: bytes }
  return underFault({
    seen,
    onArrived: onboarding.options.onCall,
    onAnswered: onboarding.options.onAnswered,
    takeFault: () => faults.takeForCall(endpoint, url.split('?', 1)[0]!),
    carryOut: () => handler({ client, id, query, headers, body, origin }, onboarding),
    successAnswer: (status) => done('a scripted answer; nothing was done', status),
    closing,
  })
}

/** The value of a header Host. `undefined` when it is missing or cannot stand in an address. */
function hostIn(host: string | undefined): string | undefined {
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? host : undefined
}
