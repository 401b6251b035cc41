// Answers endpoints A1 to A5 (service-interface.md#onboarding-requests): A2 starts the signup of a client, with no token
// (decisions.md#signups-need-no-token), and A3 tells its state; A1 gives an access token; A4 invites a user; A5 changes a client.

import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { json, refusal, timestamp } from '../answers.ts'
import { mustBe } from '../json-body.ts'
import type { Answer } from '../types.ts'
import { callerByToken, onClient, type Call } from './call.ts'
import type { Onboarding } from './onboarding.ts'
import { startedAt } from './plans.ts'
import { hasSucceeded, wordOf } from './progress.ts'
import { hashOf, secretText, type Change, type Records } from './records.ts'
import { headerFaults, filledText, members, readJson, text, only, wholeNumber, flag, textOrNull } from './read-json.ts'

const SIGNUP = members({
  tier: filledText,
  company: text,
  first_name: text,
  last_name: text,
  email: text,
  role: filledText,
  shop: members({ customer_id: text, subscription_id: text }),
})

/** Answers A2, which starts a signup. The same body twice makes two clients. */
export function createSignup(call: Call, onboarding: Onboarding): Answer {
  const read = readJson(call, SIGNUP)
  if ('refused' in read) return read.refused
  const { company } = read.value
  const id = randomUUID()
  const clientId = onboarding.ids.next()
  const progress = startedAt(onboarding.now(), onboarding.plans.signup)
  const pubkey = sshPublicKey(`client-${clientId}`)
  onboarding.records.keep(
    ['signup', id, { id, clientId, company, pubkey, progress }],
    ['client', clientId, { id: clientId, name: company, signupId: id, properties: null }],
  )
  return json(201, { url: urlOf(id, call), id })
}

/** Answers A3 with the state of a signup, and once it has succeeded with the client's id. */
export function readSignup(call: Call, onboarding: Onboarding): Answer {
  const faults = headerFaults(call.headers, ['content-type'])
  if (faults.length > 0) return refusal(400, faults)
  const signup = onboarding.records.get('signup', call.id ?? '')
  if (signup === undefined) return refusal(404, ['there is no signup of that id'])
  const { id, clientId, pubkey, progress } = signup
  const now = onboarding.now()
  const common = { id, url: urlOf(id, call), status: wordOf(progress, now) }
  return json(200, hasSucceeded(progress, now) ? { ...common, client_id: clientId, pubkey } : common)
}

function urlOf(id: string, { origin }: Call): string {
  return `${origin}/v3/signups/${id}`
}

/** Makes an SSH public key that has no private key, as a line of an authorized_keys file. */
function sshPublicKey(comment: string): string {
  // the type and the 32 bytes of the key, each with its length in front (four bytes)
  const key = Buffer.concat([Buffer.from('\0\0\0\x0bssh-ed25519\0\0\0\x20'), randomBytes(32)])
  return `ssh-ed25519 ${key.toString('base64')} ${comment}`
}

const TOKEN_REQUEST = members({
  username: text,
  password: text,
  grant_type: only('password'),
  scope: only('default'),
  clientId: wholeNumber,
  clientSecret: text,
})

/** Answers A1 with an access token, for a user's password and the secret of an OAuth client, a program, whose id is `clientId`. */
export function createToken(call: Call, onboarding: Onboarding): Answer {
  const read = readJson(call, TOKEN_REQUEST)
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
  const token = secretText()
  records.keep(['token', hashOf(token), { id, userId: user.id, created, expires }], ...removingOld(created, records))
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

/** How long an expired token is remembered, so that its refusal can say that it has expired. */
const REMEMBERED_MS = 3_600_000

/** The changes that remove tokens which expired long ago: else they would gather in a data file.
 *  @param now milliseconds since 1970 */
function removingOld(now: number, records: Records): readonly Change[] {
  const old = records.entries('token').filter(([, { expires }]) => now > expires + REMEMBERED_MS)
  return old.map(([id]): Change => ['token', id, undefined])
}

/** Tells whether a text is the secret, in a time that does not show how much of it is right. False when there is no secret. */
function isSecret(text: string, secret: string | undefined): boolean {
  return secret !== undefined && timingSafeEqual(Buffer.from(hashOf(text)), Buffer.from(hashOf(secret)))
}

const RIGHT = z.literal([0, 1], mustBe('0 or 1'))

const INVITE = members({
  force_create: only(1),
  email: text,
  client_id: wholeNumber,
  first_name: text,
  last_name: text,
  client_rights: members({ admin: RIGHT, billing: RIGHT, readonly: RIGHT, technical: RIGHT }),
})

/** Answers A4, which invites a user of a client. The same body twice makes two invites. */
export function createInvite(call: Call, onboarding: Onboarding): Answer {
  const caller = callerByToken(call.headers, onboarding.records, onboarding.now())
  if ('refused' in caller) return caller.refused
  const read = readJson(call, INVITE)
  if ('refused' in read) return read.refused
  const { client_id, email } = read.value
  if (!onboarding.clients.has(client_id)) return refusal(404, ['client_id is not a client of this service'])
  const id = onboarding.ids.next()
  const inviterUserId = caller.value
  onboarding.records.keep(['invite', id, { id, inviterUserId, clientId: client_id, email }])
  return json(201, { id, inviter_user_id: inviterUserId, client_id, email })
}

const ZERO_OR_ONE = z.enum(['0', '1'], mustBe('"0" or "1"'))

const CLIENT = members({
  name: text,
  properties: members({
    blackout_hours: text,
    default_currency: z.string(mustBe('a currency code')).regex(/^[A-Z]{3}$/, mustBe('a currency code')),
    forced_update_hours: text,
    has_guest_checkout: ZERO_OR_ONE,
    has_privacy_protection: textOrNull,
    hosted_warehouse: textOrNull,
    is_implemented: flag,
    shop_store_db_name: text,
    shop_store_table_prefix: text,
    shop_version: text,
    perform_updates: ZERO_OR_ONE,
    phone_number: textOrNull,
    stale_email_summary_action: text,
    timezone: z.string(mustBe('an IANA zone name')).refine(isZone, mustBe('an IANA zone name')),
    website_url: textOrNull,
    week_start_day: z.string(mustBe('a day number as a string')).regex(/^[0-7]$/, mustBe('a day number as a string')),
  }),
})

/** Answers A5, which changes a client's name and properties, with the client as it is now: the service document shows no answer. */
export const changeClient = onClient({ read: (call) => readJson(call, CLIENT) }, (client, change, { records }) => {
  const changed = { ...client, ...change }
  records.keep(['client', client.id, changed])
  return json(200, { id: changed.id, name: changed.name, properties: changed.properties })
})

function isZone(name: string): boolean {
  // Intl also takes offsets such as +01:00, which are no names of zones
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
