// What an onboarding ends with on the screen: what was made, and what to do next.

import type { OnboardingResult } from '../outcome.ts'
import { printable } from '../../text/printable.ts'
import { wrap } from '../../text/wrap.ts'

/** @param width columns of the terminal, Infinity for none */
export function onboardSummary(result: OnboardingResult, journal: string, width: number): string {
  const { client_id: client, job_id: job } = result
  const rows: readonly (readonly [string, string])[] = [
    ['client', `${client} (${result.company})`],
    ['user', `${result.user_id} (${result.user_email})`],
    ['connection', `${result.connection_id} (${result.connection_name})`],
    ...(job === undefined ? [] : [['connection test', `job ${job}`] as const]),
    ['dashboards', `job ${result.dashboard_id}`],
  ]
  const lines = rows.map(([label, value]) => `  ${label.padEnd(16)} ${printable(value)}`)
  const next = [
    `  1. An import key is made in the product: in the connections area of client ${client}, add a data source of the import kind.`,
    `  2. Put the key into a config for write, as api_key beside client_id ${client} and import_url, and run check --config FILE.`,
    ...(result.pubkey === undefined
      ? []
      : ['  3. If the database is reached through SSH, let this key in there (also as pubkey in --output):']),
  ]
  return [
    '',
    'The client is onboarded.',
    '',
    ...lines,
    '',
    'Next:',
    ...next.map((line) => wrap(line, width - 1, '     ')),
    // in one piece, to be copied
    ...(result.pubkey === undefined ? [] : [`     ${printable(result.pubkey)}`]),
    '',
    wrap(
      `What was made is noted in ${JSON.stringify(journal)}: with it, the same command makes nothing more.`,
      width - 1,
      '',
    ),
    '',
  ].join('\n')
}
