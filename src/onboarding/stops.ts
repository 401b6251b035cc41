// What stops an onboarding, in words: what failed, what was found, what to do. Pure.

import { ConnectorError } from '../core/errors.ts'
import { named } from '../service/onboarding/onboarding-outcome.ts'
import type { Passing } from '../service/onboarding/onboarding-outcome.ts'
import type { Endpoint } from '../service/contract.ts'

/** What a person can do about a refusal, by endpoint. */
const CORRECT: Readonly<Record<Endpoint, string>> = {
  A1: 'Check login.username, login.password, login.client_id and login.client_secret, and base_url.',
  A2: 'Check the members of client, and base_url.',
  A3: 'Check base_url; if it is right, ask the operator of the service what became of the signup.',
  A4: 'Check the members of user.',
  A5: 'Check the members of properties.',
  A6: 'Check the members of connection.',
  A7: 'Check that login may see the connections of this client.',
  A8: 'Check dashboard_url, and that login may start jobs for this client.',
  A9: 'Check dashboard_url and connection_test.poll_number.',
  A10: 'Check the members of dashboards, dashboards.package above all.',
  A11: 'Ask the operator of the service what became of the dashboards.',
}

/** A 4xx. `reason` begins with the endpoint. */
export function refused(endpoint: Endpoint, code: number, reason: string): ConnectorError {
  const access = code === 401 || code === 403
  const words =
    endpoint !== 'A1' && access ? 'Check that the user of login may do this for this client.' : CORRECT[endpoint]
  const place = code === 404 || code === 405 ? ' Check also that the address is the right one.' : ''
  return new ConnectorError('config', `${reason}. ${words}${place} ${AGAIN}`)
}

/** A 2xx that is not what it should be, of a request that may be sent twice. */
export function unreadableAnswer(reason: string): ConnectorError {
  return new ConnectorError(
    'config',
    `${reason}. This is not what the service document shows: check the address and what stands between. ${AGAIN}`,
  )
}

/** `spentMs` of `limit`, an option. */
export function exhausted(
  { reason, remedy, afterMs }: Pick<Passing, 'reason' | 'remedy' | 'afterMs'>,
  tries: number,
  spentMs: number,
  limit: string,
): ConnectorError {
  const asked = afterMs === undefined ? '' : `, and it asks to wait ${Math.round(afterMs / 1_000)} s`
  const times = tries === 1 ? 'once' : `${tries} times`
  const more = remedy === undefined ? '' : ` ${remedy}`
  return new ConnectorError(
    'transient',
    `${reason}${asked}. Tried ${times} in ${seconds(spentMs)} s (${limit}).${more} When the service is back, ${again}`,
  )
}

/** A job that is not over in time. */
export function overdue(
  endpoint: Endpoint,
  what: string,
  polls: number,
  spentMs: number,
  limit: string,
): ConnectorError {
  const times = polls === 1 ? 'once' : `${polls} times`
  return new ConnectorError(
    'transient',
    `${named(endpoint)}: ${what}. Asked ${times} in ${seconds(spentMs)} s (${limit}). To go on waiting, ${again}`,
  )
}

/** The total time is over before a request. */
export function outOfTime(endpoint: Endpoint): ConnectorError {
  return new ConnectorError(
    'transient',
    `No time was left for ${named(endpoint)} (timeouts.total_seconds). To go on, ${again}`,
  )
}

const again = 'run the same command again: what is made already is not made twice.'
const AGAIN = `Then ${again}`

function seconds(ms: number): string {
  return ms < 10_000 ? (ms / 1_000).toFixed(1) : String(Math.round(ms / 1_000))
}
