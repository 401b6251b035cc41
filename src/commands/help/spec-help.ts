// `spec --help`, and the options `spec` takes. Text only.

import type { CommandHelp } from './command-help.ts'
import { MISUSE } from './shared-words.ts'

export const SPEC_HELP: CommandHelp = {
  name: 'spec',
  usage: ['spec'],
  about:
    'Prints the connector specification: one SPEC message of the Airbyte protocol, with every option of the config as a JSON Schema that forms are made from. It reads no file and connects to nothing.',
  options: {},
  examples: [{ says: 'See what a platform sees:', run: 'destination-analytics-service spec' }],
  exits: { 0: 'printed', ...MISUSE },
  more: 'README.md, "Configuration"; write --schema prints a schema for editors.',
}
