// `demo --help`, and the options `demo` takes. Text only.

import type { CommandHelp } from './command-help.ts'
import { MISUSE } from './shared-words.ts'

export const DEMO_HELP: CommandHelp = {
  name: 'demo',
  usage: ['demo'],
  about:
    'Onboards a client and writes a whole captured sync, against a local service of its own, in a few seconds. It needs no config, no account and no network, and leaves nothing behind.',
  options: {},
  examples: [{ says: 'See it work:', run: 'destination-analytics-service demo' }],
  exits: { 0: 'the sync arrived', 1: 'a step failed', ...MISUSE },
  more: 'README.md, "Try it", does the same by hand.',
}
