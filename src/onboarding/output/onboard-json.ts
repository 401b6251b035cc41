// An onboarding's progress as JSON lines, for machines.

import type { Progress } from '../types.ts'
import { STEPS } from './onboard-steps.ts'

/** @param write one object a line */
export function jsonProgress(write: (event: Readonly<Record<string, unknown>>) => void): Progress {
  return {
    step: ({ step, state, word, polls, elapsedMs }) =>
      write({
        event: 'step',
        step,
        number: STEPS.indexOf(step) + 1,
        of: STEPS.length,
        state,
        ...(word === undefined ? {} : { word }),
        polls,
        elapsed_ms: Math.round(elapsedMs),
      }),
    note: (text) => write({ event: 'note', text }),
  }
}
