// One request of interface A as its endpoint sees it, and what the endpoints of one client have in common: first the token,
// then the client in the path, then the endpoint.

import { refusal } from '../answers.ts'
import type { ReadOrRefused } from '../json-body.ts'
import type { Answer } from '../types.ts'
import { callerByToken } from './identify.ts'
import type { Caller } from './identify.ts'
import type { Onboarding } from './onboarding.ts'
import type { Received } from './read-json.ts'
import type { Client } from './records.ts'
import type { OnboardingRoute } from './route.ts'

export interface Call extends Received {
  readonly route: OnboardingRoute
  /** The address at which the service was reached, without a slash at the end. */
  readonly origin: string
}

/** Acts for a caller on the client in the path: 401, 404, or what `act` answers.
 *  @param identify how the caller has to say who it is */
export function onClient(
  call: Call,
  onboarding: Onboarding,
  act: (client: Client) => Answer,
  identify: (...it: Parameters<typeof callerByToken>) => ReadOrRefused<Caller> = callerByToken,
): Answer {
  const caller = identify(call.headers, onboarding.records, onboarding.now())
  if ('refused' in caller) return caller.refused
  const { clients } = onboarding
  const id = clients.named(call.route.client)
  const client = id === undefined ? undefined : clients.get(id)
  return client ? act(client) : refusal(404, ['the client id in the path is not one of this service'])
}
