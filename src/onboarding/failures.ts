// Makes the errors that end an onboarding because a request fails. Their messages say what failed, what was found, and what to do.

import { ConnectorError, NO_CODE } from '../core/errors.ts'
import type { Endpoint } from '../service/contract.ts'
import { named, type CallOutcome, type TemporaryFailure } from '../service/onboarding/onboarding-outcome.ts'

const RERUN = 'run the same command again: nothing is created twice.'
const THEN_RERUN = `Then ${RERUN}`

export function failure(kind: ConnectorError['kind'], message: string): ConnectorError {
  return new ConnectorError(kind, NO_CODE, message)
}

/** The error for an outcome that a retry would not change. */
export function failureOf(
  endpoint: Endpoint,
  outcome: Exclude<CallOutcome<unknown>, { status: 'answered' | 'retry' }>,
): Error {
  if (outcome.status === 'refused') return refused(endpoint, outcome.code, outcome.reason)
  return outcome.status === 'stop' ? outcome.error : unreadableAnswer(outcome.reason)
}

/** Sentences on what to do when the service refuses a request, by endpoint. */
const REFUSAL_REMEDIES: Readonly<Record<Endpoint, string>> = {
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

/** The error for a 4xx. `reason` begins with the name of the endpoint. */
function refused(endpoint: Endpoint, code: number, reason: string): ConnectorError {
  const isForbidden = endpoint !== 'A1' && (code === 401 || code === 403)
  const remedy = isForbidden ? 'Check that the user of login may do this for this client.' : REFUSAL_REMEDIES[endpoint]
  const place = code === 404 || code === 405 ? ' Check also that the address is the right one.' : ''
  return failure('config', `${reason}. ${remedy}${place} ${THEN_RERUN}`)
}

/** The error for a 2xx answer that cannot be read, to a request that may be sent twice. */
function unreadableAnswer(reason: string): ConnectorError {
  return failure(
    'config',
    `${reason}. This is not what the documentation of the service shows: check the address and any proxy in between. ${THEN_RERUN}`,
  )
}

/** The error for a temporary failure that lasted too long. @param limit names of the options that say how long it may last */
export function exhausted(
  { reason, remedy, afterMs }: Pick<TemporaryFailure, 'reason' | 'remedy' | 'afterMs'>,
  tries: number,
  spentMs: number,
  limit: string,
): ConnectorError {
  const asked = afterMs === undefined ? '' : `, and it asks to wait ${Math.round(afterMs / 1_000)} s`
  const times = tries === 1 ? 'once' : `${tries} times`
  const more = remedy === undefined ? '' : ` ${remedy}`
  return failure(
    'transient',
    `${reason}${asked}. Tried ${times} in ${seconds(spentMs)} s (${limit}).${more} When the service is back, ${RERUN}`,
  )
}

/** The error for a job that does not end in time. @param what a clause that says so @param limit name of the option for the time */
export function overdue(
  endpoint: Endpoint,
  what: string,
  polls: number,
  spentMs: number,
  limit: string,
): ConnectorError {
  const times = polls === 1 ? 'once' : `${polls} times`
  return failure(
    'transient',
    `${named(endpoint)}: ${what}. Asked ${times} in ${seconds(spentMs)} s (${limit}). To keep waiting, ${RERUN} If the status stays as it is, ask the operator of the service.`,
  )
}

export function outOfTime(endpoint: Endpoint): ConnectorError {
  return failure('transient', `No time was left for ${named(endpoint)} (timeouts.total_seconds). To continue, ${RERUN}`)
}

function seconds(ms: number): string {
  return ms < 10_000 ? (ms / 1_000).toFixed(1) : String(Math.round(ms / 1_000))
}
