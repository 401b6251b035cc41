// `write --help`, and the options `write` takes. Text only.

import type { CommandHelp } from './command-help.ts'
import { LOG_LEVEL, MISUSE, PROXY, schemaWords, STOPPED, NAMES_IN_JSON } from './shared-words.ts'

export const WRITE_HELP: CommandHelp = {
  name: 'write',
  usage: ['write --config FILE --catalog FILE [--report FILE] < MESSAGES', 'write --schema'],
  about:
    'Reads Airbyte messages from standard input, one a line, and stores their records as rows of tables. A STATE line comes back on standard output as soon as everything before it is stored, with LOG lines and at most one TRACE ERROR; after a crash, run it again from the last STATE.',
  options: {
    config: { type: 'string', value: 'FILE', required: true, says: 'The config of the connector, JSON.' },
    catalog: {
      type: 'string',
      value: 'FILE',
      required: true,
      says: 'The configured catalog, JSON: which streams there are, their modes and keys.',
    },
    report: {
      type: 'string',
      value: 'FILE',
      says: 'Leave a report of the run there, one HTML file that needs no other: rates, latency, retries, a table a stream. No data.',
      otherwise: 'none',
    },
    schema: { type: 'boolean', says: schemaWords(NAMES_IN_JSON) },
  },
  examples: [
    {
      says: 'Store what a source printed:',
      run: 'destination-analytics-service write --config config.json --catalog catalog.json < messages.jsonl',
    },
    {
      says: 'Keep what comes back:',
      run: 'destination-analytics-service write --config config.json --catalog catalog.json < messages.jsonl > back.jsonl',
    },
    {
      says: 'See every request:',
      run: 'LOG_LEVEL=debug destination-analytics-service write --config config.json --catalog catalog.json < messages.jsonl',
    },
  ],
  environment: { LOG_LEVEL: `LOG lines of which level: ${LOG_LEVEL}`, 'https_proxy, http_proxy, no_proxy': PROXY },
  exits: {
    0: 'everything is stored',
    1: 'failed: the TRACE ERROR says why and what to do; what has a STATE is stored',
    ...MISUSE,
    ...STOPPED,
  },
  more: 'README.md, "Configuration" and "Guarantee and limits"; docs/tables-and-rows.md; docs/troubleshooting.md.',
}
