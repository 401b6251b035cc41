// How a run halts in the middle of a step without having failed: the process was told to stop, or the user must decide. The next
// run continues from the journal.

import type { Creating } from './journal-entries.ts'
import { questionAbout } from './questions.ts'
import type { Run } from './types.ts'

/** asks: the user must look at what the service holds before anything more is created. */
export type Halt = { readonly status: 'stopped' } | { readonly status: 'asks'; readonly question: string }

/** Thrown by a step; only `runOnboarding` catches it. */
export class Halted extends Error {
  override readonly name = 'Halted'
  readonly halt: Halt

  constructor(halt: Halt) {
    super(halt.status)
    this.halt = halt
  }
}

export function haltIfStopped({ signal }: Pick<Run, 'signal'>): void {
  if (signal.aborted) throw new Halted({ status: 'stopped' })
}

/** Halts the run, because it is not known whether a request has created something.
 *  @param found what a list of the service shows, as a sentence */
export function askUser({ journal: { known }, plan }: Run, creating: Creating, found?: string): never {
  const question = questionAbout(creating, known.made[creating], plan, known.clientId, found)
  throw new Halted({ status: 'asks', question })
}
