// Finds out whether something exists whose request has no answer in the journal: by a list of the service, or by the user.

import type { Creating } from './journal-entries.ts'
import { questionAbout } from './questions.ts'
import { pollPause, requestUntilAnswered } from './retry.ts'
import type { CallAttempt } from './sessions.ts'
import { Halted, haltIfStopped } from './types.ts'
import type { Run } from './types.ts'

/** Requests a list until it shows what was created; a few times, because the list may lag behind.
 *  @param isThere looks for it in the list, and writes what it finds to the journal
 *  @returns whether it was found */
export async function lookUp<T>(
  run: Run,
  endpoint: 'A7' | 'A9',
  list: CallAttempt<T>,
  isThere: (listed: T) => boolean,
  { attempts } = { attempts: 3 },
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    if (isThere(await requestUntilAnswered(run, endpoint, list))) return true
    if (attempt >= attempts || run.clock.now() >= run.deadline) return false
    await run.clock.wait(pollPause(run, attempt), run.signal)
    haltIfStopped(run)
  }
}

/** Halts the run, because it is not known whether it was created. @param found what a list of the service shows, as a sentence */
export function askUser({ journal: { known }, plan }: Run, creating: Creating, found?: string): never {
  throw new Halted({
    status: 'asks',
    question: questionAbout(creating, known.made[creating], plan, known.clientId, found),
  })
}
