// What the client and the local service both take from the service document (docs/service-interface.md): paths, limits, shapes. The document
// numbers requests: A1 to A11 are those of onboarding, B1 to B3 those of the import interface.

/** The most points in one upsert (service-interface.md#limits). */
export const MAX_POINTS = 100

/** The form of a table's name, which may have any length (decisions.md#table-names-have-no-length-limit). */
export const TABLE_NAME = /^[A-Za-z0-9_]+$/

/** The query parameter that carries the API key. */
export const KEY_PARAMETER = 'apikey'

/** Endpoints of onboarding (service-interface.md#onboarding-requests). */
export type Endpoint = 'A1' | 'A2' | 'A3' | 'A4' | 'A5' | 'A6' | 'A7' | 'A8' | 'A9' | 'A10' | 'A11'

/** The path of B1: is the service there? */
export const STATUS_PATH = '/'

/** The path of B2, without its query: is this the key of this client? */
export function authenticatePath(clientId: number | string): string {
  return `/v2/client/${encodeURIComponent(clientId)}/authenticate`
}

/** The path of B3, the upsert, without its query. */
export function upsertPath(clientId: number | string, table: string): string {
  return `/v2/client/${encodeURIComponent(clientId)}/table/${encodeURIComponent(table)}/data`
}

/** The body of the local service's errors (decisions.md#every-local-answer-is-json). The document shows no such body, so another service may send any. */
export interface ErrorAnswer {
  readonly code: number
  readonly message: string
  readonly reasons: readonly string[]
}
