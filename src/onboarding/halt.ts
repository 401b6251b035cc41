// Halts a run in the middle of a step although nothing has failed: because the process was told to stop, or because the user must find out
// whether a creating request was carried out. The next run continues from the journal.

import { ENDPOINT_WORDS } from '../service/onboarding/onboarding-outcome.ts'
import type { Creating, MadeThing } from './journal-entries.ts'
import type { OnboardingPlan, Run } from './types.ts'

/** Why a run halts. asks: the user must find out what the service holds before anything more is created. */
export type Halt = { readonly status: 'stopped' } | { readonly status: 'asks'; readonly question: string }

/** Thrown in a step, and caught by `runOnboarding` alone. */
export class Halted extends Error {
  override readonly name = 'Halted'
  readonly halt: Halt

  constructor(halt: Halt) {
    super(halt.status)
    this.halt = halt
  }
}

/** Halts the run after a stop signal; called before each request and after each wait. */
export function haltIfStopped({ signal }: Pick<Run, 'signal'>): void {
  if (signal.aborted) throw new Halted({ status: 'stopped' })
}

/** Halts the run with a question, because it is not known whether a creating request has created something.
 *  @param found what a list of the service shows, as a sentence */
export function askUser({ journal: { known }, plan }: Run, creating: Creating, found?: string): never {
  const question = questionAbout(creating, known.made[creating], plan, known.clientId, found)
  throw new Halted({ status: 'asks', question })
}

/** The option by which the user gives the id of what exists, by the request that creates it. */
export const ADOPT_OPTION: Readonly<Record<Creating, string>> = {
  A2: '--client-id',
  A4: '--user-id',
  A6: '--connection-id',
  A8: '--job-id',
  A10: '--dashboard-id',
}

/** The value by which `--not-created` confirms that the last attempt created nothing: `A2`, then `A2#2`, so that no value counts twice. */
export function confirmationOf(endpoint: Creating, { confirmations }: Pick<MadeThing, 'confirmations'>): string {
  return confirmations === 0 ? endpoint : `${endpoint}#${confirmations + 1}`
}

/** Words for what a request creates, and for where the user can look whether it exists. */
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

/** Words the question in several lines: what is not known, where to look, how to answer. Where the request was not sent, `found` names
 *  several things that exist, and the question is which of them is the right one. */
function questionAbout(
  endpoint: Creating,
  made: MadeThing,
  plan: OnboardingPlan,
  clientId: number | undefined,
  found = '',
): string {
  const { thing, look } = THINGS[endpoint](plan, clientId === undefined ? 'the client' : `client ${clientId}`)
  const adoptOption = `${ADOPT_OPTION[endpoint]} ${endpoint === 'A10' ? 'ID' : 'N'}`
  if (made.state === 'none') {
    return [
      `Whether ${thing} exists already is not known. ${found} ${endpoint} (${ENDPOINT_WORDS[endpoint]}) was not sent. ${look}`,
      'Then run the same command again with this, or with another name in the config to create one:',
      `  ${adoptOption}   it is there, and this is its id`,
    ].join('\n')
  }
  const confirmOption = `--not-created ${confirmationOf(endpoint, made)}`
  const width = Math.max(adoptOption.length, confirmOption.length) + 3
  return [
    `Whether ${thing} was created is not known. ${endpoint} (${ENDPOINT_WORDS[endpoint]}) was sent${timeOf(made)}, and ${resultOf(made)}.`,
    `Nothing more was sent, so that nothing is created twice.${found === '' ? '' : ` ${found}`} ${look}`,
    'Then run the same command again with one of these:',
    `  ${adoptOption.padEnd(width)}it exists, and this is its id`,
    `  ${confirmOption.padEnd(width)}it does not exist and will not appear: create it`,
  ].join('\n')
}

function timeOf({ at }: MadeThing): string {
  return at === undefined ? '' : ` at ${at}`
}

function resultOf({ state, why }: MadeThing): string {
  return state === 'sent' || why === undefined
    ? 'this program ended before it could record the result'
    : `no usable answer came: ${why.replace(/\.$/, '')}`
}
