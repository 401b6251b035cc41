// What `onboard` prints at its end: what was created, and what to do next.

import { printable, wrap } from '../../text/printable.ts'
import type { OnboardingResult } from '../run.ts'

/** Writes the summary in lines.
 *  @param width columns of the terminal, Infinity for none */
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
    `  1. Create an import key in the product: in the connections area of client ${client}, add a data source of the import kind. On the local service, press New key on its page.`,
    `  2. Put the key into a config for write, as api_key beside client_id ${client} and import_url, and run check --config FILE.`,
    ...(result.pubkey === undefined
      ? []
      : ['  3. If the database is reached through SSH, allow this key there (also as pubkey in --output):']),
  ]
  return [
    '',
    'The client is onboarded.',
    '',
    ...lines,
    '',
    'Next:',
    ...next.map((line) => wrap(line, width - 1, '     ')),
    // unwrapped, so that it can be copied
    ...(result.pubkey === undefined ? [] : [`     ${printable(result.pubkey)}`]),
    '',
    wrap(
      `${JSON.stringify(journal)} records what was created: with it, the same command creates nothing twice.`,
      width - 1,
      '',
    ),
    '',
  ].join('\n')
}
