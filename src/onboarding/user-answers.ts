// Takes the user's answers to the questions of a run, given to the next run as options: something exists, or does not. `readChoices` reads
// them from the command line; run.ts has `applyChoices` write them to the journal before anything is sent.
//
// An answer is about one creating request: A2 makes the client, A4 its user, A6 its connection, A8 tests that, A10 makes the dashboards.
// `--not-created A2#2` is the second time that the user confirms that A2 made nothing; the first is `A2`, or `A2#1` (confirmationOf).

import { failure } from './failures.ts'
import { IDENTITIES } from './identity.ts'
import { CREATING, type Creating, type Known, type MadeState } from './journal-entries.ts'
import type { Journal } from './journal.ts'
import { ADOPT_OPTION, confirmationOf } from './halt.ts'
import { listed } from '../text/printable.ts'
import type { OnboardingPlan } from './types.ts'

export interface Choices {
  /** The ids of what exists, by the requests that made it. */
  readonly adopt: Readonly<Partial<Record<Creating, number | string>>>
  /** Confirmations that nothing was made, spelt `A2` or `A2#2`. */
  readonly notCreated: readonly string[]
}

/** Reads the options that answer a question.
 *  @param text gives the value of an option, `undefined` when it was not given
 *  @returns the answers, or as `problem` a sentence on an option that is wrong */
export function readChoices(
  text: (name: string) => string | undefined,
  notCreated: readonly string[],
): Choices | { readonly problem: string } {
  const strange = notCreated.find((name) => !/^A(2|4|6|8|10)(#[1-9]\d{0,5})?$/.test(name))
  if (strange !== undefined) {
    return { problem: `--not-created takes ${listed(CREATING, 'or')}, as the question says.` }
  }
  const adopt: Partial<Record<Creating, number | string>> = {}
  for (const endpoint of CREATING) {
    const option = ADOPT_OPTION[endpoint]
    const given = text(option.slice('--'.length))
    if (given === undefined) continue
    if (notCreated.some((name) => name.split('#')[0] === endpoint)) {
      return { problem: `${option} and --not-created ${endpoint} contradict each other.` }
    }
    const isText = endpoint === 'A10'
    // the id becomes a part of a path, where `.` and `..` have a meaning of their own
    if (isText ? /^\.{0,2}$/.test(given) : !/^\d{1,15}$/.test(given))
      return { problem: `${option} takes ${isText ? 'an id' : 'a whole number'}.` }
    adopt[endpoint] = isText ? given : Number(given)
  }
  return { adopt, notCreated }
}

/** Writes the user's choices to the journal. A choice that was applied before does nothing, so the same command may be repeated.
 *  Throws a ConnectorError (config) when one contradicts the journal.
 *  @param note called for each choice that does nothing */
export function applyChoices(
  choices: Choices,
  journal: Journal,
  plan: OnboardingPlan,
  note: (text: string) => void,
): void {
  for (const endpoint of CREATING) {
    const id = choices.adopt[endpoint]
    if (id !== undefined) noteExisting(endpoint, id, journal, plan)
  }
  for (const text of choices.notCreated) noteMissing(text, journal, note)
}

/** The creating requests that `applyChoices` will note as having made nothing: they will be sent again, perhaps with other values. */
export function confirmedBy({ notCreated }: Choices, known: Known): Creating[] {
  return notCreated
    .map((text) => verdictOn(text, known))
    .flatMap(({ endpoint, use }) => (use === 'counts' ? [endpoint] : []))
}

/** Writes that a thing exists with this id, unless the journal says so already. While its job is not done, the user may give another id
 *  than the journal's, which counts from then on. */
function noteExisting(endpoint: Creating, id: number | string, journal: Journal, plan: OnboardingPlan): void {
  const { known } = journal
  const made = known.made[endpoint]
  const noted = idIn(known, endpoint)
  if ((made.state === 'done' || made.state === 'answered') && noted === id) return
  if (made.state === 'done') {
    throw failure(
      'config',
      `${ADOPT_OPTION[endpoint]} ${id} contradicts the journal ${JSON.stringify(journal.path)}, which says that ` +
        `${endpoint} is done${noted === undefined ? '' : ` with the id ${noted}`}. Leave the option out, or give another journal with --journal.`,
    )
  }
  journal.append({ event: 'adopted', endpoint, id, of: IDENTITIES[endpoint](plan) })
}

/** The id that the journal has for a thing: for a client its own, not the signup's of A2; for a user A4's `user_id`, else the invite's. */
function idIn({ made, clientId, userId }: Known, endpoint: Creating): number | string | undefined {
  if (endpoint === 'A2') return clientId
  return endpoint === 'A4' ? (userId ?? made.A4.id) : made[endpoint].id
}

/** Writes that a thing does not exist. When it is a connection, its test is gone too. */
function noteMissing(text: string, journal: Journal, note: (text: string) => void): void {
  const { endpoint, use } = verdictOn(text, journal.known)
  const made = journal.known.made[endpoint]
  if (use === 'idle') note(`--not-created ${text} has nothing to confirm and has no effect.`)
  else if (use === 'spent') {
    note(
      `--not-created ${text} was for an earlier attempt; for the last one it is --not-created ${confirmationOf(endpoint, made)}.`,
    )
  } else {
    journal.append({ event: 'nothing', endpoint, why: 'confirmed by --not-created', confirmed: true })
    const { A8: test } = journal.known.made
    const isTested = endpoint === 'A6' && test.state !== 'none'
    if (isTested) journal.append({ event: 'nothing', endpoint: 'A8', why: 'its connection is gone', confirmed: false })
  }
}

/** counts: it confirms the last attempt. idle: there is nothing that it could confirm. spent: it was for an earlier attempt. */
type Use = 'counts' | 'idle' | 'spent'

/** States in which the user may know that there is nothing: no answer came, or the job failed or took too long. */
const DOUBTFUL: ReadonlySet<MadeState> = new Set<MadeState>(['sent', 'unknown', 'failed', 'waited'])
/** States of the test of a connection that the user may have removed: it was not started, failed, or took too long. */
const UNTESTED: ReadonlySet<MadeState> = new Set<MadeState>(['none', 'failed', 'waited'])

/** Judges a value of `--not-created`. */
function verdictOn(text: string, { made }: Known): { readonly endpoint: Creating; readonly use: Use } {
  const [name, count = '1'] = text.split('#')
  const endpoint = CREATING.find((known) => known === name)
  if (endpoint === undefined) throw new TypeError(`${text} creates nothing.`)
  const isDoubtful = DOUBTFUL.has(made[endpoint].state)
  // a connection that exists, whose test has not succeeded: the user may have removed it
  const { A6: connection, A8: test } = made
  const isUseless = endpoint === 'A6' && connection.state === 'done' && UNTESTED.has(test.state)
  if (!isDoubtful && !isUseless) return { endpoint, use: 'idle' }
  return { endpoint, use: Number(count) === made[endpoint].confirmations + 1 ? 'counts' : 'spent' }
}
