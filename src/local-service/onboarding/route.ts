// Which endpoint of interface A a request line names (service-interface.md#onboarding-requests).

import type { Endpoint } from '../../service/contract.ts'
import { methodsAt, parametersIn } from '../path-table.ts'

export interface OnboardingRoute {
  readonly kind: 'onboarding'
  readonly endpoint: Endpoint
  /** The client's id as in the path, percent-decoded; undefined when malformed, or where the path names none. */
  readonly client?: string | undefined
  /** The same of the job's id. */
  readonly id?: string | undefined
  readonly query: string
}

const ENDPOINTS: readonly (readonly [method: string, path: string, endpoint: Endpoint])[] = [
  ['POST', '/v1/tokens', 'A1'],
  ['POST', '/v3/signups', 'A2'],
  ['GET', '/v3/signups/{id}', 'A3'],
  ['POST', '/v3/invites', 'A4'],
  ['PUT', '/v1/clients/{client}', 'A5'],
  ['POST', '/v1/v2/clients/{client}/connections/input-connections', 'A6'],
  ['GET', '/v1/v2/clients/{client}/connections/input-connections', 'A7'],
  ['POST', '/v2/client/{client}/job', 'A8'],
  ['GET', '/v2/client/{client}/job/type/{number}', 'A9'],
  ['POST', '/v1/clients/{client}/autodash', 'A10'],
  ['GET', '/v1/clients/{client}/autodash/{id}', 'A11'],
]

/** Every endpoint there is. */
export const ENDPOINT_NAMES: readonly Endpoint[] = ENDPOINTS.map(([, , endpoint]) => endpoint)

/** Tells whether there is an endpoint of interface A at this path. */
export function isCallPath(path: string): boolean {
  const segments = path.split('/').slice(1)
  return path.startsWith('/') && ENDPOINTS.some(([, pattern]) => parametersIn(pattern, segments) !== undefined)
}

/** The routes at this path by their methods. `undefined` when there is none of interface A. `segments`: of the path,
 *  behind its first slash. */
export function onboardingPath(
  segments: readonly string[],
  query: string,
): Readonly<Record<string, OnboardingRoute>> | undefined {
  return methodsAt(ENDPOINTS, segments, ([, , endpoint], parameters) => ({
    kind: 'onboarding',
    endpoint,
    ...parameters,
    query,
  }))
}
