// The options of `serve` for onboarding, and the lines its greeting has about it. Shows no password and no secret that was given.

import { ConnectorError } from '../../core/errors.ts'
import { DEFAULT_OAUTH, DEFAULT_USER } from '../../local-service/onboarding/options.ts'
import type { OauthOption, OnboardingOptions, UserOption } from '../../local-service/onboarding/options.ts'
import { JOB_KINDS } from '../../local-service/onboarding/plans.ts'
import type { LocalService } from '../../local-service/start.ts'
import { printable } from '../../text/printable.ts'

export interface ServeOnboardingOptions {
  /** `NAME:PASSWORD`, a password may hold colons; default DEFAULT_USER. */
  readonly user?: readonly string[] | undefined
  /** `ID:SECRET`, a secret may hold colons; default DEFAULT_OAUTH. */
  readonly oauth?: readonly string[] | undefined
  readonly tokenSeconds?: number | undefined
  readonly jobSeconds?: number | undefined
}

/** Undefined: all is as it is by default. Throws a ConnectorError (config) that says what is wrong, and shows no secret. */
export function onboardingValues(options: ServeOnboardingOptions): OnboardingOptions | undefined {
  const { user, oauth, tokenSeconds, jobSeconds } = options
  const plan = jobSeconds === undefined ? undefined : { durationMs: jobSeconds * 1000 }
  const values = {
    ...(user?.length ? { users: user.map(userOf) } : {}),
    ...(oauth?.length ? { oauth: oauth.map(oauthOf) } : {}),
    ...(tokenSeconds === undefined ? {} : { tokenSeconds }),
    ...(plan === undefined ? {} : { plans: Object.fromEntries(JOB_KINDS.map((kind) => [kind, plan])) }),
  }
  return Object.keys(values).length === 0 ? undefined : values
}

/** For the greeting: where interface A is, and who may log in. */
export function onboardingLines(
  { url }: LocalService,
  { users, oauth }: OnboardingOptions,
): readonly (readonly [label: string, text: string])[] {
  return [
    ['onboarding', `${url} is base_url and dashboard_url`],
    ...(users ?? [undefined]).map((user) => ['user', userLine(user)] as const),
    ...(oauth ?? [undefined]).map((client) => ['oauth client', oauthLine(client)] as const),
    ['clients', `${url}/_local/clients`],
    ['jobs', `${url}/_local/jobs`],
  ]
}

function userLine(given: UserOption | undefined): string {
  if (given) return `username ${printable(given.name)}, password as given`
  return `username ${DEFAULT_USER.name}, password ${DEFAULT_USER.password}`
}

function oauthLine(given: OauthOption | undefined): string {
  if (given) return `clientId ${given.id}, clientSecret as given`
  return `clientId ${DEFAULT_OAUTH.id}, clientSecret ${DEFAULT_OAUTH.secret}`
}

function userOf(text: string): UserOption {
  const { before: name, after: password } = parts(text)
  // The text may be a password alone: it is not shown.
  if (name === '' || password === '') throw wrong('--user', 'NAME:PASSWORD, such as demo@example.com:demo-password')
  return { name, password }
}

function oauthOf(text: string): OauthOption {
  const { before: id, after: secret } = parts(text)
  if (!/^(?:0|[1-9]\d*)$/.test(id) || secret === '') throw wrong('--oauth', 'ID:SECRET, a whole number first')
  return { id: Number(id), secret }
}

function parts(text: string): { readonly before: string; readonly after: string } {
  const colon = text.indexOf(':')
  return { before: text.slice(0, Math.max(colon, 0)), after: text.slice(colon + 1) }
}

function wrong(option: string, what: string): ConnectorError {
  return new ConnectorError('config', `Wrong ${option}: it is ${what}.`)
}
