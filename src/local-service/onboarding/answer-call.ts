// One call of interface A from its arrival to its ending: hooks, scripted faults, endpoint.

import type { IncomingMessage } from 'node:http'
import type { Endpoint } from '../../service/contract.ts'
import { done } from '../answers.ts'
import { underFault } from '../under-fault.ts'
import type { Faults } from '../faults.ts'
import type { ReadBody } from '../read-request.ts'
import type { Ending } from '../types.ts'
import { changeClient, createInvite, createToken, createSignup, readSignup } from './accounts.ts'
import type { Handler } from './call.ts'
import { createDashboards, listJobs, readDashboards, startTest } from './connection-jobs.ts'
import { createConnection, listConnections } from './connections.ts'
import type { Onboarding } from './onboarding.ts'
import type { SeenCall } from './options.ts'
import type { OnboardingRoute } from './route.ts'

/** Bytes the body of a call may have. */
export const MAX_CALL_BODY = 1024 * 1024

const HANDLERS: Readonly<Record<Endpoint, Handler>> = {
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
}

/** Carries the call out even if its sender goes meanwhile. Rejects when `closing` aborts, or with what a hook threw. */
export async function answerCall(
  route: OnboardingRoute,
  { method = '', url = '', headers, socket }: IncomingMessage,
  body: ReadBody,
  onboarding: Onboarding,
  { faults, closing }: { readonly faults: Faults; readonly closing: AbortSignal },
): Promise<Ending> {
  const origin = `http://${hostIn(headers.host) ?? `localhost:${socket.localPort}`}`
  const { endpoint } = route
  const bytes = body.kind === 'body' ? body.bytes : Buffer.alloc(0)
  const seen: SeenCall = { endpoint, method, target: url, headers, body: bytes }
  return underFault({
    seen,
    onArrived: onboarding.options.onCall,
    onAnswered: onboarding.options.onAnswered,
    fault: () => faults.takeForCall(endpoint, url.split('?', 1)[0]!),
    carryOut: () => HANDLERS[endpoint]({ route, headers, body, origin }, onboarding),
    success: (status) => done('a scripted answer; nothing was done', status),
    closing,
  })
}

/** The host of a header, if it can stand in an address. */
function hostIn(host: string | undefined): string | undefined {
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? host : undefined
}
