// Endpoint A1: an access token for somebody who knows a password and an oauth client's secret
// (service-interface.md#a1-access-token).

import { timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../core/secret.ts'
import { json, refusal, timestamp } from '../answers.ts'
import type { Answer } from '../types.ts'
import type { Call } from './call.ts'
import { keepToken } from './identify.ts'
import type { Onboarding } from './onboarding.ts'
import { hashOf, secretText } from './random-texts.ts'
import { members, only, readJson, text, whole } from './read-json.ts'

const BODY = members({
  username: text,
  password: text,
  grant_type: only('password'),
  scope: only('default'),
  clientId: whole,
  clientSecret: text,
})

export function createToken(call: Call, onboarding: Onboarding): Answer {
  const read = readJson(call, BODY)
  if ('refused' in read) return read.refused
  const { username, password, grant_type, scope, clientId, clientSecret } = read.value
  const { records, users, oauth, tokenSeconds } = onboarding
  const isUser = isSecret(password, users.get(username))
  const isOauth = isSecret(clientSecret, oauth.get(clientId))
  const user = records.get('login', username)
  if (!isUser || !isOauth || user === undefined) {
    return refusal(401, ['username, password, clientId and clientSecret are not those of a user of this service'])
  }
  const created = onboarding.now()
  const expires = created + tokenSeconds * 1000
  const id = onboarding.ids.next()
  const token = secretText(onboarding.random)
  keepToken(token, { id, userId: user.id, created, expires }, records, created)
  return json(201, {
    id,
    access_token: token,
    token_type: 'bearer',
    scope,
    grant_type,
    user_id: user.id,
    oauth_client_id: clientId,
    client_id: null,
    refresh_token: null,
    expires_in: tokenSeconds,
    create_at: timestamp(created),
    refreshed_at: timestamp(created),
    expires_at: timestamp(expires),
  })
}

/** In a time that does not tell how much of it is right. */
function isSecret(text: string, secret: Secret | undefined): boolean {
  return secret !== undefined && timingSafeEqual(Buffer.from(hashOf(text)), Buffer.from(hashOf(secret.reveal())))
}
