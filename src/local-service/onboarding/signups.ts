// Endpoints A2 and A3: a client is signed up by a job (service-interface.md#a2-sign-up,
// service-interface.md#a3-poll-the-signup). They ask for no token (decisions.md#signups-need-no-token).

import { json, refusal } from '../answers.ts'
import type { Answer } from '../types.ts'
import { headerFaults } from './call.ts'
import type { Call } from './call.ts'
import type { Onboarding } from './onboarding.ts'
import { startedAt } from './plans.ts'
import { hasSucceeded, wordOf } from './progress.ts'
import { sshPublicKey, uuid } from './random-texts.ts'
import { filledText, members, readJson, text } from './read-json.ts'

const BODY = members({
  tier: filledText,
  company: text,
  first_name: text,
  last_name: text,
  email: text,
  role: filledText,
  shop: members({ customer_id: text, subscription_id: text }),
})

/** A2. The same body twice makes two clients. */
export function createSignup(call: Call, onboarding: Onboarding): Answer {
  const read = readJson(call, BODY)
  if ('refused' in read) return read.refused
  const { company } = read.value
  const id = uuid(onboarding.random)
  const clientId = onboarding.ids.next()
  const progress = startedAt(onboarding.now(), onboarding.plans.signup)
  const pubkey = sshPublicKey(onboarding.random, `client-${clientId}`)
  onboarding.records.keep(
    ['signup', id, { id, clientId, company, pubkey, progress }],
    ['client', clientId, { id: clientId, name: company, signupId: id, properties: null }],
  )
  return json(201, { url: urlOf(id, call), id })
}

/** A3. */
export function readSignup(call: Call, onboarding: Onboarding): Answer {
  const faults = headerFaults(call.headers, ['content-type'])
  if (faults.length > 0) return refusal(400, faults)
  const signup = onboarding.records.get('signup', call.route.id ?? '')
  if (signup === undefined) return refusal(404, ['there is no signup of that id'])
  const { id, clientId, pubkey, progress } = signup
  const now = onboarding.now()
  const common = { id, url: urlOf(id, call), status: wordOf(progress, now) }
  return json(200, hasSucceeded(progress, now) ? { ...common, client_id: clientId, pubkey } : common)
}

function urlOf(id: string, { origin }: Call): string {
  return `${origin}/v3/signups/${id}`
}
