// What the requests of an onboarding go by. Types only.

import type { Secret } from '../../core/secret.ts'

/** What later requests carry of A1's answer. `userId`: a placeholder where requests are only shown. */
export interface Session {
  readonly token: Secret
  readonly userId: Id
}

/** A number; a text where requests are only shown. */
export type Id = number | string
