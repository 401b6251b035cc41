// The question to the user when it is not known whether a creating request was carried out: what is unknown, where to look, how to
// answer.

import { ConnectorError } from '../core/errors.ts'
import { ENDPOINT_WORDS } from '../service/onboarding/onboarding-outcome.ts'
import { identityOf } from './identity.ts'
import { CREATING } from './journal-entries.ts'
import type { Creating, MadeThing, Known } from './journal-entries.ts'
import type { Journal } from './journal.ts'
import type { OnboardingPlan } from './types.ts'

/** The option that gives the id of something that exists. */
export const ADOPT_OPTION: Readonly<Record<Creating, string>> = {
  A2: '--client-id',
  A4: '--user-id',
  A6: '--connection-id',
  A8: '--job-id',
  A10: '--dashboard-id',
}

/** The value for `--not-created`. It has a number, so that repeating the first confirmation is not taken for a second one. */
export function confirmationOf(endpoint: Creating, { confirmations }: Pick<MadeThing, 'confirmations'>): string {
  return confirmations === 0 ? endpoint : `${endpoint}#${confirmations + 1}`
}

/** Several lines. If the request was not sent, the only question is which of the things named in `found` is meant.
 *  @param found what a list of the service says, as a sentence */
export function questionAbout(
  endpoint: Creating,
  made: MadeThing,
  plan: OnboardingPlan,
  clientId: number | undefined,
  found = '',
): string {
  const { thing, look } = THINGS[endpoint](plan, clientId === undefined ? 'the client' : `client ${clientId}`)
  const adopt = `${ADOPT_OPTION[endpoint]} ${endpoint === 'A10' ? 'ID' : 'N'}`
  if (made.state === 'none') {
    return [
      `Whether ${thing} exists already is not known. ${found} ${endpoint} (${ENDPOINT_WORDS[endpoint]}) was not sent. ${look}`,
      'Then run the same command again with this, or with another name in the config to create one:',
      `  ${adopt}   it is there, and this is its id`,
    ].join('\n')
  }
  const confirm = `--not-created ${confirmationOf(endpoint, made)}`
  const width = Math.max(adopt.length, confirm.length) + 3
  return [
    `Whether ${thing} was created is not known. ${endpoint} (${ENDPOINT_WORDS[endpoint]}) was sent${when(made)}, and ${what(made)}.`,
    `Nothing more was sent, so that nothing is created twice.${found === '' ? '' : ` ${found}`} ${look}`,
    'Then run the same command again with one of these:',
    `  ${adopt.padEnd(width)}it exists, and this is its id`,
    `  ${confirm.padEnd(width)}it does not exist and will not appear: create it`,
  ].join('\n')
}

function when({ at }: MadeThing): string {
  return at === undefined ? '' : ` at ${at}`
}

function what({ state, why }: MadeThing): string {
  return state === 'sent' || why === undefined
    ? 'this program ended before it could record the result'
    : `no usable answer came: ${why.replace(/\.$/, '')}`
}

type Words = (plan: OnboardingPlan, client: string) => { readonly thing: string; readonly look: string }

const THINGS: Readonly<Record<Creating, Words>> = {
  A2: ({ client, baseUrl }) => ({
    thing: `the client ${JSON.stringify(client.company)}`,
    look: `Find out, in the product or from the operator of the service at ${baseUrl}, whether a client of ${client.email} exists or is being created.`,
  }),
  A4: ({ user }, client) => ({
    thing: `the user ${user.email} of ${client}`,
    look: `Look at the users of ${client} in the product.`,
  }),
  A6: ({ connection }, client) => ({
    thing: `the connection ${JSON.stringify(connection.name)} of ${client}`,
    look: `Look at the connections of ${client} in the product.`,
  }),
  A8: (_, client) => ({
    thing: `the connection test of ${client}`,
    look: `Look at the jobs of ${client} in the product.`,
  }),
  A10: ({ dashboards }, client) => ({
    thing: `the job for the dashboards ${JSON.stringify(dashboards.package)} of ${client}`,
    look: `Look at the dashboards of ${client} in the product, or ask the operator of the service for its jobs.`,
  }),
}

// The user's answers: something exists, or does not. They are written to the journal before anything is sent.

export interface Choices {
  /** Ids by creating request. */
  readonly adopt: Readonly<Partial<Record<Creating, number | string>>>
  /** Each an endpoint, or `A2#2`. */
  readonly notCreated: readonly string[]
}

/** Throws a ConnectorError (config) when one contradicts the journal. A choice that was applied before does nothing, so the same
 *  command may be repeated.
 *  @param note called for each choice that does nothing */
export function applyChoices(
  choices: Choices,
  journal: Journal,
  plan: OnboardingPlan,
  note: (text: string) => void,
): void {
  for (const endpoint of CREATING) {
    const id = choices.adopt[endpoint]
    if (id !== undefined) adopt(endpoint, id, journal, plan)
  }
  for (const text of choices.notCreated) confirm(text, journal, note)
}

/** Requests that will be sent again, perhaps with other values. */
export function confirmedBy({ notCreated }: Choices, known: Known): Creating[] {
  return notCreated
    .map((text) => verdictOn(text, known))
    .flatMap(({ endpoint, use }) => (use === 'counts' ? [endpoint] : []))
}

function adopt(endpoint: Creating, id: number | string, journal: Journal, plan: OnboardingPlan): void {
  const { known } = journal
  const made = known.made[endpoint]
  const there = endpoint === 'A2' ? known.clientId : endpoint === 'A4' ? (known.userId ?? made.id) : made.id
  if (made.state === 'done' || made.state === 'answered') {
    if (there === id) return
    if (made.state === 'done') {
      throw new ConnectorError(
        'config',
        undefined,
        `${ADOPT_OPTION[endpoint]} ${id} contradicts the journal ${JSON.stringify(journal.path)}, which says that ` +
          `${endpoint} is done${there === undefined ? '' : ` with the id ${there}`}. Leave the option out, or give another journal with --journal.`,
      )
    }
  }
  journal.append({ event: 'adopted', endpoint, id, of: identityOf(endpoint, plan) })
}

function confirm(text: string, journal: Journal, note: (text: string) => void): void {
  const { endpoint, use } = verdictOn(text, journal.known)
  const made = journal.known.made[endpoint]
  const why = 'confirmed by --not-created'
  if (use === 'idle') note(`--not-created ${text} has nothing to confirm and has no effect.`)
  else if (use === 'spent') {
    note(
      `--not-created ${text} was for an earlier attempt; for the last one it is --not-created ${confirmationOf(endpoint, made)}.`,
    )
  } else {
    journal.append({ event: 'nothing', endpoint, why, confirmed: true })
    const isTested = endpoint === 'A6' && journal.known.made.A8.state !== 'none'
    if (isTested) journal.append({ event: 'nothing', endpoint: 'A8', why: 'its connection is gone', confirmed: false })
  }
}

interface Verdict {
  readonly endpoint: Creating
  readonly use: 'counts' | 'idle' | 'spent'
}

function verdictOn(text: string, { made }: Known): Verdict {
  const [name, count = '1'] = text.split('#')
  const endpoint = CREATING.find((known) => known === name)
  if (endpoint === undefined) throw new TypeError(`${text} creates nothing.`)
  const isOpen = OPEN.has(made[endpoint].state)
  // a connection that exists but failed its test: the user has removed it
  const isUseless = endpoint === 'A6' && made.A6.state === 'done' && RETESTED.has(made.A8.state)
  if (!isOpen && !isUseless) return { endpoint, use: 'idle' }
  return { endpoint, use: Number(count) === made[endpoint].confirmations + 1 ? 'counts' : 'spent' }
}

const OPEN: ReadonlySet<string> = new Set(['sent', 'unknown', 'failed', 'waited'])
const RETESTED: ReadonlySet<string> = new Set(['none', 'failed', 'waited'])
