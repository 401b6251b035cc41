// What is wrong with a config of `stream`, and what is odd: in words, all at once, without its values.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { exampleOf } from '../../../spec/example.ts'
import { streamSchema } from './stream-options.ts'
import { readStreamConfig } from './stream-load.ts'
import { configText, ENV, readConfig, type Changes } from './testing/stream-configs.ts'

const STREAM_EXAMPLE = exampleOf('stream', streamSchema)

const plain = { mechanism: 'plain', username: 'u', password: '${PASSWORD}' }
const twoTopics = (...topics: object[]): Changes => ({
  top: { topics: topics.map((topic) => Object.assign({ keys: ['id'] }, topic)) },
})

const WRONG: [Changes, ...string[]][] = [
  [{ top: { import_url: undefined } }, '`import_url` is required'],
  [{ top: { import_url: 'http://import.example.com' } }, '`import_url` uses http:'],
  [{ top: { use_sandbox: true } }, '`sandbox_import_url` is required when'],
  [{ top: { use_sandbox: true, sandbox_import_url: 'ftp://x' } }, '`sandbox_import_url` must begin with https://'],
  [{ top: { sandbox: { mode: 'on' } } }, '`sandbox.import_url` is required'],
  [{ top: { sandbox: { mode: 'off' }, use_sandbox: false } }, '`sandbox` cannot be combined with `use_sandbox`'],
  [{ top: { client_id: -1 } }, '`client_id` must be at least 0'],
  [{ top: { api_key: 'canary7Zq9Kp3Wv5xT' } }, '`api_key` must not be in the file'],
  [
    { top: { table_prefix: 'shop_${PASSWORD}_' } },
    '`table_prefix` has a variable within other text, and only a whole value',
  ],
  [{ top: { table_prefix: '${PASSWORD:-shop}' } }, '`table_prefix` has a variable within other text'],
  [{ top: { kafka: { brokers: 'a:9092', group: 'g-${PASSWORD}' } } }, '`kafka.group` has a variable within other text'],
  [
    { topic: { keys: { key: 'Yes' } } },
    '`topics[0].keys.key` is read as the text "yes", not as true: write `key: true`',
  ],
  [{ top: { api_key: '${NOWHERE}' } }, '`api_key` refers to the variable NOWHERE, which is not set'],
  [{ top: { api_key: { file: '/nowhere/file' } } }, '`api_key` refers to a file: '],
  [{ top: { max_points: 101 } }, '`max_points` must be at most 100'],
  [{ top: { streams: [] } }, '`streams` is unknown'],
  [{ top: { topic_refresh_seconds: 5 } }, '`topic_refresh_seconds` is unknown; it is an option of `kafka`'],
  [
    { kafka: { login: { username: 'canary7Zq9Kp3Wv5xT', password: '${PASSWORD}' } } },
    '`kafka.login` is unknown; its contents are options of `kafka.sasl`',
  ],
  [{ topic: { group: 'canary7Zq9Kp3Wv5xT' } }, '`topics[0].group` is unknown; it is an option of `kafka`'],
  [
    { kafka: { ca_certificate: 'canary7Zq9Kp3Wv5xT' } },
    '`kafka.ca_certificate` is unknown; it is an option of `kafka.tls`',
  ],
  [{ top: { broker_deadline_seconds: 5 } }, '`broker_deadline_seconds` is unknown; it is an option of `kafka`'],
  [
    { top: { topic: [] } },
    '`topic` is unknown; it is an option of `topics[]` or `dead_letters`; did you mean `topics`?',
  ],
  [{ top: { kafkaa: {} } }, '`kafkaa` is unknown; did you mean `kafka`?'],
  [{ top: { kafka: null } }, '`kafka.brokers` is required', '`kafka.group` is required'],
  [{ top: { kafka: 'a:1' } }, '`kafka` must be a group of options, found a string'],
  [{ kafka: { brokers: [] } }, '`kafka.brokers` is empty'],
  [{ kafka: { brokers: ' , ' } }, '`kafka.brokers` is empty'],
  [{ kafka: { brokers: 5 } }, '`kafka.brokers` must be an array, found a number'],
  ...['a', 'a:', ':9092', 'PLAINTEXT://a:1', 'a:0', '[::1]:9092', '::1', 'u:p@a:1', 'a:1/x'].map(
    (broker): [Changes, string] => [
      { kafka: { brokers: ['b:1', broker] } },
      '`kafka.brokers[1]` must be a host name (or IPv4 address) and a port',
    ],
  ),
  [{ kafka: { brokers: 'a:65536' } }, '`kafka.brokers[0]` has a port above 65535'],
  [{ kafka: { group: '' } }, '`kafka.group` is empty'],
  [{ kafka: { group: 'a\u0000b' } }, '`kafka.group` must be one line of text'],
  [{ kafka: { group: 5 } }, '`kafka.group` must be a string, found a number'],
  [{ kafka: { session_timeout_seconds: 0 } }, '`kafka.session_timeout_seconds` must be at least 1'],
  [
    { kafka: { session_timeout_seconds: 8 } },
    '`kafka.heartbeat_seconds` must be at most a third of `kafka.session_timeout_seconds`, which is 8',
  ],
  [
    { kafka: { session_timeout_seconds: 90 } },
    '`kafka.rebalance_timeout_seconds` must be at least `kafka.session_timeout_seconds`, which is 90',
  ],
  [{ kafka: { broker_deadline_seconds: 59 } }, '`kafka.broker_deadline_seconds` must be at least 60'],
  [{ kafka: { tls: 'yes' } }, '`kafka.tls` must be a group of options, found a string'],
  [{ kafka: { tls: { ca_certificate: 'canary7Zq9Kp3Wv5xT' } } }, '`kafka.tls.ca_certificate` holds no PEM certificate'],
  [{ kafka: { tls: { client_key: 'canary7Zq9Kp3Wv5xT' } } }, '`kafka.tls.client_key` must not be in the file'],
  [{ kafka: { sasl: {} } }, '`kafka.sasl.mechanism` is required'],
  [{ kafka: { sasl: { mechanism: 'gssapi' } } }, '`kafka.sasl.mechanism` must be one of "plain", '],
  [
    { kafka: { tls: true, sasl: { mechanism: 'plain' } } },
    '`kafka.sasl.username` is required',
    '`kafka.sasl.password` is required with the mechanism plain',
  ],
  [
    { kafka: { tls: true, sasl: { ...plain, token: '${TOKEN}' } } },
    '`kafka.sasl.token` cannot be combined with the mechanism plain',
  ],
  [
    { kafka: { tls: true, sasl: { ...plain, mechanism: 'OAUTHBEARER' } } },
    '`kafka.sasl.token` is required with the mechanism oauthbearer',
    '`kafka.sasl.username` cannot be combined',
    '`kafka.sasl.password` cannot be combined',
  ],
  [{ top: { topics: undefined } }, '`topics` is required'],
  [{ top: { topics: [] } }, '`topics` is empty'],
  [{ top: { topics: { topic: 'a' } } }, '`topics` must be an array, found an object: write [ { topic: a } ]'],
  [
    { top: { topics: ['orders'] } },
    '`topics[0]` must be a group of options, found a string: write { topic: orders, keys: [ id ] }',
  ],
  [{ topic: { topic: undefined } }, '`topics[0]` needs a `topic` or a `pattern`'],
  [{ topic: { pattern: 'a' } }, '`topics[0]` needs a `topic` or a `pattern`, not both'],
  [{ topic: { topic: 'a b' } }, '`topics[0].topic` must be the name of a topic'],
  [{ topic: { topic: '${NOWHERE}' } }, '`topics[0].topic` refers to the variable NOWHERE'],
  [
    { topic: { topic: undefined, pattern: 'a(' } },
    '`topics[0].pattern` is not a regular expression: Unterminated group',
  ],
  [
    { topic: { topic: undefined, pattern: 'a'.repeat(257) } },
    '`topics[0].pattern` must be at most 256 characters long',
  ],
  [
    { topic: { topic: undefined, pattern: 'a', table: 't' } },
    '`topics[0].table` would be that of every topic the pattern matches',
  ],
  [{ topic: { table: 'a-b' } }, '`topics[0].table` may hold letters'],
  [{ topic: { table: 'Rejected_Records' } }, '`topics[0].table` is a name reserved'],
  [{ topic: { format: 'canary7Zq9Kp3Wv5xT' } }, '`topics[0].format` must be one of "json", "airbyte", "debezium"'],
  ...['avro', 'Protobuf', 'json-schema'].map((format): [Changes, string] => [
    { topic: { format } },
    'write `value_encoding: registry` instead, and its address as `schema_registry`',
  ]),
  [
    { topic: { keys: undefined } },
    '`topics[0].keys` is required with the format json: one of [id] (fields of the value), { key: true } or { key: NAME }',
  ],
  [{ topic: { keys: undefined, format: 'airbyte' } }, '`topics[0].keys` is required with the format airbyte'],
  ...['id', 5, true, {}, { value: ['a'], key: true }, { key: 'a', offset: true }].map((keys): [Changes, string] => [
    { topic: { keys } },
    '`topics[0].keys` must be one of [id]',
  ]),
  [{ topic: { keys: [] } }, '`topics[0].keys` is empty'],
  [{ topic: { keys: { epoch: 1 } } }, '`topics[0].keys` needs, beside `epoch`, one of'],
  [{ topic: { keys: { offset: true, epoch: -1 } } }, '`topics[0].keys.epoch` must be at least 0'],
  [{ topic: { keys: { offset: false } } }, '`topics[0].keys.offset` must be true'],
  [{ topic: { keys: { key: false } } }, '`topics[0].keys.key` must be true (the record key'],
  [{ topic: { keys: { key: 'keys' } } }, '`topics[0].keys.key` is a field that rows need'],
  [
    { topic: { keys: { ky: true } } },
    '`topics[0].keys.ky` is unknown; did you mean `key`?',
    '`topics[0].keys` must be',
  ],
  [{ topic: { keys: ['a', ''] } }, '`topics[0].keys[1]` is empty'],
  [{ topic: { keys: ['a', null, 5] } }, '`topics[0].keys[1]` is required', '`topics[0].keys[2]` must be a name'],
  [{ topic: { keys: ['a_b', '/a/b'] } }, '`topics[0].keys[1]` becomes the same field'],
  [{ topic: { keys: ['a', '/a/b'] } }, '`topics[0].keys[1]` and one before it are one inside the other'],
  [{ topic: { keys: ['/a/b=c'] } }, '`topics[0].keys[0]` holds a ='],
  [{ topic: { keys: ['/a~2b'] } }, '`topics[0].keys[0]` has a ~ without a 0 or 1 after it'],
  [{ topic: { keys: ['__deleted'] } }, '`topics[0].keys[0]` becomes the field __deleted'],
  [{ topic: { null_keys: 'dead_letter' } }, '`topics[0].null_keys` must be one of'],
  [{ topic: { null_key: 'stop' } }, '`topics[0].null_key` is unknown; did you mean `null_keys`?'],
  ...(['null_keys', 'tombstones', 'unavailable'] as const).map((option): [Changes, string] => [
    { topic: { [option]: 'dead-letter' } },
    `\`topics[0].${option}\` is dead-letter, but \`dead_letters\` is not set`,
  ]),
  [
    { topic: { format: 'debezium', tombstones: 'fail' } },
    '`topics[0].tombstones` must be mark or ignore with the format debezium',
  ],
  [{ topic: { primary_key: ['id'] } }, '`topics[0].primary_key` is unknown; did you mean `keys`?'],
  ...['hex:', 'hex:7', 'hex:zz'].map((given): [Changes, string] => [
    { topic: { format: 'debezium', unavailable_placeholder: given } },
    '`topics[0].unavailable_placeholder` must have two hexadecimal digits for each byte behind hex:',
  ]),
  [{ topic: { tombstones: 'mark' } }, '`topics[0].tombstones` can be mark only with the record key'],
  [
    { topic: { tombstones: 'mark', keys: { offset: true } } },
    '`topics[0].tombstones` can be mark only with the record key',
  ],
  [{ topic: { start: '2026-01-31T00:00:00' } }, '`topics[0].start` has no time zone'],
  [{ topic: { start: 2026 } }, '`topics[0].start` as a number must be milliseconds'],
  [{ topic: { start: true } }, '`topics[0].start` must be earliest, latest'],
  [{ topic: { out_of_range: 'ignore' } }, '`topics[0].out_of_range` must be one of'],
  [twoTopics({ topic: 'a' }, { topic: 'b' }, { topic: 'a' }), '`topics[2].topic` stands in `topics[0]` already'],
  [twoTopics({ pattern: 'a' }, { pattern: 'a' }), '`topics[1].pattern` stands in `topics[0]` already'],
  [twoTopics({ topic: 'a.b' }, { topic: 'a-b' }), '`topics[1].table` is not its own: the topics "a.b" and "a-b"'],
  [
    twoTopics({ topic: 'a', table: 'T' }, { topic: 'b', table: 't', shared_table: true }),
    '`topics[1].table` is not its own',
  ],
  [{ top: { dead_letters: {} } }, '`dead_letters` must be { topic: NAME } or { file: PATH }'],
  [{ top: { dead_letters: { topic: 'a', file: 'b' } } }, '`dead_letters` must be { topic: NAME } or { file: PATH }'],
  [{ top: { dead_letters: 'file' } }, '`dead_letters` must be a group of options'],
  [{ top: { dead_letters: { topic: 'a b' } } }, '`dead_letters.topic` must be the name of a topic'],
  [{ top: { dead_letters: { topic: 'orders' } } }, '`topics[0].topic` is the topic of `dead_letters`'],
  [{ top: { health: {} } }, '`health.port` is required'],
  [{ top: { health: 8080 } }, '`health` must be a group of options, found a number: write { port: 8080 }'],
  [{ top: { health: { port: 65_536 } } }, '`health.port` must be at most 65535'],
  [{ top: { health: { port: 1, host: 'a b' } } }, '`health.host` must be a host name'],
  [{ top: { commit_every_seconds: 0 } }, '`commit_every_seconds` must be at least 0.1'],
]

it.each(WRONG)('%j is wrong', async (changes, ...problems) => {
  const read = await readConfig(changes)
  expect(read.config).toBeUndefined()
  expect(read.problems.join('\n')).not.toContain('canary-')
  expect(read.problems).toHaveLength(problems.length)
  for (const problem of problems) expect(read.problems.join('\n')).toContain(problem)
})

it('white space around a secret is told', async () => {
  const { warnings } = await readConfig(
    { kafka: { tls: true, sasl: plain } },
    { ...ENV, API_KEY: ' a', PASSWORD: 'b\n' },
  )
  expect(warnings).toEqual([
    expect.stringContaining('`api_key` begins'),
    expect.stringContaining('`kafka.sasl.password`'),
  ])
})

it('secrets that are too short to be hidden well are told', async () => {
  const { warnings } = await readConfig(
    {
      kafka: { tls: true, sasl: plain },
      topic: { value_encoding: 'registry' },
      top: { schema_registry: { url: 'https://r', username: 'u', password: '${SHORTEST}' } },
    },
    { ...ENV, API_KEY: 'data', PASSWORD: 'wrong', SHORTEST: 'b' },
  )
  expect(warnings).toEqual([
    expect.stringContaining('`api_key` is shorter than 8 characters'),
    expect.stringContaining('`kafka.sasl.password` is shorter than 8 characters'),
    expect.stringContaining('`schema_registry.password` is shorter than 3 characters'),
  ])
})

it('all is told at once, by line', async () => {
  const text = STREAM_EXAMPLE.replace('client_id: 7', 'client_id: x')
    .replace('  group: warehouse', '  gruop: warehouse')
    .replace('mechanism: scram', 'mechanism: skram')
    .replace('    keys: [id]', '    keys:\n      - id\n      - ""')
    .replace('port: 8080', 'port: -1')
  const { problems } = await readStreamConfig(text, { env: {}, folder: '' })
  const lineOf = (start: string): number => text.split('\n').findIndex((line) => line.includes(start)) + 1
  expect(problems).toEqual(
    [
      `line ${lineOf('client_id: x')}: \`client_id\` must be a whole number, found a string`,
      expect.stringMatching(`^line ${lineOf('api_key: $')}: .api_key. refers to the variable ANALYTICS_API_KEY`),
      `line ${lineOf('gruop')}: \`kafka.gruop\` is unknown; did you mean \`group\`?`,
      `line ${lineOf('  brokers:')}: \`kafka.group\` is required`,
      expect.stringContaining('`kafka.sasl.mechanism`'),
      expect.stringContaining('`kafka.sasl.password` refers to the variable KAFKA_PASSWORD'),
      `line ${lineOf('      - ""')}: \`topics[0].keys[1]\` is empty`,
      `line ${lineOf('port: -1')}: \`health.port\` must be at least 0, found -1`,
    ].toSorted((a, b) => order(a) - order(b)),
  )
})

function order(problem: unknown): number {
  return Number(/line (\d+)/.exec(String(problem))?.[1])
}

describe('a file that is no config', () => {
  it('but one of write, is told as one, and nothing else', async () => {
    const text = JSON.stringify({ import_url: 'https://a.example.com', client_id: 7, api_key: 'canary-key' })
    const { problems } = await readStreamConfig(text, { env: ENV, folder: '' })
    expect(problems).toEqual(['the file looks like a config of write: stream needs `kafka` and `topics` too'])
  })

  it('has no place where a value is that is no option', async () => {
    const topics = [{ keys: { value: [[['canary7Zq9Kp3Wv5xT']]] } }]
    const { config, problems } = await readStreamConfig(`topics: ${JSON.stringify(topics)}`, { env: ENV, folder: '' })
    expect(config).toBeUndefined()
    expect(problems.join('\n')).toContain('`topics[0].keys.value[0]` must be a name')
  })
})

it('takes anything without throwing, and quotes none of its values', async () => {
  const names = [
    'import_url',
    'api_key',
    'kafka',
    'topics',
    'dead_letters',
    'health',
    'brokers',
    'sasl',
    'tls',
    'password',
    'topic',
    'pattern',
    'keys',
    'value',
    'key',
    'start',
    'unavailable',
    'file',
  ]
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom<unknown>('canary7Zq9Kp3Wv5xT', 'canary:1', 'canary,', '${canary', null, true, 7, -1, 1e300, ''),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 5 }),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), value), async (members) => {
      const text = JSON.stringify({ ...(JSON.parse(configText()) as object), ...members })
      const { problems, warnings } = await readStreamConfig(text, { env: ENV, folder: '/nowhere' })
      // a pattern is no secret, and a path is what its user has to look at
      const told = [...problems, ...warnings].filter((words) => !/refers to a file|same table/.test(words))
      expect(told.join('\n')).not.toContain('canary')
    }),
    { numRuns: 300 },
  )
})
