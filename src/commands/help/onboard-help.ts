// `onboard --help`, and the options `onboard` takes. Text only.

import type { CommandHelp, OptionHelp } from './command-help.ts'
import { MISUSE, PROXY, schemaWords, STOPPED, NAMES_IN_YAML } from './shared-words.ts'

const adopted = (value: string, what: string): OptionHelp => ({
  type: 'string',
  value,
  says: `Answers a question of a run: ${what} was made, and this is its id.`,
})

export const ONBOARD_HELP: CommandHelp = {
  name: 'onboard',
  usage: [
    'onboard --config FILE [--journal FILE] [--output FILE] [--json] [--dry-run]',
    'onboard --config FILE [--client-id N] [--user-id N] [--connection-id N] [--job-id N] [--dashboard-id ID] [--not-created ENDPOINT]…',
    'onboard --example | --schema',
  ],
  about:
    'Provisions a client end to end: a client, a user, a connection to its store database, dashboards. Each is made once, also when a run is broken off and run again: what is made stands in a journal, and what nobody can know is asked (exit code 3) and answered by an option.',
  options: {
    config: {
      type: 'string',
      value: 'FILE',
      says: 'What to provision, and as whom, YAML or JSON. Secrets stand elsewhere.',
    },
    journal: {
      type: 'string',
      value: 'FILE',
      says: 'Where it is noted what is made already.',
      otherwise: 'beside the config: FILE.journal',
    },
    output: {
      type: 'string',
      value: 'FILE',
      says: 'Write the result there too, as JSON: every id.',
      otherwise: 'none',
    },
    json: { type: 'boolean', says: 'Progress and result as JSON lines, for programs.' },
    'dry-run': { type: 'boolean', says: 'Show the requests, without secrets, and send none.' },
    'client-id': adopted('N', 'the client'),
    'user-id': adopted('N', 'the user'),
    'connection-id': adopted('N', 'the connection'),
    'job-id': adopted('N', "the connection test's job"),
    'dashboard-id': adopted('ID', "the dashboards' job"),
    'not-created': {
      type: 'string',
      value: 'ENDPOINT',
      multiple: true,
      says: 'Answers a question of a run: it was not made, so make it. A2, A4, A6, A8 or A10, as the question says. Repeatable.',
    },
    example: { type: 'boolean', says: 'Print a config with every option explained.' },
    schema: { type: 'boolean', says: schemaWords(NAMES_IN_YAML) },
  },
  examples: [
    { says: 'Begin with a config:', run: 'destination-analytics-service onboard --example > example.yaml' },
    {
      says: 'See what would be sent:',
      run: 'destination-analytics-service onboard --config onboard.yaml --dry-run',
    },
    {
      says: 'Provision, and keep the ids:',
      run: 'destination-analytics-service onboard --config onboard.yaml --output onboarded.json',
    },
  ],
  environment: {
    LOG_LEVEL: 'debug: a line a request among the steps, never data, never a secret.',
    'https_proxy, http_proxy, no_proxy': PROXY,
    'what the config names': '${NAME} in it is the variable NAME: secrets stand there, or in files.',
  },
  exits: {
    0: 'onboarded',
    1: 'failed: standard error says why and what to do',
    ...MISUSE,
    3: 'it asks: standard error says what, and how to answer',
    ...STOPPED,
  },
  more: 'docs/onboarding.md.',
}
