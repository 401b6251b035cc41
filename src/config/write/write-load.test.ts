import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { ConnectorError } from '../../core/errors.ts'
import { loadWriteConfig, readWriteConfig } from './write-load.ts'

interface Pair {
  certificate: string
  key: string
}
const { trusted, client } = JSON.parse(
  readFileSync(new URL('../../service/http/certificates.test.json', import.meta.url), 'utf8'),
) as { trusted: Pair; client: Pair }

const KEY = 'k/é+&=%"\\'
const LEAST = { import_url: 'https://import.example.com', client_id: 7, api_key: KEY }

const problemsOf = (more: object): readonly string[] => readWriteConfig(JSON.stringify({ ...LEAST, ...more })).problems
const load = (more: object = {}): ReturnType<typeof loadWriteConfig> =>
  loadWriteConfig(JSON.stringify({ ...LEAST, ...more }), () => {})

test('the least config gets every default', () => {
  const { config, warnings, secrets } = load()
  expect(config.service).toMatchObject({
    baseUrl: 'https://import.example.com',
    addressOption: 'import_url',
    sandbox: false,
    clientId: 7,
  })
  expect(config.service.apiKey.reveal()).toBe(KEY)
  expect(config.limits).toEqual({
    maxPoints: 100,
    maxRequestBytes: 4_194_304,
    maxWaitMs: 1_000,
    bufferBytes: 33_554_432,
    requestTimeoutMs: 60_000,
    retryForMs: 900_000,
    concurrency: undefined,
    maxRequestsPerSecond: undefined,
    lateWriteGuardMs: 60_000,
  })
  expect(warnings).toEqual([])
  expect(secrets).toContain(KEY)
  expect(JSON.stringify(config)).not.toContain(KEY.slice(0, 2))
})

test('every problem at once, in one error that quotes no value', () => {
  const file = JSON.stringify({
    import_url: 'ftp://canary.example.com',
    api_key: 42,
    client_id: 'canary7Zq9Kp3Wv5xT',
    use_sandbox: 'canary7Zq9Kp3Wv5xT',
    max_points: 101,
    concurrency: 0,
    request_timeout_seconds: -1,
    max_wait_ms: 1.5,
    ca_certificate: 'canary7Zq9Kp3Wv5xT',
    older_rows: 'canary7Zq9Kp3Wv5xT',
  })
  const error = new Error('expected')
  let thrown: unknown = error
  try {
    loadWriteConfig(file, () => {})
  } catch (caught) {
    thrown = caught
  }
  expect(thrown).toBeInstanceOf(ConnectorError)
  const { kind, message } = thrown as ConnectorError
  expect(kind).toBe('config')
  const parts = [
    '`import_url` must begin with https://',
    '`api_key` must be a string, found a number',
    '`client_id` must be a whole number, found a string',
    '`use_sandbox` must be true or false, found a string',
    '`max_points` must be at most 100',
    '`concurrency` must be at least 1',
    '`request_timeout_seconds` must be at least 0.1',
    '`max_wait_ms` must be a whole number, found a number with a fraction',
    '`ca_certificate` holds no PEM certificate',
    '`older_rows` must be "refuse" or "keep"',
  ]
  expect(parts.filter((part) => !message.includes(part))).toEqual([])
  expect(message).not.toContain('canary')
})

const KEY_ORIGIN = 'a key is made in the connections area of the product, by adding a data source of the import kind'

test('a number or a truth value in quotes is told to lose them', () => {
  expect(problemsOf({ concurrency: '8', max_points: '5', allow_insecure_http: 'true' })).toEqual([
    '`allow_insecure_http` must be true or false, found a string: remove the quotes',
    '`max_points` must be a whole number, found a string: remove the quotes',
    '`concurrency` must be a whole number, found a string: remove the quotes',
  ])
})

test('a config of stream is told as one', () => {
  const { problems } = readWriteConfig(JSON.stringify({ ...LEAST, kafka: { brokers: [] }, topics: [] }))
  expect(problems).toEqual([expect.stringMatching(/^the file of --config looks like a config of stream/)])
})

test('null is absent, an empty optional text too', () => {
  expect(load({ max_points: null, sandbox_import_url: '', ca_certificate: null }).config).toEqual(load().config)
  expect(problemsOf({ import_url: null, client_id: null, api_key: null })).toEqual([
    '`import_url` is required',
    '`client_id` is required',
    `\`api_key\` is required: ${KEY_ORIGIN}`,
  ])
  expect(problemsOf({ import_url: '', api_key: '' })).toEqual([
    '`import_url` is empty: give the address of the import interface',
    `\`api_key\` is empty: ${KEY_ORIGIN}`,
  ])
})

test.each([['7'], [' 007\n'], [7], [7.0]])('client_id %j is 7', (client_id) => {
  expect(load({ client_id }).config.service.clientId).toBe(7)
})

test.each([['seven'], [7.5], ['7.0'], [-1], [true], [[7]], ['99999999999999999999'], [1e300], ['']])(
  'client_id %j is refused',
  (client_id) => {
    expect(problemsOf({ client_id })).toEqual([expect.stringMatching(/^`client_id` /)])
  },
)

test('with use_sandbox everything goes to the sandbox, and its address is required', () => {
  const sandbox_import_url = 'http://127.0.0.1:9999/sandbox/'
  expect(load({ use_sandbox: true, sandbox_import_url }).config.service).toMatchObject({
    baseUrl: 'http://127.0.0.1:9999/sandbox',
    addressOption: 'sandbox_import_url',
    sandbox: true,
  })
  expect(problemsOf({ use_sandbox: true, sandbox_import_url, import_url: null })).toEqual([])
  expect(problemsOf({ use_sandbox: true })).toEqual(['`sandbox_import_url` is required when `use_sandbox` is true'])
  expect(load({ sandbox_import_url }).config.service.sandbox).toBe(false)
})

test('with the sandbox on everything goes there', () => {
  const import_url = 'http://127.0.0.1:9999/sandbox/'
  const { config, warnings } = load({ sandbox: { mode: 'on', import_url } })
  expect(config.service).toMatchObject({
    baseUrl: 'http://127.0.0.1:9999/sandbox',
    addressOption: 'sandbox.import_url',
    sandbox: true,
  })
  expect(warnings).toEqual([])
  expect(problemsOf({ sandbox: { mode: 'on', import_url }, import_url: null })).toEqual([])
  expect(load({ sandbox: { mode: 'off' } }).config).toEqual(load().config)
  expect(problemsOf({ sandbox: { mode: 'off' }, import_url: null })).toEqual(['`import_url` is required'])
})

test.each<[unknown, string]>([
  [{ mode: 'on' }, '`sandbox.import_url` is required'],
  [{ mode: 'on', import_url: 'ftp://canary.example.com' }, '`sandbox.import_url` must begin with https://'],
  [{ mode: 'canary7Zq9Kp3Wv5xT' }, '`sandbox.mode` must be "off" or "on", found another string'],
  [true, '`sandbox` must be a group of options, found true or false: write { "mode": "off" }'],
])('sandbox %j: %s', (sandbox, problem) => {
  expect(problemsOf({ sandbox })).toEqual([expect.stringContaining(problem)])
  const { service } = readWriteConfig(JSON.stringify({ ...LEAST, sandbox }))
  expect(service.baseUrl).toBeUndefined()
})

test.each<[object, string]>([
  [{ use_sandbox: false }, '`use_sandbox`'],
  [{ sandbox_import_url: 'https://sandbox.example.com' }, '`sandbox_import_url`'],
])('the sandbox cannot be given in both ways: %j', (older, name) => {
  expect(problemsOf({ sandbox: { mode: 'off' }, ...older })).toEqual([
    `\`sandbox\` cannot be combined with ${name} (older names for the same): keep only \`sandbox\``,
  ])
})

test.each([
  ['shop ', '"shop_orders", for white space becomes _: remove the space'],
  [' shop', '"_shoporders", for white space'],
  ['shop_${ENV}_', '"shop___ENV__orders", for a ${…} is no variable here: write what it stands for'],
])('a prefix that was hardly meant as it is is a warning: %j', (prefix, words) => {
  expect(load({ table_prefix: prefix }).warnings).toEqual([
    expect.stringContaining(`\`table_prefix\` makes names of tables such as ${words}`),
  ])
  expect(load({ table_prefix: 'shop-$' }).warnings).toEqual([])
})

test('unknown options are warnings with the nearest name', () => {
  const { warnings } = load({ max_point: 5, maxRequestBytes: 5, colour: 'red', clientid: 7, ['__proto__x\n`']: 1 })
  expect(warnings).toEqual([
    'unknown option `max_point` ignored; did you mean `max_points`?',
    'unknown option `maxRequestBytes` ignored; did you mean `max_request_bytes`?',
    'unknown option `colour` ignored',
    'unknown option `clientid` ignored; did you mean `client_id`?',
    'unknown option `__proto__x??` ignored',
  ])
  expect(readWriteConfig(`{"__proto__":{"api_key":"x"},${JSON.stringify(LEAST).slice(1)}`).warnings).toEqual([
    'unknown option `__proto__` ignored, and it wraps the options: give its contents alone',
  ])
  expect(readWriteConfig('{"connectionConfiguration":{"api_key":"x"}}').warnings).toEqual([
    'unknown option `connectionConfiguration` ignored, and it wraps the options: give its contents alone',
  ])
  expect(readWriteConfig('{"api_kye":"x"}').warnings).toEqual([
    'unknown option `api_kye` ignored; did you mean `api_key`?',
  ])
})

/** A config with a member more in one of its groups, by the group. */
const PLACES: Readonly<Record<string, { options: readonly string[]; with: (more: object) => object }>> = {
  streams: {
    options: [
      'namespace',
      'table',
      'keys',
      'keep_last',
      'identical_records',
      'append_with_primary_key',
      'older_rows',
      'expect',
    ],
    with: (more) => ({ streams: [{ name: 'orders', ...more }] }),
  },
  expect: { options: ['min_records'], with: (more) => ({ streams: [{ name: 'orders', expect: more }] }) },
  rejected: { options: ['table'], with: (more) => ({ rejected_records: { policy: 'table', ...more } }) },
  top: {
    options:
      'append_with_primary_key older_rows table_prefix table_names metadata_columns streams rejected_records max_rejected max_rejected_share sandbox use_sandbox on_rejected'.split(
        ' ',
      ),
    with: (more) => more,
  },
}
/** A slip of the finger at a place of a word. */
const SLIPS: readonly ((word: string, at: number) => string)[] = [
  (word, at) => word.slice(0, at) + word.slice(at + 1),
  (word, at) => word.slice(0, at) + word[at]! + word.slice(at),
  (word, at) => word.slice(0, at) + (word[at + 1] ?? '') + word[at]! + word.slice(at + 2),
  (word, at) => `${word.slice(0, at)}q${word.slice(at + 1)}`,
  (word) => word.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()).replace(/^[a-z]+$/, 'S$&'),
]

test('a slip in an option that decides what rows are, where they go or what becomes of them is refused', () => {
  const place = fc.constantFrom(...Object.keys(PLACES)).map((name) => PLACES[name]!)
  const slip = fc.constantFrom(...SLIPS)
  const value = fc.constantFrom<unknown>('x', 7, true, ['id'], {})
  fc.assert(
    fc.property(place, fc.nat(), slip, fc.nat(), value, (place, which, slip, at, value) => {
      const option = place.options[which % place.options.length]!
      const name = slip(option, at % option.length)
      fc.pre(!place.options.includes(name) && !name.startsWith('_'))
      const read = (name: string, value: unknown) =>
        readWriteConfig(JSON.stringify({ ...LEAST, ...place.with({ [name]: value }) }))
      const { config, problems } = read(name, value)
      expect(config).toBeUndefined()
      expect(problems).toContainEqual(expect.stringMatching(/is unknown; .*did you mean `/))
      // what a platform or another image may add
      for (const [noted, value] of [
        [name, null],
        [name, ''],
        [`$${name}`, 7],
        [`_${name}`, 7],
      ] as const) {
        const { config, warnings } = read(noted, value)
        expect(config).toBeDefined()
        expect(warnings).toHaveLength(1)
      }
    }),
    { numRuns: 300 },
  )
})

test('an option that is missing may be there under another name: the error says so', () => {
  const { api_key: apikey, ...others } = LEAST
  expect(() => loadWriteConfig(JSON.stringify({ ...others, apikey }), () => {})).toThrow(
    /`api_key` is required: .* Note: unknown option `apikey` ignored; did you mean `api_key`\?$/,
  )
})

test('an option of another choice is told so', () => {
  expect(load({ rejected_records: { policy: 'stop', table: 'x' } }).warnings).toEqual([
    'unknown option `rejected_records.table` ignored; it goes with another choice',
  ])
})

test('an option of another group is told where it belongs', () => {
  expect(load({ keep_last: true, table: 'x', path: 'y' }).warnings).toEqual([
    'unknown option `keep_last` ignored; it is an option of `streams[]`',
    'unknown option `table` ignored; it is an option of `streams[]`',
    'unknown option `path` ignored',
  ])
})

test.each([
  ['k3Jx9QpLz2Vn8RtY', true],
  ['3faaa4909b70ad06d0bd3b3f7065a655', true],
  ['QmFzZTY0c3RyaW5nMQ==', true],
  ['550e8400-e29b-41d4-a716-446655440000', true],
  ['maxRequestBytesPerSecond', false],
  ['MAX_REQUEST_BYTES_2', false],
  ['a_rather_long_name_of_nothing', false],
  ['api_key2', false],
])('the name %s is masked: %s, for it may be a secret', (name, masked) => {
  const [warning] = load({ [name]: 1 }).warnings
  expect(warning!.includes(name)).toBe(!masked)
  expect(warning!.includes('it may be a secret')).toBe(masked)
})

test('a catalog in its place is told as one', () => {
  const { problems } = readWriteConfig('{"streams":[{"stream":{"name":"orders"}}]}')
  expect(problems).toEqual([
    expect.stringMatching(/^the file of --config looks like a catalog, which is for --catalog/),
  ])
  expect(readWriteConfig('{"streams":[{"name":"orders"}]}').problems).toContain('`import_url` is required')
})

test.each([
  ['an empty file', '', 'is empty: it must hold a JSON object'],
  ['blanks', ' \n', 'is empty'],
  ['an array', '[]', 'must be a JSON object, found an array'],
  ['null', 'null', 'must be a JSON object, found null'],
  ['a text', '"canary"', 'must be a JSON object, found a string'],
  ['half a file', '{"api_key":"canary"', 'is not valid JSON'],
  ['rubbish', '{"api_key":"canary",\n  canary}', 'is not valid JSON: line 2, column 3'],
  ['a name twice', '{"api_key":"canary",\n"client_id":7,\n"client_id":8}', 'holds `client_id` twice, again in line 3'],
  ['YAML', 'api_key: canary', 'is not valid JSON: line 1, column 1: a JSON object begins with {'],
  ['too much', ' '.repeat(1_048_577), 'is larger than 1 MiB'],
])('%s says what is wrong and quotes nothing', (_, file, problem) => {
  const { problems, config } = readWriteConfig(file)
  expect(config).toBeUndefined()
  expect(problems.join()).toContain(`the file of --config ${problem}`)
  expect(problems.join()).not.toContain('canary')
})

test('certificates: readable, in pairs, belonging together; line breaks may be escaped', () => {
  const both = { client_certificate: client.certificate, client_key: client.key }
  expect(load(both).config.service.clientKey?.reveal()).toBe(client.key)
  expect(load({ ca_certificate: trusted.certificate.replaceAll('\n', '\\n') }).config.service.caCertificate).toBe(
    trusted.certificate,
  )
  expect(load({ ca_certificate: trusted.certificate + client.certificate }).config.service.caCertificate).toBeDefined()
  expect(problemsOf({ client_certificate: client.certificate })).toEqual([
    '`client_key` is required with `client_certificate`',
  ])
  expect(problemsOf({ client_key: client.key })).toEqual(['`client_certificate` is required with `client_key`'])
  expect(problemsOf({ ...both, client_key: trusted.key })).toEqual([
    '`client_key` does not belong to `client_certificate`',
  ])
  expect(problemsOf({ ...both, client_key: 'x' })).toEqual(['`client_key` is not a readable PEM private key'])
  const broken = `${trusted.certificate}-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`
  expect(problemsOf({ ca_certificate: broken })).toEqual(['`ca_certificate` certificate 2 is not readable'])
})

test('what is right stays usable beside what is wrong', () => {
  const { service, secrets } = readWriteConfig(JSON.stringify({ ...LEAST, max_points: 0, client_id: 'x' }))
  expect(service).toMatchObject({ baseUrl: 'https://import.example.com', addressOption: 'import_url' })
  expect(service.clientId).toBeUndefined()
  expect(secrets).toContain(KEY)
})

test('a key that no address can carry is refused, one in white space is a warning', () => {
  expect(problemsOf({ api_key: 'a\uD800b' })).toEqual([expect.stringContaining('`api_key` holds half a character')])
  expect(load({ api_key: 'abc\n' }).warnings).toEqual([expect.stringContaining('white space')])
  expect(load({ api_key: '*******' }).warnings).toEqual([expect.stringContaining('asterisks')])
  expect(load({ api_key: 'one\ntwo' }).warnings).toEqual([expect.stringContaining('contains a line break')])
  expect(load({ api_key: "'key'" }).warnings).toEqual([expect.stringContaining('in quotes of its own')])
  expect(load({ api_key: 'Bearer key' }).warnings).toEqual([expect.stringContaining('Bearer or apikey=')])
  expect(load({ api_key: 'apikey=key' }).warnings).toEqual([expect.stringContaining('Bearer or apikey=')])
  expect(load({ api_key: '${API_KEY}' }).warnings).toEqual([expect.stringContaining('looks like a reference')])
  for (const api_key of ['a*', '${', '$API_KEY', '${a}b'])
    expect(load({ api_key: api_key.padEnd(8, 'x') }).warnings).toEqual([])
  expect(load({ api_key: 'wrong' }).warnings).toEqual([expect.stringContaining('`api_key` is shorter than 8')])
})
