// Finds in a list of the service what was created when its id is not in the journal: a connection (A6) in the list of A7, a test
// (A8) in that of A9.

import { askUser, haltIfStopped } from './halt.ts'
import { IDENTITIES } from './identity.ts'
import { pollPause, requestUntilAnswered } from './retry.ts'
import type { CallAttempt } from './sessions.ts'
import type { Run } from './types.ts'

/** Most requests of a list that does not show it. */
const MOST_LOOKS = 3
const LISTS = { A6: 'A7', A8: 'A9' } as const

export interface LookUp<T> {
  readonly creating: keyof typeof LISTS
  readonly list: CallAttempt<T>
  /** Ids of all in a list that could be it; null where one is listed that has no id yet. */
  readonly candidates: (listed: T) => readonly (number | null)[]
  /** Sentences for the user, who is asked where there are several or none. */
  readonly words: {
    readonly several: (ids: readonly (number | null)[]) => string
    readonly none: string
    readonly found: (id: number | null) => string
  }
}

/** Writes the only candidate to the journal. Requests the list a few times, because it may lag behind; then the user is asked. */
export async function findOrAsk<T>(run: Run, lookUp: LookUp<T>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    if (await findOnce(run, lookUp)) return
    if (attempt === MOST_LOOKS || run.clock.now() >= run.deadline) askUser(run, lookUp.creating, lookUp.words.none)
    await run.clock.wait(pollPause(run, attempt), run.signal)
    haltIfStopped(run)
  }
}

/** The same with one request, and without a question where there is none.
 *  @returns whether there is one */
export async function findOnce<T>(run: Run, { creating, list, candidates, words }: LookUp<T>): Promise<boolean> {
  const { journal, plan, steps } = run
  const ids = candidates(await requestUntilAnswered(run, LISTS[creating], list))
  if (ids.length > 1) askUser(run, creating, words.several(ids))
  const [id] = ids
  if (id === undefined) return false
  if (id === null) journal.append({ event: 'answered', endpoint: creating, id })
  else journal.append({ event: 'adopted', endpoint: creating, id, of: IDENTITIES[creating](plan) })
  steps.note(words.found(id))
  return true
}
