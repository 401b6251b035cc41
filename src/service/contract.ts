// What client and local service both take from the service document: paths, limits, shapes (sections 2.8, 4.B, 7, 8).
// Knows no HTTP library, no key, no address.

/** Points in one upsert (service document 8). */
export const MAX_POINTS = 100

/** Service document 2.8; assumptions 5: no length limit is shown. */
export const TABLE_NAME = /^[A-Za-z0-9_]+$/

/** The query parameter that carries the API key. */
export const KEY_PARAMETER = 'apikey'

/** Of onboarding (service document 4.A). */
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

/** An error (assumptions 2). The document shows no shape: a client must live with any body. */
export interface ErrorAnswer {
  readonly code: number
  readonly message: string
  readonly reasons: readonly string[]
}
