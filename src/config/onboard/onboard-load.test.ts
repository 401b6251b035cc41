import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { exampleOf } from '../../../spec/example.ts'
import type { Reading } from '../load.ts'
import { readOnboardConfig, type OnboardConfig } from './onboard-load.ts'
import { onboardOptions } from './onboard-options.ts'
import { ownFolder } from '../../process/testing/own-folder.ts'

const ONBOARD_EXAMPLE = exampleOf('onboard', onboardOptions)

const ENV = { ONBOARD_PASSWORD: 'pass', ONBOARD_CLIENT_SECRET: 'oauth', STORE_DB_PASSWORD: 'db' }

const folder = ownFolder('test')

const read = (text: string, env: Record<string, string> = ENV): Promise<Reading<OnboardConfig>> =>
  readOnboardConfig(text, { env, folder })

/** The example with lines replaced: each pair a beginning of a line, and what stands there instead. */
function example(...changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((text, [start, line]) => {
    const lines = text.split('\n')
    const index = lines.findIndex((candidate) => candidate.trim().replace(/^# /, '').startsWith(start))
    if (index === -1) throw new Error(`no line begins with ${start}`)
    const indent = /^ */.exec(lines[index]!)![0]
    return [...lines.slice(0, index), `${indent}${line}`, ...lines.slice(index + 1)].join('\n')
  }, ONBOARD_EXAMPLE)
}

const problemsOf = async (...changes: readonly (readonly [string, string])[]): Promise<readonly string[]> =>
  (await read(example(...changes))).problems

it('reads the example, with defaults that other options give', async () => {
  const { config, problems, secrets } = await read(ONBOARD_EXAMPLE)
  expect(problems).toEqual([])
  expect(secrets).toEqual(['pass', 'oauth', 'db'])
  expect(config).toMatchObject({
    baseUrl: 'https://onboarding.example.com',
    update: { name: 'Example Shop', properties: { shop_store_db_name: 'shop', shop_store_table_prefix: '' } },
    connection: { name: 'store', displayName: 'store' },
    dashboards: { database: 'shop', tablePrefix: '', userId: undefined },
    test: { pollNumber: 27 },
    timing: { timeouts: { totalMs: 14_400_000 } },
  })
  expect(config?.login.password.reveal()).toBe('pass')
  expect(JSON.stringify(config)).not.toContain('"pass"')
})

/** With nothing that another option gives. */
const givenWith = (properties: object) => ({
  base_url: 'https://a.example.com/',
  dashboard_url: 'http://127.0.0.1:5',
  login: {
    username: 'u',
    password: '${ONBOARD_PASSWORD}',
    client_id: '12',
    client_secret: '${ONBOARD_CLIENT_SECRET}',
  },
  client: {
    tier: 't',
    company: 'Caf\u00e9 \ud83d\ude00',
    first_name: 'f',
    last_name: 'l',
    email: 'a@b',
    role: 'r',
    shop: { customer_id: '1', subscription_id: '2' },
  },
  properties,
  connection: {
    name: 'n',
    credentials: { password: '${STORE_DB_PASSWORD}' },
    properties: { dbName: 'd', host: 'h', username: 'u', port: 3307, useSSL: true, encryption_sshPort: 22 },
  },
  dashboards: { package: 'p', table_prefix: 'm2_' },
})

it('reads JSON as well, tabs and escapes too', async () => {
  const { config } = await read(ONBOARD_EXAMPLE)
  const given = givenWith({
    ...config!.update.properties,
    week_start_day: 0,
    has_guest_checkout: true,
    perform_updates: 0,
  })
  const text = `\uFEFF${JSON.stringify(given, null, '\t').replaceAll('/', String.raw`\/`)}`.slice(1)
  const { config: made, problems } = await read(text)
  expect(problems).toEqual([])
  expect(made).toMatchObject({
    baseUrl: 'https://a.example.com',
    login: { clientId: 12 },
    client: { company: 'Café 😀' },
    user: { email: 'a@b', firstName: 'f', rights: { admin: 1, billing: 0 } },
    update: { properties: { week_start_day: '0', has_guest_checkout: '1', perform_updates: '0', phone_number: null } },
    connection: { properties: { port: '3307', useSSL: 'true', encryption_sshPort: '22', encryption_type: 'none' } },
    dashboards: { database: 'd', tablePrefix: 'm2_' },
  })
})

it('what is given counts, not what another option would give instead', async () => {
  const { config } = await read(ONBOARD_EXAMPLE)
  const given = givenWith({
    ...config!.update.properties,
    shop_store_db_name: 'other_db',
    shop_store_table_prefix: 'other_',
  })
  const { config: made, problems } = await read(
    JSON.stringify({
      ...given,
      client: { ...given.client, name: 'Shop' },
      user: { email: 'own@c', first_name: 'own f', last_name: 'own l' },
      connection: { ...given.connection, display_name: 'Own store' },
      dashboards: { ...given.dashboards, database: 'own_db', user_id: 5 },
    }),
  )
  expect(problems).toEqual([])
  expect(made).toMatchObject({
    client: { company: given.client.company, email: 'a@b', firstName: 'f', lastName: 'l' },
    user: { email: 'own@c', firstName: 'own f', lastName: 'own l' },
    update: { name: 'Shop', properties: { shop_store_db_name: 'other_db', shop_store_table_prefix: 'other_' } },
    connection: { name: 'n', displayName: 'Own store' },
    dashboards: { database: 'own_db', userId: 5, tablePrefix: 'm2_' },
  })
})

describe('a secret', () => {
  it.each(['hunter2hunter2', '"${ONBOARD_PASSWORD} "x', '12345', '[a]', '{ fil: /x }', '"pre${ONBOARD_PASSWORD}"'])(
    'written out as %s is refused and not shown',
    async (text) => {
      const { problems, secrets } = await read(example(['password: ', `password: ${text}`]))
      expect(problems.join('\n')).not.toMatch(/hunter2|12345|pre\$/)
      expect(problems.length).toBeGreaterThan(0)
      if (!text.includes('x')) {
        expect(problems).toEqual([
          expect.stringMatching(/^line 19: `login\.password` must not be in the file: write \$\{NAME\}/),
        ])
        expect(secrets.length).toBeGreaterThan(0)
      }
    },
  )

  it('comes from a file beside the config, or anywhere, without its last line break', async () => {
    writeFileSync(join(folder, 'db'), 'two\nlines\r\n')
    for (const path of ['db', join(folder, 'db')]) {
      const { config, secrets } = await read(example(['password: ${STORE', `password: { file: ${path} }`]))
      expect(config?.connection.password.reveal()).toBe('two\nlines')
      expect(secrets).toContain('two\nlines')
    }
  })

  it('that is not there, or empty, is a problem with its name', async () => {
    writeFileSync(join(folder, 'empty'), '\n')
    const text = example(
      ['password: ${STORE', 'password: { file: none }'],
      ['encryption_password', 'encryption_password: { file: empty }'],
    )
    const { problems } = await read(text, { ONBOARD_PASSWORD: '' })
    expect(problems).toEqual([
      expect.stringMatching(/^line 19: `login\.password` refers to the variable ONBOARD_PASSWORD, which is empty$/),
      expect.stringMatching(/^line 21: .* ONBOARD_CLIENT_SECRET, which is not set/),
      expect.stringMatching(/`connection\.credentials\.password` refers to a file: .*there is no such file/),
      expect.stringMatching(/`connection\.credentials\.encryption_password` refers to the file .*, which is empty/),
    ])
  })
})

it('takes any whole value from the environment', async () => {
  const { config } = await read(example(['company: ', 'company: ${SHOP}'], ['client_id: 1', 'client_id: ${ID}']), {
    ...ENV,
    SHOP: 'From there',
    ID: '42',
  })
  expect(config).toMatchObject({ client: { company: 'From there' }, login: { clientId: 42 } })
})

describe('what is wrong', () => {
  it.each([
    ['base_url', 'base_url: http://onboarding.example.com', '`base_url` uses http:'],
    ['base_url', 'base_url: https://u:p@onboarding.example.com', 'the password belongs in login'],
    ['dashboard_url', 'dashboard_url: ""', '`dashboard_url` is empty'],
    ['client_id: 1', 'client_id: -1', '`login.client_id` must be at least 0'],
    ['client_id: 1', 'client_id: 1.5', '`login.client_id` must be a whole number'],
    ['tier', 'tier: standard\n  tire: x', '`client.tire` is unknown; did you mean `tier`?'],
    ['tier', 'tier: null', '`client.tier` is required'],
    ['email: ada', 'email: ada', '`client.email` must be an e-mail address'],
    [
      'customer_id',
      'customer_id: 0012',
      '`client.shop.customer_id` must be a string, found a number: put it in quotes',
    ],
    ['admin', 'admin: 2', '`user.rights.admin` must be 0 or 1'],
    ['default_currency', 'default_currency: euro', '`properties.default_currency` must be a currency code'],
    ['timezone', 'timezone: "+01:00"', '`properties.timezone` must be the name of a time zone'],
    ['timezone', 'timezone: Europe/Atlantis', '`properties.timezone` must be the name of a time zone'],
    ['week_start_day', 'week_start_day: 8', '`properties.week_start_day` must be the number of a day'],
    ['client_id: 1', 'client_id: 12345678901234567890', '`login.client_id` must be at most 9007199254740991'],
    ['client_id: 1', 'client_id: "12345678901234567890"', '`login.client_id` must be a whole number, found a string'],
    ['client_id: 1', 'client_id: .inf', '`login.client_id` must be a whole number, found infinity'],
    ['client_id: 1', 'client_id: .nan', '`login.client_id` must be a whole number, found no number'],
    ['client_id: 1', 'client_id: one', '`login.client_id` must be a whole number, found a string'],
    ['email: ada', 'email: "ada\\e[31m@example.com"', '`client.email` must be an e-mail address'],
    ['has_guest_checkout', 'has_guest_checkout: yes', '`properties.has_guest_checkout` must be "0" or "1"'],
    ['has_guest_checkout', 'has_guest_checkout: 2', '`properties.has_guest_checkout` must be "0" or "1"'],
    ['useSSL', 'useSSL: "yes"', '`connection.properties.useSSL` must be "true" or "false"'],
    ['username: analytics', 'username: [analytics]', '`connection.properties.username` must be a string'],
    ['type: mysql', 'type: postgres', '`connection.type` must be mysql'],
    ['package', 'package: ""', '`dashboards.package` is empty'],
    ['request_timeout_seconds', 'request_timeout_seconds: 0', '`request_timeout_seconds` must be at least 0.1'],
  ])('%s: %s', async (start, line, words) => {
    const problems = await problemsOf([start, line])
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^line \d+: /)
    expect(problems[0]).toContain(words)
  })

  it('a port beyond 65535', async () => {
    const isPort = fc.oneof(fc.integer({ min: -10, max: 10 }), fc.integer({ min: 65_530, max: 65_540 }), fc.integer())
    await fc.assert(
      fc.asyncProperty(isPort, fc.boolean(), async (port, inQuotes) => {
        const problems = await problemsOf(['port: "3306"', `port: ${inQuotes ? `"${port}"` : port}`])
        const words = expect.stringContaining('`connection.properties.port` must be a port, 1 to 65535')
        expect(problems).toEqual(port >= 1 && port <= 65_535 ? [] : [words])
      }),
    )
  })

  it.each(['soon', '.inf', '-.inf', '.nan', '"5 s"', '[]'])('a time that is no number: %s', async (time) => {
    const [problem] = await problemsOf(['request_timeout_seconds', `request_timeout_seconds: ${time}`])
    expect(problem).toMatch(/^line \d+: `request_timeout_seconds` must be a number, found /)
  })

  it.each([': 1', '"": 1'])('a name that is none: %s', async (line) => {
    expect(await read(`${ONBOARD_EXAMPLE}\n${line}\n`)).toMatchObject({
      problems: [expect.stringContaining('a name that is empty is unknown')],
    })
  })

  it('an option with a dot in its name is not another', async () => {
    const { problems } = await read(`${ONBOARD_EXAMPLE}\nclient.company: x\n`)
    expect(problems).toEqual([expect.stringMatching(/^line \d+: `client\.company` is unknown/)])
  })

  it.each([
    ['{dashboard_url}/x/{user}', 'only in braces'],
    ['{dashboard_url}/a b', 'without spaces'],
    ['/settings', 'begins with {dashboard_url}'],
    ['{dashboard_url', 'only in braces'],
    ['https://é.example.com', 'without spaces'],
  ])('the Referer %s', async (template, words) => {
    const { problems } = await read(`${ONBOARD_EXAMPLE}\nconnection_test: { referer: "${template}" }\n`)
    expect(problems).toEqual([expect.stringContaining(words)])
  })

  it('is told all at once, by line', async () => {
    const problems = await problemsOf(['base_url', 'base_url: ftp://x'], ['tier', 'teir: x'], ['package', 'package: 5'])
    expect(problems.map((problem) => /^line (\d+)/.exec(problem)?.[1])).toEqual(['10', '25', '25', expect.any(String)])
  })

  it('a config of write or stream is told as one, and nothing else', async () => {
    const { problems } = await read('import_url: https://a.example.com\nclient_id: 7\napi_key: canary\nkafkaa: 1')
    expect(problems).toEqual([
      'the file looks like a config of write or stream, for it has `import_url`: onboard needs one of its own, with `base_url`, which onboard --example prints',
    ])
  })

  it.each(['[]', 'just text', '5'])('of a file that is no group of options nothing else is said: %s', async (text) => {
    const { problems } = await read(text)
    expect(problems).toEqual([
      expect.stringMatching(/^the file must be a group of options, found an? (array|string|number)$/),
    ])
  })
})

describe('certificates', () => {
  const { trusted, client } = JSON.parse(
    readFileSync(new URL('../../service/http/certificates.test.json', import.meta.url), 'utf8'),
  ) as Record<'trusted' | 'client', { certificate: string; key: string }>

  it('come from files, and the key is a secret', async () => {
    writeFileSync(join(folder, 'ca'), trusted.certificate)
    writeFileSync(join(folder, 'cert'), client.certificate)
    writeFileSync(join(folder, 'key'), client.key)
    const pems = 'ca_certificate: { file: ca }\nclient_certificate: { file: cert }\nclient_key: { file: key }\n'
    const { config, problems, secrets } = await read(ONBOARD_EXAMPLE + pems)
    expect(problems).toEqual([])
    expect(config?.caCertificate).toContain('BEGIN CERTIFICATE')
    expect(secrets.some((secret) => secret.includes('PRIVATE KEY'))).toBe(true)
  })

  it('must fit', async () => {
    writeFileSync(join(folder, 'cert'), trusted.certificate)
    writeFileSync(join(folder, 'key'), client.key)
    const of = async (text: string): Promise<string> => (await read(ONBOARD_EXAMPLE + text)).problems.join('\n')
    expect(await of('client_certificate: { file: cert }\nclient_key: { file: key }')).toContain('does not belong')
    expect(await of('client_certificate: { file: cert }')).toContain('`client_key` is required')
    expect(await of('ca_certificate: nonsense')).toContain('holds no PEM certificate')
    expect(await of('client_key: { file: none }')).toContain('refers to a file')
  })
})
