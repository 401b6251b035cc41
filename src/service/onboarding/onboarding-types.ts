// What the requests of an onboarding go by. Types only.

import type { Secret } from '../../core/secret.ts'

/** Service document 4.A. */
export type Endpoint = 'A1' | 'A2' | 'A3' | 'A4' | 'A5' | 'A6' | 'A7' | 'A8' | 'A9' | 'A10' | 'A11'

/** What later requests carry of A1's answer. `userId`: a placeholder where requests are only shown. */
export interface Session {
  readonly token: Secret
  readonly userId: Id
}

/** A number; a text where requests are only shown. */
export type Id = number | string
