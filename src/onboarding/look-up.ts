// Looks for what a creating request made, when its id is not known, in a list of the service: a connection (A6) in A7, a test (A8) in A9.

import { askUser, haltIfStopped } from './halt.ts'
import { IDENTITIES } from './identity.ts'
import { pollPause, requestUntilAnswered } from './retry.ts'
import type { CallAttempt } from './sessions.ts'
import type { Run } from './types.ts'

/** How many times a list is requested that does not show it: the list may lag behind. */
const MOST_LOOKS = 3
/** The request for the list, by the creating request. */
const LISTS = { A6: 'A7', A8: 'A9' } as const

export interface LookUp<T> {
  readonly creating: keyof typeof LISTS
  /** Requests the list. */
  readonly list: CallAttempt<T>
  /** The ids of all in a list that the request may have made; null for a test that has no id yet. */
  readonly candidates: (listed: T) => readonly (number | null)[]
  /** Sentences for the user: those about several candidates or none go into a question, that about one into a note. */
  readonly words: {
    readonly several: (ids: readonly (number | null)[]) => string
    readonly none: string
    readonly found: (id: number | null) => string
  }
}

/** Writes the only candidate to the journal. Asks the user (Halted) when there are several, or after a few requests still none. */
export async function findOrAsk<T>(run: Run, lookUp: LookUp<T>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    if (await findOnce(run, lookUp)) return
    if (attempt === MOST_LOOKS || run.clock.now() >= run.deadline) askUser(run, lookUp.creating, lookUp.words.none)
    await run.clock.wait(pollPause(run, attempt), run.signal)
    haltIfStopped(run)
  }
}

/** Does as `findOrAsk`, but with one request, and without a question when there is no candidate. @returns whether there was one */
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
