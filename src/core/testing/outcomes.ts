// For tests: what an attempt may come to.

import type { Outcome, RetryCause } from '../types.ts'

export const delivered: Outcome = { status: 'delivered' }

export const again = (cause: RetryCause, congestion: boolean, afterMs?: number): Outcome => ({
  status: 'retry',
  cause,
  ambiguous: false,
  congestion,
  reason: 'no',
  ...(afterMs === undefined ? {} : { afterMs }),
})
