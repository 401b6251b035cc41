// `check --help`, and the options `check` takes. Text only.

import type { CommandHelp } from './command-help.ts'
import { MISUSE, PROXY } from './shared-words.ts'

export const CHECK_HELP: CommandHelp = {
  name: 'check',
  usage: ['check --config FILE'],
  about:
    'Asks whether everything is there that a write needs: the config, the way to the service, the key. It prints one CONNECTION_STATUS message that names everything that is wrong, and what to do about it; nothing is written.',
  options: {
    config: { type: 'string', value: 'FILE', required: true, says: 'The config of the connector, JSON.' },
  },
  examples: [{ says: 'Try a config:', run: 'destination-analytics-service check --config config.json' }],
  environment: { 'https_proxy, http_proxy, no_proxy': PROXY },
  exits: { 0: 'asked, whatever came of it: status is SUCCEEDED or FAILED', ...MISUSE },
  more: 'README.md, "Configuration" and "Proxies and certificates".',
}
