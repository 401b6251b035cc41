// What each command says of itself: its options for the parser and their words for people, in one place so that they
// cannot drift.

export interface OptionHelp {
  readonly type: 'string' | 'boolean'
  /** May be given again and again. */
  readonly multiple?: true
  /** What stands for its value: FILE. Of texts only. */
  readonly value?: string
  /** The command does nothing without it. */
  readonly required?: true
  readonly says: string
  /** What holds when it is left out, if that is worth a word. */
  readonly otherwise?: string
}

export interface Example {
  readonly says: string
  /** A line for a shell. */
  readonly run: string
}

export type CommandName = 'spec' | 'check' | 'plan' | 'write' | 'stream' | 'onboard' | 'serve' | 'demo'

export interface CommandHelp {
  /** In the overview. */
  readonly brief: string
  /** Behind the program's name, each a line. */
  readonly usage: readonly string[]
  readonly about: string
  readonly options: Readonly<Record<string, OptionHelp>>
  readonly examples: readonly Example[]
  /** Variables that change what it does. */
  readonly environment?: Readonly<Record<string, string>>
  readonly exits: Readonly<Record<string, string>>
  /** Where to read more. */
  readonly more: string
}

const LOG_LEVEL =
  'debug, info, warn or error, in small letters or capitals; info when it is left out. debug tells a line a request: never data, never the key.'

const PROXY = 'The way to the service, in small letters or capitals. This machine is never reached through a proxy.'

/** What a process that was stopped ends with. */
const STOPPED: Readonly<Record<string, string>> = {
  129: 'its terminal was closed (SIGHUP)',
  130: 'interrupted (Ctrl-C)',
  143: 'told to end (SIGTERM)',
}

const MISUSE: Readonly<Record<string, string>> = { 2: 'wrong usage' }

/** @param names how a config that has it beside it names it: what follows "the config" */
const schemaWords = (names: string): string =>
  `Print the JSON Schema of its config. Editors know every option once it stands beside the config, as schema.json, and the config ${names}`

/** Lines to be copied are not broken: their spaces are none to break at. */
const NAMES_IN_YAML = 'begins with #\u00a0yaml-language-server:\u00a0$schema=schema.json'
const NAMES_IN_JSON = 'has the member "$schema":\u00a0"schema.json".'

const adopted = (value: string, what: string): OptionHelp => ({
  type: 'string',
  value,
  says: `Answers a question of a run: ${what} was made, and this is its id.`,
})

/** In the order of the overview. */
export const HELP: Readonly<Record<CommandName, CommandHelp>> = {
  spec: {
    brief: 'print the connector specification',
    usage: ['spec'],
    about:
      'Prints the connector specification: one SPEC message of the Airbyte protocol, with every option of the config as a JSON Schema that forms are made from. It reads no file and connects to nothing.',
    options: {},
    examples: [{ says: 'See what a platform sees:', run: 'destination-analytics-service spec' }],
    exits: { 0: 'printed', ...MISUSE },
    more: 'docs/configuration.md; write --schema prints a schema for editors.',
  },
  check: {
    brief: 'is everything there that a write needs?',
    usage: ['check --config FILE'],
    about:
      'Asks whether everything is there that a write needs: the config, the way to the service, the key. It prints one CONNECTION_STATUS message that names everything that is wrong, and what to do about it; nothing is written.',
    options: {
      config: { type: 'string', value: 'FILE', required: true, says: 'The config of the connector, JSON.' },
    },
    examples: [{ says: 'Try a config:', run: 'destination-analytics-service check --config config.json' }],
    environment: { 'https_proxy, http_proxy, no_proxy': PROXY },
    exits: { 0: 'asked, whatever came of it: status is SUCCEEDED or FAILED', ...MISUSE },
    more: 'docs/configuration.md.',
  },
  plan: {
    brief: 'what a catalog would become, before any data moves',
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
  },
  write: {
    brief: 'Airbyte messages on standard input → tables; STATE lines come back',
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
    more: 'docs/configuration.md, docs/tables-and-rows.md, docs/guarantees.md, docs/troubleshooting.md.',
  },
  stream: {
    brief: 'topics of Kafka → tables, as a member of a consumer group',
    usage: [
      'stream --config FILE [--report FILE]',
      'stream --config FILE --check',
      'stream --config FILE --from-dead-letters [--report FILE]',
      'stream --example | --schema',
    ],
    about:
      'Reads topics of Kafka as a member of a consumer group and stores their records as rows of tables, until it is told to stop. An offset is committed when everything before it is stored; start as many as there are partitions.',
    options: {
      config: {
        type: 'string',
        value: 'FILE',
        says: 'The config of the stream, YAML or JSON. Secrets stand elsewhere.',
      },
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
  },
  onboard: {
    brief: 'a client, a user, a connection and dashboards, each made once',
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
  },
  serve: {
    brief: 'the local Analytics Service, to try things on',
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
      'max-body': {
        type: 'string',
        value: 'BYTES',
        says: '413 above so many bytes.',
        otherwise: '268435456 (256 MiB)',
      },
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
      'no-payloads': {
        type: 'boolean',
        says: 'The page shows no bodies of requests and answers, and none are kept for it.',
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
  },
  demo: {
    brief: 'a whole sync against a local service, in a few seconds',
    usage: ['demo'],
    about:
      'Onboards a client and writes a whole captured sync, against a local service of its own, in a few seconds. It needs no config, no account and no network, and leaves nothing behind.',
    options: {},
    examples: [{ says: 'See it work:', run: 'destination-analytics-service demo' }],
    exits: { 0: 'the sync arrived', 1: 'a step failed', ...MISUSE },
    more: 'README.md, "Try it", does the same by hand.',
  },
}
