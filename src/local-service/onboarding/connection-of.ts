// A connection as a request names it: by its id or its meta_id (assumptions 34). No two things share a number (ids.ts).

import type { Onboarding } from './onboarding.ts'
import type { Connection } from './records.ts'

/** Undefined: the client has none of that number. */
export function connectionOf(number: number, clientId: number, { records }: Onboarding): Connection | undefined {
  const named = records.get('connection', number) ?? records.all('connection').find(({ metaId }) => metaId === number)
  return named?.clientId === clientId ? named : undefined
}
