// `serve --help`, and the options `serve` takes. Text only.

import type { CommandHelp } from './command-help.ts'
import { MISUSE } from './shared-words.ts'

export const SERVE_HELP: CommandHelp = {
  name: 'serve',
  usage: ['serve [OPTIONS]'],
  about:
    'The local Analytics Service, to try things on: import interface, its sandbox and onboarding interface at one address, until Ctrl-C. It prints a config that fits it; with options it is slow, faulty or strict.',
  options: {
    port: { type: 'string', value: 'N', says: 'Where it listens; 0 is any free port.', otherwise: '8585' },
    host: { type: 'string', value: 'H', says: 'At which address.', otherwise: '127.0.0.1, this machine alone' },
    client: {
      type: 'string',
      value: 'ID:KEY',
      multiple: true,
      says: 'Who may write. Repeatable.',
      otherwise: '7:demo-key',
    },
    data: {
      type: 'string',
      value: 'FILE',
      says: 'Rows live in this SQLite file and outlast the process.',
      otherwise: 'they live in memory',
    },
    load: {
      type: 'string',
      value: '[TABLE=]FILE',
      multiple: true,
      says: 'Fills a table of the first client before it answers, from JSON lines, each a point; the table is named after the file. Repeatable.',
    },
    latency: {
      type: 'string',
      value: 'MS|MS-MS',
      says: 'Each request of the import interface waits so long, or between so long and so long.',
      otherwise: '0',
    },
    'error-rate': {
      type: 'string',
      value: 'SHARE',
      says: 'So many of the upserts, from 0 to 1, end in 500, 503 or a reset.',
      otherwise: '0',
    },
    seed: { type: 'string', value: 'N', says: 'Makes the same chance again.', otherwise: 'any' },
    'max-body': { type: 'string', value: 'BYTES', says: '413 above so many bytes.', otherwise: '268435456 (256 MiB)' },
    'rate-limit': {
      type: 'string',
      value: 'N',
      says: '429 above so many requests a second and client.',
      otherwise: 'no limit',
    },
    compat: {
      type: 'boolean',
      says: 'For older client libraries: every accepted upsert is 201, bodies are labelled text/html.',
    },
    'allow-origin': {
      type: 'string',
      value: 'ORIGIN',
      multiple: true,
      says: 'Web pages of this origin, such as http://localhost:3000, may use it, paths under /_local too. Repeatable.',
      otherwise: 'its own page alone',
    },
    user: {
      type: 'string',
      value: 'NAME:PASSWORD',
      multiple: true,
      says: 'Who may ask for access tokens. Repeatable.',
      otherwise: 'demo@example.com:demo-password',
    },
    oauth: {
      type: 'string',
      value: 'ID:SECRET',
      multiple: true,
      says: 'With which client secret. Repeatable.',
      otherwise: '1:demo-secret',
    },
    'token-seconds': { type: 'string', value: 'N', says: 'How long an access token is good.', otherwise: '14400' },
    'job-seconds': { type: 'string', value: 'N', says: 'How long each onboarding job takes.', otherwise: '1' },
  },
  examples: [
    { says: 'Something to write to:', run: 'destination-analytics-service serve' },
    {
      says: 'A slow one that fails now and then, with rows that stay:',
      run: 'destination-analytics-service serve --latency 20-200 --error-rate 0.05 --data rows.db',
    },
  ],
  environment: { NO_COLOR: 'Headings are not bold on a terminal.' },
  exits: { 0: 'told to end', 1: 'it could not start: standard error says why', ...MISUSE },
  more: 'docs/local-service.md.',
}
