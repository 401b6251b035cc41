// Which endpoint of interface A a request line names (service-interface.md#onboarding-requests), and which of our own
// paths about it.

import type { Endpoint } from '../../service/contract.ts'
import { percentDecoded } from '../read-request.ts'

/** Ours, under `/_local` (service-interface.md#our-own-paths). */
export type LocalEndpoint =
  | 'list-clients'
  | 'make-import-key'
  | 'list-job-states'
  | 'read-plans'
  | 'change-plans'
  | 'reset-plans'

interface Places {
  /** The client's id as in the path, percent-decoded; undefined when malformed. '' where the path names none. */
  readonly client: string | undefined
  /** The same of the job's id, or of the number behind `type`. */
  readonly id: string | undefined
  readonly query: string
}

export type OnboardingRoute =
  | ({ readonly kind: 'onboarding'; readonly endpoint: Endpoint } & Places)
  | ({ readonly kind: 'onboarding-local'; readonly endpoint: LocalEndpoint } & Places)

type Path<E> = readonly [endpoint: E, method: string, path: string]

const ENDPOINTS: readonly Path<Endpoint>[] = [
  ['A1', 'POST', '/v1/tokens'],
  ['A2', 'POST', '/v3/signups'],
  ['A3', 'GET', '/v3/signups/{id}'],
  ['A4', 'POST', '/v3/invites'],
  ['A5', 'PUT', '/v1/clients/{client}'],
  ['A6', 'POST', '/v1/v2/clients/{client}/connections/input-connections'],
  ['A7', 'GET', '/v1/v2/clients/{client}/connections/input-connections'],
  ['A8', 'POST', '/v2/client/{client}/job'],
  ['A9', 'GET', '/v2/client/{client}/job/type/{number}'],
  ['A10', 'POST', '/v1/clients/{client}/autodash'],
  ['A11', 'GET', '/v1/clients/{client}/autodash/{id}'],
]

const LOCAL: readonly Path<LocalEndpoint>[] = [
  ['list-clients', 'GET', '/_local/clients'],
  ['make-import-key', 'POST', '/_local/clients/{client}/import-keys'],
  ['list-job-states', 'GET', '/_local/jobs'],
  ['read-plans', 'GET', '/_local/onboarding'],
  ['change-plans', 'POST', '/_local/onboarding'],
  ['reset-plans', 'DELETE', '/_local/onboarding'],
]

/** Every endpoint there is. */
export const ENDPOINT_NAMES: readonly Endpoint[] = ENDPOINTS.map(([endpoint]) => endpoint)

/** Is there an endpoint of interface A at this path? */
export function isCallPath(path: string): boolean {
  const segments = path.split('/').slice(1)
  return path.startsWith('/') && ENDPOINTS.some(([, , pattern]) => placesIn(pattern, segments) !== undefined)
}

/** The routes at this path by their methods; undefined: none of ours. `segments`: of the path, from its first slash on. */
export function onboardingPath(
  segments: readonly string[],
  query: string,
): Readonly<Record<string, OnboardingRoute>> | undefined {
  const found: Record<string, OnboardingRoute> = {}
  for (const [endpoint, method, path] of ENDPOINTS) {
    const places = placesIn(path, segments)
    if (places) found[method] = { kind: 'onboarding', endpoint, ...places, query }
  }
  for (const [endpoint, method, path] of LOCAL) {
    const places = placesIn(path, segments)
    if (places) found[method] = { kind: 'onboarding-local', endpoint, ...places, query }
  }
  return Object.keys(found).length === 0 ? undefined : found
}

/** Undefined: it is another path. */
function placesIn(path: string, segments: readonly string[]): Omit<Places, 'query'> | undefined {
  const wanted = path.split('/').slice(1)
  if (wanted.length !== segments.length) return undefined
  let client: string | undefined = ''
  let id: string | undefined = ''
  for (const [index, want] of wanted.entries()) {
    const segment = segments[index]!
    if (segment === '' || (want === '{number}' && !/^\d+$/.test(segment))) return undefined
    if (want === '{client}') client = percentDecoded(segment)
    else if (want.startsWith('{')) id = percentDecoded(segment)
    else if (want !== segment) return undefined
  }
  return { client, id }
}
