// The paths under /_local that are about interface A: its clients, their import keys, what becomes of jobs. They ask for
// no token.

import { done, json, refusal } from '../answers.ts'
import { jsonBody } from '../local-request.ts'
import type { Answer } from '../types.ts'
import type { Call } from './call.ts'
import type { Onboarding } from './onboarding.ts'
import { clientOverview, jobStates, signupOverview } from './overview.ts'
import { planFaults } from './plans.ts'
import type { PlanChange } from './plans.ts'

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
  const read = jsonBody(body)
  if ('refused' in read) return read.refused
  const reasons = planFaults(read.value)
  if (reasons.length > 0) return refusal(400, reasons)
  onboarding.plan(read.value as PlanChange)
  return done('jobs that start from now on go like that', 200, { plans: onboarding.plans })
}

/** `DELETE /_local/onboarding`. */
export function resetPlans(_call: Call, onboarding: Onboarding): Answer {
  onboarding.resetPlans()
  return done('jobs go as they did when the service started', 200, { plans: onboarding.plans })
}
