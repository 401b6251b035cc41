// What client and local service both take from the service document (docs/service-interface.md): paths, limits, shapes. By its names A1 to
// A11 are the requests of onboarding, B1 to B3 those of the import interface.

/** Points in one upsert (service-interface.md#limits). */
export const MAX_POINTS = 100

/** No length limit is shown: decisions.md#table-names-have-no-length-limit. */
export const TABLE_NAME = /^[A-Za-z0-9_]+$/

/** The query parameter that carries the API key. */
export const KEY_PARAMETER = 'apikey'

/** Endpoints of onboarding (service-interface.md#onboarding-requests). */
export type Endpoint = 'A1' | 'A2' | 'A3' | 'A4' | 'A5' | 'A6' | 'A7' | 'A8' | 'A9' | 'A10' | 'A11'

/** B1. */
export const STATUS_PATH = '/'

/** B2, without the query. */
export function authenticatePath(clientId: number | string): string {
  return `/v2/client/${encodeURIComponent(clientId)}/authenticate`
}

/** B3, without the query. */
export function upsertPath(clientId: number | string, table: string): string {
  return `/v2/client/${encodeURIComponent(clientId)}/table/${encodeURIComponent(table)}/data`
}

/** An error (decisions.md#every-local-answer-is-json). The document shows no shape: a client must live with any
 *  body. */
export interface ErrorAnswer {
  readonly code: number
  readonly message: string
  readonly reasons: readonly string[]
}
