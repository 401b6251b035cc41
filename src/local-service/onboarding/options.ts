// The options of interface A (onboarding) with which a local service is started, and their defaults.

import type { IncomingHttpHeaders } from 'node:http'
import { ConnectorError, NO_CODE } from '../../core/errors.ts'
import type { PlanChange } from './plans.ts'

/** One call as the hooks `onCall` and `onAnswered` see it: nothing is masked. Both get the same object. `endpoint` is A1 to A11. */
export interface SeenCall {
  readonly endpoint: string
  readonly method: string
  /** The path as it was requested, with its query. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

export interface OnboardingOptions {
  /** Users who may ask for tokens; DEFAULT_USER when absent. */
  readonly users?: readonly { readonly name: string; readonly password: string }[]
  /** Oauth clients: `clientId` and `clientSecret` of a token request; DEFAULT_OAUTH when absent. */
  readonly oauth?: readonly { readonly id: number; readonly secret: string }[]
  /** How long an access token is good; TOKEN_SECONDS when absent. */
  readonly tokenSeconds?: number
  /** How jobs go, and where the list of connections shows a status; DEFAULT_PLANS for what is absent. */
  readonly plans?: PlanChange
  /** Called when a call has arrived whole; nothing is done with it before the promise resolves. A throw becomes a 500. */
  readonly onCall?: (call: SeenCall) => void | Promise<void>
  /** Called with the same call when it is about to be answered; with `reset` when its connection is closed without an answer. */
  readonly onAnswered?: (call: SeenCall, status: number | 'reset') => void
}

/** The user and the oauth client that exist when none are given, for trying things out. */
export const DEFAULT_USER = { name: 'demo@example.com', password: 'demo-password' } as const
export const DEFAULT_OAUTH = { id: 1, secret: 'demo-secret' } as const

/** See service-interface.md#limits. */
export const TOKEN_SECONDS = 14_400

/** Passwords by user name. Throws a ConnectorError (config) that shows no password. */
export function usersOf({ users = [DEFAULT_USER] }: OnboardingOptions): ReadonlyMap<string, string> {
  const pairs = users.map(({ name, password }) => [name, password] as const)
  return eachOnce(pairs, (name) => `user ${JSON.stringify(name)}`)
}

/** Secrets by the ids of oauth clients. Throws a ConnectorError (config) that shows no secret. */
export function oauthOf({ oauth = [DEFAULT_OAUTH] }: OnboardingOptions): ReadonlyMap<number, string> {
  for (const { id } of oauth)
    if (!Number.isSafeInteger(id) || id < 0)
      throw new ConnectorError('config', NO_CODE, `The id of an oauth client is a whole number from 0, found ${id}.`)
  const pairs = oauth.map(({ id, secret }) => [id, secret] as const)
  return eachOnce(pairs, (id) => `oauth client ${id}`)
}

/** A map of pairs. Throws a ConnectorError (config) when a key occurs twice, with the words that `what` has for it. */
function eachOnce<K>(pairs: readonly (readonly [K, string])[], what: (key: K) => string): ReadonlyMap<K, string> {
  const secrets = new Map<K, string>()
  for (const [key, secret] of pairs) {
    if (secrets.has(key)) throw new ConnectorError('config', NO_CODE, `The ${what(key)} is there twice.`)
    secrets.set(key, secret)
  }
  return secrets
}
