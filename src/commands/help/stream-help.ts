// `stream --help`, and the options `stream` takes. Text only.

import type { CommandHelp } from './command-help.ts'
import { LOG_LEVEL, MISUSE, PROXY, schemaWords, STOPPED, NAMES_IN_YAML } from './shared-words.ts'

export const STREAM_HELP: CommandHelp = {
  name: 'stream',
  usage: [
    'stream --config FILE [--report FILE]',
    'stream --config FILE --check',
    'stream --config FILE --from-dead-letters [--report FILE]',
    'stream --example | --schema',
  ],
  about:
    'Reads topics of Kafka as a member of a consumer group and stores their records as rows of tables, until it is told to stop. An offset is committed when everything before it is stored; start as many as there are partitions.',
  options: {
    config: { type: 'string', value: 'FILE', says: 'The config of the stream, YAML or JSON. Secrets stand elsewhere.' },
    check: {
      type: 'boolean',
      says: 'Ask whether it can start: brokers, topics, group, service; a sample of records is looked at. Nothing is written or committed.',
    },
    'from-dead-letters': {
      type: 'boolean',
      says: 'Store the dead letters there are, as if just read from their topics, and end.',
    },
    report: {
      type: 'string',
      value: 'FILE',
      says: 'Leave a report of the run there, one HTML file that needs no other. No data.',
      otherwise: 'none',
    },
    example: { type: 'boolean', says: 'Print a config with every option explained.' },
    schema: { type: 'boolean', says: schemaWords(NAMES_IN_YAML) },
  },
  examples: [
    { says: 'Begin with a config:', run: 'destination-analytics-service stream --example > example.yaml' },
    { says: 'Ask first:', run: 'destination-analytics-service stream --check --config stream.yaml' },
    { says: 'Stream until Ctrl-C:', run: 'destination-analytics-service stream --config stream.yaml' },
  ],
  environment: {
    LOG_LEVEL: `Entries of which level: ${LOG_LEVEL}`,
    'https_proxy, http_proxy, no_proxy': PROXY,
    'what the config names': '${NAME} in it is the variable NAME: secrets stand there, or in files.',
  },
  exits: {
    0: '--from-dead-letters: all are stored; --check: it can start',
    1: 'failed: the last error of the log says why; --check: something is in the way',
    ...MISUSE,
    ...STOPPED,
  },
  more: 'docs/stream.md.',
}
