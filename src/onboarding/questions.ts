// What is asked when nobody knows whether a creating request was carried out: what is unknown, where to look, how to answer.
// Pure.

import { ENDPOINT_WORDS } from '../service/onboarding/onboarding-outcome.ts'
import type { Creating, MadeThing } from './journal-entries.ts'
import type { OnboardingPlan } from './types.ts'

/** The option that says what is there. */
export const ADOPT_OPTION: Readonly<Record<Creating, string>> = {
  A2: '--client-id',
  A4: '--user-id',
  A6: '--connection-id',
  A8: '--job-id',
  A10: '--dashboard-id',
}

/** As `--not-created` takes it: the second confirmation for one endpoint is not the first one given again. */
export function confirmationOf(endpoint: Creating, { confirmations }: Pick<MadeThing, 'confirmations'>): string {
  return confirmations === 0 ? endpoint : `${endpoint}#${confirmations + 1}`
}

/** Several lines. @param found what a list of the service says, as a sentence */
export function questionAbout(
  endpoint: Creating,
  made: MadeThing,
  plan: OnboardingPlan,
  clientId: number | undefined,
  found = '',
): string {
  const { thing, look } = THINGS[endpoint](plan, clientId === undefined ? 'the client' : `client ${clientId}`)
  const adopt = `${ADOPT_OPTION[endpoint]} ${endpoint === 'A10' ? 'ID' : 'N'}`
  const confirm = `--not-created ${confirmationOf(endpoint, made)}`
  const width = Math.max(adopt.length, confirm.length) + 3
  return [
    `Whether ${thing} was created is not known. ${endpoint} (${ENDPOINT_WORDS[endpoint]}) was sent${when(made)}, and ${what(made)}.`,
    `Nothing more was sent, so that nothing is made twice.${found === '' ? '' : ` ${found}`} ${look}`,
    'Then run the same command again with one of these:',
    `  ${adopt.padEnd(width)}it is there, and this is its id`,
    `  ${confirm.padEnd(width)}it is not there, and will not be: create it`,
  ].join('\n')
}

function when({ at }: MadeThing): string {
  return at === undefined ? '' : ` at ${at}`
}

function what({ state, why }: MadeThing): string {
  return state === 'sent' || why === undefined
    ? 'this program was ended before it could note what came of it'
    : `no usable answer came: ${why.replace(/\.$/, '')}`
}

type Words = (plan: OnboardingPlan, client: string) => { readonly thing: string; readonly look: string }

const THINGS: Readonly<Record<Creating, Words>> = {
  A2: ({ client, baseUrl }) => ({
    thing: `the client ${JSON.stringify(client.company)}`,
    look: `Find out, in the product or from the operator of the service at ${baseUrl}, whether a client of ${client.email} is there, or on its way.`,
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
