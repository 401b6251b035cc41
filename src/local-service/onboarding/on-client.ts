// What the endpoints of one client have in common: first the token, then the client in the path, then the endpoint.

import { refusal } from '../answers.ts'
import type { Answer } from '../types.ts'
import type { Call } from './call.ts'
import { type Caller, callerByToken } from './identify.ts'
import type { Onboarding } from './onboarding.ts'
import type { Client } from './records.ts'

/** 401, 404, or what `act` answers. `identify`: how the caller has to say who it is. */
export function onClient(
  call: Call,
  onboarding: Onboarding,
  act: (client: Client) => Answer,
  identify: (...it: Parameters<typeof callerByToken>) => Caller | Answer = callerByToken,
): Answer {
  const caller = identify(call.headers, onboarding.records, onboarding.now())
  if ('status' in caller) return caller
  const client = onboarding.clients.named(call.route.client)
  return client ? act(client) : refusal(404, ['the client id in the path is not one of this service'])
}
