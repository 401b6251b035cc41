// Access tokens: made, known again, expired. Keeps their hashes only. Knows no header and no password.

import { hashOf } from './hash.ts'
import type { Change, Records, Token } from './records.ts'

/** How long an expired token is still told from one that never was. */
const REMEMBERED_MS = 3_600_000

export type Standing = { readonly userId: number } | 'expired' | 'unknown'

/** Remembers `text` as a good access token, and forgets those that expired long ago. `now`: milliseconds since 1970. */
export function keepToken(text: string, token: Token, records: Records, now: number): void {
  const old: Change[] = records
    .entries('token')
    .filter(([, { expires }]) => now > expires + REMEMBERED_MS)
    .map(([id]): Change => ['token', id, undefined])
  records.keep(['token', hashOf(text), token], ...old)
}

export function standingOf(text: string, records: Records, now: number): Standing {
  const token = records.get('token', hashOf(text))
  if (token === undefined) return 'unknown'
  return now < token.expires ? { userId: token.userId } : 'expired'
}
