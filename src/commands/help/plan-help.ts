// `plan --help`, and the options `plan` takes. Text only.

import type { CommandHelp } from './command-help.ts'
import { MISUSE } from './shared-words.ts'

export const PLAN_HELP: CommandHelp = {
  name: 'plan',
  usage: ['plan --catalog FILE [--config FILE] [--json]'],
  about:
    'Shows what a catalog would become, before any data moves: the table of each stream, what identifies a row, warnings, and what a write would refuse. It connects to nothing.',
  options: {
    catalog: { type: 'string', value: 'FILE', required: true, says: 'The configured catalog, JSON.' },
    config: {
      type: 'string',
      value: 'FILE',
      says: 'The config of the connector, for its options of tables and streams.',
      otherwise: 'every option as it is when left out',
    },
    json: { type: 'boolean', says: 'One JSON object, for programs, in place of a table for people.' },
  },
  examples: [
    { says: 'Look before a first sync:', run: 'destination-analytics-service plan --catalog catalog.json' },
    {
      says: 'The same, with a config, for a program:',
      run: 'destination-analytics-service plan --catalog catalog.json --config config.json --json',
    },
  ],
  exits: { 0: 'a write would begin', 1: 'a write would be refused: it says why', ...MISUSE },
  more: 'docs/tables-and-rows.md.',
}
