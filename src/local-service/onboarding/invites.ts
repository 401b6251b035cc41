// Endpoint A4: a user on a client (service-interface.md#a4-invite).

import { z } from 'zod'
import { json, refusal } from '../answers.ts'
import type { Answer } from '../types.ts'
import type { Call } from './call.ts'
import { callerByToken } from './identify.ts'
import type { Onboarding } from './onboarding.ts'
import { members, must, only, readJson, text, whole } from './read-json.ts'

const RIGHT = z.literal([0, 1], must('0 or 1'))

const BODY = members({
  force_create: only(1),
  email: text,
  client_id: whole,
  first_name: text,
  last_name: text,
  client_rights: members({ admin: RIGHT, billing: RIGHT, readonly: RIGHT, technical: RIGHT }),
})

/** A4. The same body twice makes two. */
export function createInvite(call: Call, onboarding: Onboarding): Answer {
  const caller = callerByToken(call.headers, onboarding.records, onboarding.now())
  if ('status' in caller) return caller
  const read = readJson(call, BODY)
  if ('refused' in read) return read.refused
  const { client_id, email } = read.value
  if (!onboarding.clients.has(client_id)) return refusal(404, ['client_id is not a client of this service'])
  const id = onboarding.ids.next()
  const inviterUserId = caller.userId
  onboarding.records.keep(['invite', id, { id, inviterUserId, clientId: client_id, email }])
  return json(201, { id, inviter_user_id: inviterUserId, client_id, email })
}
