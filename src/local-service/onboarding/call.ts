// One request of interface A as its endpoint sees it, and what the endpoints of one client check before they act, in this order:
// the caller, the client in the path, headers and query, the body.

import { refusal } from '../answers.ts'
import type { ReadOrRefused } from '../json-body.ts'
import type { Answer } from '../types.ts'
import { callerByToken } from './identify.ts'
import type { Onboarding } from './onboarding.ts'
import type { Received } from './read-json.ts'
import type { Client } from './records.ts'
import type { OnboardingRoute } from './route.ts'

/** One request of interface A. */
export interface Call extends Received {
  readonly route: OnboardingRoute
  /** The address at which the service was reached, without a slash at the end. */
  readonly origin: string
}

/** Answers a call whose path is the endpoint's. */
export type Handler = (call: Call, onboarding: Onboarding) => Answer

interface Checks<B> {
  /** Finds the caller; callerByToken when absent. */
  readonly identify?: typeof callerByToken
  /** Reasons to refuse headers or query. */
  readonly faults?: (call: Call) => readonly string[]
  /** Reads the body. `body` is `undefined` when absent. */
  readonly read?: (call: Call) => ReadOrRefused<B>
}

/** An endpoint that acts on the client in the path: 401, 404, 400, 413, or what `act` answers. */
export function onClient<B>(
  { identify = callerByToken, faults, read }: Checks<B>,
  act: (client: Client, body: B, onboarding: Onboarding, call: Call) => Answer,
): Handler {
  return (call, onboarding) => {
    const caller = identify(call.headers, onboarding.records, onboarding.now())
    if ('refused' in caller) return caller.refused
    const { clients } = onboarding
    const id = clients.idOf(call.route.client)
    const client = id === undefined ? undefined : clients.get(id)
    if (!client) return refusal(404, ['the client id in the path is not one of this service'])
    const reasons = faults?.(call) ?? []
    if (reasons.length > 0) return refusal(400, reasons)
    const body = read?.(call)
    if (body && 'refused' in body) return body.refused
    return act(client, body?.value as B, onboarding, call)
  }
}
