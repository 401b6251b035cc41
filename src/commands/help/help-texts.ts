// What each command says of itself: its options for the parser and their words for people, in one place so that they cannot drift.

export interface OptionHelp {
  readonly type: 'string' | 'boolean'
  /** May be given again and again. */
  readonly multiple?: true
  /** The word that stands for its value: FILE. Of texts only. */
  readonly value?: string
  /** The command does nothing without it, unless the option named by `unless` is given. */
  readonly required?: true
  readonly unless?: string
  readonly says: string
  /** The value that holds when it is left out, if that is worth a word. */
  readonly otherwise?: string | undefined
}

/** An explanation, and a line for a shell, without the program's name. */
export type Example = readonly [says: string, run: string]

export interface CommandHelp {
  /** The line in the overview. */
  readonly brief: string
  /** Behind the program's name, each a line. */
  readonly usage: readonly string[]
  readonly about: string
  readonly options: Readonly<Record<string, OptionHelp>>
  readonly examples: readonly Example[]
  /** Variables that change what it does. */
  readonly environment?: Readonly<Record<string, string>>
  readonly exits: Readonly<Record<string, string>>
  readonly more: string
}

const LOG_LEVEL =
  'debug, info, warn or error, in upper or lower case; the default is info. debug logs one line per request, never data, never the key.'

const PROXY = 'Proxies for the way to the service, in upper or lower case. Loopback addresses never go through a proxy.'

const NO_COLOR = 'Use no colours at a terminal.'

/** Exit code and signal of a process that was stopped. */
const STOPPED: Readonly<Record<string, string>> = {
  129: 'the terminal was closed (SIGHUP)',
  130: 'interrupted (Ctrl-C)',
  143: 'terminated (SIGTERM)',
}

const MISUSE: Readonly<Record<string, string>> = { 2: 'wrong usage' }

/** Words of the option --schema. @param names how a config names the schema beside it: what follows "the config" */
const schemaWords = (names: string): string =>
  `Print the JSON Schema of its config. Save it as schema.json beside the config, and editors complete and check every option if the config ${names}`

/** Spaces that do not break, so that a line to be copied stays in one piece. */
const NAMES_IN_YAML = 'begins with the line #\u00a0yaml-language-server:\u00a0$schema=schema.json'
const NAMES_IN_JSON = 'has the member "$schema":\u00a0"schema.json".'

const given = (value: string, says: string, otherwise?: string): OptionHelp => ({
  type: 'string',
  value,
  says,
  otherwise,
})
const needed = (value: string, says: string): OptionHelp => ({ ...given(value, says), required: true })
const several = (value: string, says: string, otherwise?: string): OptionHelp => ({
  ...given(value, `${says} Repeatable.`, otherwise),
  multiple: true,
})
const flag = (says: string): OptionHelp => ({ type: 'boolean', says })
const adopted = (value: string, what: string): OptionHelp =>
  given(value, `Answers a question of an earlier run: ${what} was created, and this is its id.`)

const CONFIG = needed('FILE', 'The config of the connector, JSON: import_url, client_id, api_key; serve prints one.')
const CATALOG = needed(
  'FILE',
  'The configured catalog, JSON: the streams of a source, their modes and keys. docs/tables-and-rows.md shows one.',
)
const SUMMARY = given(
  'FILE',
  'Write a summary of the run to this file, one JSON object for programs: docs/summary.md. No data.',
  'none',
)
const FAIL_ON_CHANGE = flag('--dry-run: exit with 1 if keys, tables or the set of fields are not those of --compare.')
const EXAMPLE = flag('Print a sample config that explains every option.')

const TEXTS = {
  spec: {
    brief: 'print the connector specification',
    usage: ['spec'],
    about:
      'Prints the connector specification: one SPEC message of the Airbyte protocol, with every option of the config as a JSON Schema that forms are made from. It reads no file and connects to nothing.',
    options: {},
    examples: [['See what a platform sees:', 'spec']],
    exits: { 0: 'printed', ...MISUSE },
    more: 'docs/configuration.md; write --schema prints a schema for editors.',
  },
  check: {
    brief: 'test the configuration, the connection and the key',
    usage: ['check --config FILE [--exit-code]'],
    about:
      'Tests everything that a write needs: the config, the connection to the service, the key. It prints one CONNECTION_STATUS message that names everything that is wrong and what to do about it; at a terminal, a line for each. It writes nothing.',
    options: {
      config: CONFIG,
      'exit-code': flag('Exit with 1 if something is wrong, for scripts.'),
    },
    examples: [
      ['Test a config:', 'check --config config.json'],
      ['Before something else, in a script:', 'check --config config.json --exit-code'],
    ],
    environment: { 'https_proxy, http_proxy, no_proxy': PROXY, NO_COLOR },
    exits: {
      0: 'whatever it found: read the status, SUCCEEDED or FAILED; with --exit-code: write can start',
      1: '--exit-code: something is wrong',
      ...MISUSE,
    },
    more: 'docs/configuration.md.',
  },
  plan: {
    brief: 'what a catalog would become, before any data moves',
    usage: ['plan --catalog FILE [--config FILE] [--json]'],
    about:
      'Shows what a catalog would become, before any data moves: the table of each stream, what identifies a row, warnings, and what a write would refuse. It connects to nothing.',
    options: {
      catalog: CATALOG,
      config: given(
        'FILE',
        'The config of the connector, for its options about tables and streams.',
        'the default of every option',
      ),
      json: flag('Print one JSON object for programs instead of a table for people.'),
    },
    examples: [
      ['Look before the first sync:', 'plan --catalog catalog.json'],
      ['The same, with a config, for a program:', 'plan --catalog catalog.json --config config.json --json'],
    ],
    environment: { NO_COLOR },
    exits: { 0: 'write would accept the catalog', 1: 'write would refuse the catalog; the output says why', ...MISUSE },
    more: 'docs/tables-and-rows.md.',
  },
  write: {
    brief: 'Airbyte messages on standard input → tables; STATE lines come back',
    usage: [
      'write --config FILE --catalog FILE [--report FILE] [--summary FILE [--compare OLD]] < MESSAGES',
      'write --catalog FILE --dry-run [--config FILE] [--json] [--compare OLD [--fail-on-change]] < MESSAGES',
      'write --schema',
    ],
    about:
      'Reads Airbyte messages from standard input, one per line, and stores their records as rows of tables. It prints a STATE on standard output as soon as everything before it is stored, besides LOG lines and at most one TRACE ERROR. After a crash, run it again from the last STATE.',
    options: {
      config: { ...CONFIG, unless: 'dry-run' },
      catalog: CATALOG,
      report: given(
        'FILE',
        'Write a report of the run to this file, one self-contained HTML page: what limited the run, rejected records, outages, rates over time. No data.',
        'none',
      ),
      summary: SUMMARY,
      compare: given(
        'OLD',
        'Compare with the summary of an earlier run, at the end: other keys or tables, fields that are new, gone or of another kind, streams without records, counts that moved. Needs --summary, which may be the same file, or --dry-run.',
        'nothing is compared',
      ),
      'fail-on-change': FAIL_ON_CHANGE,
      'dry-run': flag(
        'Read the input as a run does, send and keep nothing, and print what the run would do: rows, rejected records, fields. Without --config: with the default of every option.',
      ),
      json: flag('--dry-run: print one JSON object for programs instead of a table for people.'),
      schema: flag(schemaWords(NAMES_IN_JSON)),
    },
    examples: [
      ['See before sending:', 'write --catalog catalog.json --dry-run < messages.jsonl'],
      ['Store what a source printed:', 'write --config config.json --catalog catalog.json < messages.jsonl'],
      ['Keep the STATE messages:', 'write --config config.json --catalog catalog.json < messages.jsonl > back.jsonl'],
      ['See every request:', 'LOG_LEVEL=debug write --config config.json --catalog catalog.json < messages.jsonl'],
    ],
    environment: {
      LOG_LEVEL: `The minimum level of LOG lines: ${LOG_LEVEL}`,
      'https_proxy, http_proxy, no_proxy': PROXY,
      NO_COLOR,
    },
    exits: {
      0: 'everything is stored; --dry-run: it would be, if the service refuses nothing',
      1: 'failed: the TRACE ERROR says why and what to do; everything before the last STATE is stored; --dry-run: the run would fail',
      ...MISUSE,
      ...STOPPED,
    },
    more: 'docs/configuration.md, docs/tables-and-rows.md, docs/guarantees.md, docs/troubleshooting.md.',
  },
  stream: {
    brief: 'Kafka topics → tables, as a member of a consumer group',
    usage: [
      'stream --config FILE [--report FILE] [--summary FILE]',
      'stream --config FILE --check',
      'stream --config FILE --dry-run [--json] [--records N] [--compare OLD [--fail-on-change]]',
      'stream --config FILE --from-dead-letters [--report FILE] [--summary FILE]',
      'stream --example | --schema',
    ],
    about:
      'Reads Kafka topics as a member of a consumer group and stores their records as rows of tables, until it is stopped. It commits an offset when everything before it is stored. Start as many processes as there are partitions, at most.',
    options: {
      config: given('FILE', 'The config of the stream, YAML or JSON. Secrets come from variables or files.'),
      check: flag(
        'Test whether it can start: brokers, topics, group, service, and a sample of the newest records. Nothing is written or committed.',
      ),
      'dry-run': flag(
        'Read what the group would read now, send, keep and commit nothing, and print what the run would do with it; warn of what the first records show. A group of its own reads, and is deleted at the end.',
      ),
      json: flag('--dry-run: print one JSON object for programs instead of a table for people.'),
      records: given('N', '--dry-run: read at most so many records, of each partition as many.', 'all that are there'),
      compare: given('OLD', '--dry-run: compare with the summary of an earlier run.', 'nothing is compared'),
      'fail-on-change': FAIL_ON_CHANGE,
      'from-dead-letters': flag('Store the dead letters that exist now, as if just read from their topics, and end.'),
      report: given('FILE', 'Write a report of the run to this file, one self-contained HTML page. No data.', 'none'),
      summary: SUMMARY,
      example: EXAMPLE,
      schema: flag(schemaWords(NAMES_IN_YAML)),
    },
    examples: [
      ['Start from a sample config:', 'stream --example > stream.yaml'],
      ['Test it first:', 'stream --check --config stream.yaml'],
      ['Stream until Ctrl-C:', 'stream --config stream.yaml'],
    ],
    environment: {
      LOG_LEVEL: `The minimum level of log entries: ${LOG_LEVEL}`,
      'https_proxy, http_proxy, no_proxy': PROXY,
      'what the config names':
        '${NAME} in the config is the value of the variable NAME. Keep secrets there, or in files.',
      NO_COLOR,
    },
    exits: {
      0: '--from-dead-letters: all are stored; --check: it can start; --dry-run: the run would go on',
      1: 'failed: the last error in the log says why; --check: it cannot start, or would stop at any record; --dry-run: the run would fail',
      ...MISUSE,
      ...STOPPED,
    },
    more: 'docs/stream.md.',
  },
  report: {
    brief: 'a summary of a run → a page for people',
    usage: ['report --summary SUMMARY > report.html'],
    about:
      'Prints the page that --report of write and stream leaves, from a summary that --summary left: one self-contained HTML page that says what held the run back and what to do. It connects to nothing.',
    options: { summary: needed('SUMMARY', 'The file that --summary left. The name of the option may be left out.') },
    examples: [['Look at a run of yesterday:', 'report summary.json > report.html']],
    exits: { 0: 'printed', 1: 'the file is no summary; standard error says why', ...MISUSE },
    more: 'docs/summary.md.',
  },
  explain: {
    brief: 'what a code of an error means, and what to do',
    usage: ['explain --code CODE'],
    about:
      'Prints what a code means, why it comes and what to do, and what an event of the log means: the same as docs/troubleshooting.md. Codes stand in brackets at the end of messages, in TRACE, logs and summaries. It connects to nothing.',
    options: { code: needed('CODE', 'Such as service.key-refused. The name of the option may be left out.') },
    examples: [['After an error that ends in [service.key-refused]:', 'explain service.key-refused']],
    exits: { 0: 'printed', ...MISUSE },
    more: 'docs/troubleshooting.md.',
  },
  onboard: {
    brief: 'create a client, a user, a connection and dashboards, each once',
    usage: [
      'onboard --config FILE [--journal FILE] [--output FILE] [--json] [--dry-run]',
      'onboard --config FILE [--client-id N] [--user-id N] [--connection-id N] [--job-id N] [--dashboard-id ID] [--not-created ENDPOINT]…',
      'onboard --example | --schema',
    ],
    about:
      'Provisions a client end to end: a client, a user, a connection to its store database, dashboards. Each is created once, even when a run is interrupted and started again: a journal keeps what was created. Where the outcome of a step is unknown, it asks (exit code 3), and an option answers.',
    options: {
      config: given(
        'FILE',
        'What to provision, and as which user, YAML or JSON. Secrets come from variables or files.',
      ),
      journal: given('FILE', 'Where it records what was created.', 'beside the config: FILE.journal'),
      output: given('FILE', 'Also write the result to this file, as JSON: every id.', 'none'),
      json: flag('Print progress and result as JSON lines, for programs.'),
      'dry-run': flag('Show the requests, without secrets, and send none.'),
      'client-id': adopted('N', 'the client'),
      'user-id': adopted('N', 'the user'),
      'connection-id': adopted('N', 'the connection'),
      'job-id': adopted('N', "the connection test's job"),
      'dashboard-id': adopted('ID', "the dashboards' job"),
      'not-created': several(
        'ENDPOINT',
        'Answers a question of an earlier run: it was not created, so create it. A2, A4, A6, A8 or A10, as the question says.',
      ),
      example: EXAMPLE,
      schema: flag(schemaWords(NAMES_IN_YAML)),
    },
    examples: [
      ['Start from a sample config:', 'onboard --example > onboard.yaml'],
      ['See what would be sent:', 'onboard --config onboard.yaml --dry-run'],
      ['Provision, and keep the ids:', 'onboard --config onboard.yaml --output onboarded.json'],
    ],
    environment: {
      LOG_LEVEL: 'Only debug has an effect: one line per request among the steps, never data, never a secret.',
      'https_proxy, http_proxy, no_proxy': PROXY,
      'what the config names':
        '${NAME} in the config is the value of the variable NAME. Keep secrets there, or in files.',
    },
    exits: {
      0: 'onboarded',
      1: 'failed: standard error says why and what to do',
      ...MISUSE,
      3: 'a question is open: standard error says which, and how to answer',
      ...STOPPED,
    },
    more: 'docs/onboarding.md.',
  },
  serve: {
    brief: 'a local simulator of the Analytics Service',
    usage: ['serve [OPTIONS]'],
    about:
      'Runs a local simulator of the Analytics Service until Ctrl-C: the import interface, its sandbox and the onboarding interface at one address. It prints a config that fits. Options make it slow, faulty or strict.',
    options: {
      port: given('N', 'The port to listen on; 0 picks a free one.', '8585'),
      host: given(
        'H',
        'The address to listen on. Whoever reaches it sees and changes everything under /_local, without a key.',
        '127.0.0.1, only this machine',
      ),
      client: several('ID:KEY', 'A client that may write, and its key.', '7:demo-key'),
      data: given('FILE', 'Keep rows in this SQLite file, which outlasts the process.', 'rows are kept in memory'),
      load: several(
        '[TABLE=]FILE',
        'Fill a table of the first client at the start, from JSON lines, one data point each. The table is named after the file.',
      ),
      latency: given(
        'MS|MS-MS',
        'Delay each request of the import interface by this many milliseconds, or by a random time between two.',
        '0',
      ),
      'error-rate': given('SHARE', 'The share of upserts, from 0 to 1, that end in 500, 503 or a reset.', '0'),
      seed: given('N', 'Repeat the same random choices.', 'random'),
      'max-body': given('BYTES', 'Answer larger bodies with 413.', '268435456 (256 MiB)'),
      'rate-limit': given('N', 'Answer with 429 above this many requests per second and client.', 'no limit'),
      compat: flag('For older client libraries: answer every accepted upsert with 201, and label bodies text/html.'),
      'no-payloads': flag('The page shows no bodies of requests and answers, and none are kept for it.'),
      'allow-origin': several(
        'ORIGIN',
        'Let web pages of this origin, such as http://localhost:3000, use it, paths under /_local too.',
        'only its own page',
      ),
      user: several('NAME:PASSWORD', 'A user who may ask for access tokens.', 'demo@example.com:demo-password'),
      oauth: several('ID:SECRET', 'An OAuth client and its secret.', '1:demo-secret'),
      'token-seconds': given('N', 'How long an access token is valid, in seconds.', '14400'),
      'job-seconds': given('N', 'How long each onboarding job takes, in seconds.', '1'),
    },
    examples: [
      ['Start a service to write to:', 'serve'],
      [
        'A slow one that sometimes fails and keeps its rows:',
        'serve --latency 20-200 --error-rate 0.05 --data rows.db',
      ],
    ],
    environment: { NO_COLOR: 'Print headings without bold on a terminal.' },
    exits: { 0: 'stopped', 1: 'it could not start: standard error says why', ...MISUSE },
    more: 'docs/local-service.md.',
  },
  demo: {
    brief: 'a whole sync against a local service, in a few seconds',
    usage: ['demo'],
    about:
      'Onboards a client and writes a whole captured sync, against a local service of its own, in a few seconds. It needs no config, no account and no network, and leaves nothing behind.',
    options: {},
    examples: [['See it work:', 'demo']],
    exits: { 0: 'the sync arrived', 1: 'a step failed', ...MISUSE },
    more: 'README.md, "Try it", does the same by hand.',
  },
} satisfies Record<string, CommandHelp>

export type CommandName = keyof typeof TEXTS

export const HELP: Readonly<Record<CommandName, CommandHelp>> = TEXTS
