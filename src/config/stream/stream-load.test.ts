// What `stream` makes of a config that is right; stream-load-faults.test.ts has the others.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { exampleOf } from '../../../spec/example.ts'
import { streamSchema } from './stream-options.ts'
import { ConnectorError } from '../../core/errors.ts'
import { NoSecretError } from '../../core/secret.ts'
import { loadStreamConfig, readStreamConfig } from './stream-load.ts'
import { configText, ENV, readConfig } from './testing/stream-configs.ts'
import { ownFolder } from '../../process/testing/own-folder.ts'

const STREAM_EXAMPLE = exampleOf('stream', streamSchema)

const EXAMPLE_ENV = { ANALYTICS_API_KEY: 'canary-key', KAFKA_PASSWORD: 'canary-password' }

const folder = ownFolder('test')

it('reads the example', async () => {
  const { config, problems, warnings } = await readStreamConfig(STREAM_EXAMPLE, { env: EXAMPLE_ENV, folder })
  expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
  expect(config).toMatchObject({
    service: { baseUrl: 'https://import.example.com', clientId: 7, sandbox: false },
    limits: { maxPoints: 100, requestTimeoutMs: 20_000, concurrency: undefined },
    tablePrefix: '',
    metadataColumns: [],
    kafka: { group: 'warehouse', tls: {}, sasl: { mechanism: 'scram-sha-512', username: 'warehouse' } },
    topics: [{ topic: { name: 'orders' }, format: 'json', keys: { from: 'value', paths: [['id']] } }],
    rejects: { onRejected: 'dead-letter', topic: 'orders.dead-letters', file: undefined },
    health: { host: '0.0.0.0', port: 8080 },
  })
  expect(config!.service.apiKey.reveal()).toBe(EXAMPLE_ENV.ANALYTICS_API_KEY)
  expect(JSON.stringify(config)).not.toContain('canary')
})

it('fills in every default of a least config', async () => {
  const { config, problems, warnings } = await readConfig({})
  expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
  const { service, limits, ...rest } = config!
  expect(service.apiKey.reveal()).toBe(ENV.API_KEY)
  expect(limits.lateWriteGuardMs).toBe(60_000)
  expect(rest).toEqual({
    tablePrefix: '',
    metadataColumns: [],
    kafka: {
      brokers: ['kafka.example.com:9092'],
      group: 'g',
      clientId: 'destination-analytics-service',
      sessionTimeoutMs: 30_000,
      rebalanceTimeoutMs: 60_000,
      heartbeatMs: 3_000,
      brokerDeadlineMs: 900_000,
      topicRefreshMs: 60_000,
      tls: undefined,
      sasl: undefined,
      allowInsecureLogin: false,
    },
    registry: undefined,
    topics: [
      {
        topic: { name: 'orders' },
        format: 'json',
        valueEncoding: 'text',
        keyEncoding: 'text',
        table: undefined,
        sharedTable: false,
        keys: { from: 'value', paths: [['id']] },
        nullKeys: 'stop',
        epoch: 0,
        tombstones: 'ignore',
        unavailable: 'fail',
        unavailablePlaceholder: '__debezium_unavailable_value',
        truncate: 'stop',
        start: 'earliest',
        outOfRange: 'stop',
        keepLast: true,
        maxRejected: undefined,
        maxRejectedShare: undefined,
      },
    ],
    rejectLimits: { maxRejected: undefined, maxRejectedShare: 0.5, isShareGiven: false },
    rejects: { onRejected: 'stop', topic: undefined, file: undefined, logKeys: false },
    files: [],
    health: undefined,
    commitEveryMs: 1_000,
    stallDeadlineMs: 900_000,
  })
})

it('knows every file that it refers to, which no summary may replace', async () => {
  writeFileSync(join(folder, 'key.txt'), 'canary-key')
  const text = STREAM_EXAMPLE.replace(/^(\s*api_key:).*$/m, '$1 { file: key.txt }')
  const { config, problems } = await readStreamConfig(text, { env: EXAMPLE_ENV, folder })
  expect(problems).toEqual([])
  expect(config!.files).toEqual([join(folder, 'key.txt')])
})

describe('keys', () => {
  it.each([
    [
      ['id', '/customer/id', ['a/b', 'c'], '/x~1y/~0'],
      { from: 'value', paths: [['id'], ['customer', 'id'], ['a/b', 'c'], ['x/y', '~']] },
    ],
    [{ value: 'id' }, { from: 'value', paths: [['id']] }],
    [{ value: ['key', 'offset'] }, { from: 'value', paths: [['key'], ['offset']] }],
    [{ key: true }, { from: 'key', field: undefined }],
    [{ key: 'true' }, { from: 'key', field: 'true' }],
    [{ key: 'id' }, { from: 'key', field: 'id' }],
    [
      { key: 'id', type: 'text' },
      { from: 'key', field: 'id', type: 'text' },
    ],
    [{ offset: true }, { from: 'offset', epoch: 0 }],
    [
      { offset: true, epoch: 3 },
      { from: 'offset', epoch: 3 },
    ],
  ])('%j', async (keys, read) => {
    const { config, problems } = await readConfig({ topic: { keys } })
    expect(problems).toEqual([])
    expect(config!.topics[0]!.keys).toEqual(read)
  })

  it('have a type only where they are plain, and no schema says it', async () => {
    const of = async (topic: Readonly<Record<string, unknown>>): Promise<unknown> =>
      (await readConfig({ topic })).problems
    expect(await of({ keys: { key: true, type: 'text' } })).toEqual([
      expect.stringContaining('needs the field of a plain'),
    ])
    expect(await of({ keys: { key: 'id', type: 'text' }, key_encoding: 'registry' })).toContainEqual(
      expect.stringContaining('cannot be combined with `key_encoding: registry`'),
    )
  })

  it('of debezium are those of the record, unless others are given', async () => {
    const of = async (keys: unknown): Promise<unknown> =>
      (await readConfig({ topic: { format: 'debezium', keys } })).config?.topics[0]!.keys
    expect(await of(undefined)).toEqual({ from: 'key', field: undefined })
    expect(await of(null)).toEqual({ from: 'key', field: undefined })
    expect(await of(['id'])).toEqual({ from: 'value', paths: [['id']] })
  })

  it('may have an epoch for records without one', async () => {
    const { config, warnings } = await readConfig({ topic: { keys: { key: true, epoch: 2 }, null_keys: 'offset' } })
    expect(config!.topics[0]).toMatchObject({ keys: { from: 'key' }, nullKeys: 'offset', epoch: 2 })
    expect(warnings).toEqual([])
  })
})

describe('short forms', () => {
  it.each([['a:1, b:2,'], [['a:1', ' b:2 ', 'a:1']], ['${BROKERS}'], [['${FIRST}', 'b:2']]])(
    'of brokers: %j',
    async (brokers) => {
      const env = { ...ENV, BROKERS: 'a:1,b:2', FIRST: 'a:1' }
      expect((await readConfig({ kafka: { brokers } }, env)).config?.kafka.brokers).toEqual(['a:1', 'b:2'])
    },
  )

  it.each([
    [true, {}],
    ['${YES}', {}],
    [{}, {}],
    [false, undefined],
    [null, undefined],
  ])('of tls: %j', async (tls, read) => {
    const { config } = await readConfig({ kafka: { tls } }, { ...ENV, YES: 'true' })
    expect(config!.kafka.tls === undefined ? undefined : {}).toEqual(read)
  })

  it('of a mechanism: as Kafka writes it', async () => {
    const sasl = { mechanism: 'SCRAM-SHA-256', username: 'u', password: '${PASSWORD}' }
    const { config } = await readConfig({ kafka: { sasl } })
    expect(config!.kafka.sasl).toMatchObject({ mechanism: 'scram-sha-256', username: 'u' })
  })
})

it('takes the word null of unavailable with and without quotes, and nothing for nothing', async () => {
  const of = async (word: string): Promise<unknown> => {
    const text = [
      'import_url: https://import.example.com\nclient_id: "7"\napi_key: ${API_KEY}',
      'kafka: { brokers: "a:1", group: g }\ntopics:',
      `  - { topic: a, format: debezium }\n  - topic: b\n    format: debezium\n    unavailable:${word}\n`,
    ].join('\n')
    const { config, problems } = await readStreamConfig(text, { env: ENV, folder })
    expect(problems).toEqual([])
    return config!.topics[1]!.unavailable
  }
  expect([await of(' null'), await of(' "null"'), await of(' ~'), await of(' # null'), await of('')]).toEqual([
    'null',
    'null',
    'null',
    'fail',
    'fail',
  ])
  for (const unavailable of [null, 'null']) {
    const { config } = await readConfig({ topic: { format: 'debezium', unavailable } })
    expect(config!.topics[0]!.unavailable).toBe('null')
  }
})

it('takes whole values from the environment, numbers too', async () => {
  const env = {
    ...ENV,
    CLIENT: '12',
    GROUP: '34',
    SECONDS: '7.5',
    PORT: '80',
    TOPIC: 'x',
    START: '1769817600000',
    ON: 'true',
  }
  const { config, problems } = await readConfig(
    {
      top: {
        client_id: '${CLIENT}',
        health: { port: '${PORT}' },
        commit_every_seconds: '${SECONDS}',
        log_keys: '${ON}',
      },
      kafka: { group: '${GROUP}' },
      topic: { topic: '${TOPIC}', start: '${START}' },
    },
    env,
  )
  expect(problems).toEqual([])
  expect(config).toMatchObject({
    service: { clientId: 12 },
    health: { port: 80 },
    commitEveryMs: 7_500,
    rejects: { logKeys: true },
    kafka: { group: '34' },
    topics: [{ topic: { name: 'x' }, start: { timestamp: 1_769_817_600_000n } }],
  })
})

it.each([
  ['sandbox.import_url', { sandbox: { mode: 'on', import_url: 'https://sandbox.example.com/' } }],
  ['sandbox_import_url', { use_sandbox: true, sandbox_import_url: 'https://sandbox.example.com/' }],
])('needs only the sandbox address for the sandbox: %s', async (addressOption, sandbox) => {
  const top = { import_url: undefined, ...sandbox }
  expect((await readConfig({ top })).config?.service).toMatchObject({
    baseUrl: 'https://sandbox.example.com',
    sandbox: true,
    addressOption,
  })
})

it('begins paths beside the file', async () => {
  const of = async (file: string): Promise<unknown> =>
    (await readConfig({ top: { dead_letters: { file } } })).config?.rejects.file
  expect(await of('letters.jsonl')).toBe('/etc/stream/letters.jsonl')
  expect(await of('/data/letters.jsonl')).toBe('/data/letters.jsonl')
})

describe('certificates', () => {
  const { trusted, client } = JSON.parse(
    readFileSync(new URL('../../service/http/certificates.test.json', import.meta.url), 'utf8'),
  ) as Record<'trusted' | 'client', { certificate: string; key: string }>

  it('come from files, of the service and of the brokers', async () => {
    for (const [name, text] of [
      ['ca', trusted.certificate],
      ['cert', client.certificate],
      ['key', client.key],
    ] as const)
      writeFileSync(join(folder, name), text)
    const files = { ca_certificate: { file: 'ca' }, client_certificate: { file: 'cert' }, client_key: { file: 'key' } }
    const text = configText({ top: files, kafka: { tls: files } })
    const { config, problems, secrets } = await readStreamConfig(text, { env: ENV, folder })
    expect(problems).toEqual([])
    for (const tls of [config!.service, config!.kafka.tls!]) {
      expect(tls.caCertificate).toBe(trusted.certificate.trimEnd())
      expect(tls.clientKey!.reveal()).toBe(client.key.trimEnd())
    }
    expect(secrets).toContain(client.key.trimEnd())
  })

  it('must fit', async () => {
    const tls = { client_certificate: trusted.certificate, client_key: '${KEY}' }
    const { problems } = await readConfig({ top: tls, kafka: { tls } }, { ...ENV, KEY: client.key })
    expect(problems).toEqual([
      'line 1: `client_key` does not belong to `client_certificate`',
      'line 1: `kafka.tls.client_key` does not belong to `client_certificate`',
    ])
  })
})

describe('loading', () => {
  const file = '/etc/stream/config.yaml'

  it('tells the secrets first, then gives the config', async () => {
    const told: string[][] = []
    const { config, warnings, secrets } = await loadStreamConfig(configText(), {
      env: ENV,
      file,
      learn: (all) => told.push([...all]),
    })
    expect(config.kafka.group).toBe('g')
    expect({ warnings, secrets, told }).toEqual({ warnings: [], secrets: [ENV.API_KEY], told: [[ENV.API_KEY]] })
  })

  it.each([
    ['kafka.sasl.token', { mechanism: 'oauthbearer', token: { file: 'secret' } }, undefined],
    ['kafka.sasl.password', { mechanism: 'plain', username: 'u', password: { file: 'secret' } }, undefined],
    ['kafka.sasl.password', { mechanism: 'scram-sha-256', username: 'u', password: { file: 'secret' } }, undefined],
    ['schema_registry.token', undefined, { token: { file: 'secret' } }],
    ['schema_registry.password', undefined, { username: 'u', password: { file: 'secret' } }],
  ])('reads the file of %s again when it is asked to, and tells it first', async (option, sasl, registry) => {
    const secret = join(folder, 'secret')
    const told: unknown[] = []
    writeFileSync(secret, 'first-secret\n')
    const more = registry && {
      top: { schema_registry: { url: 'https://registry', ...registry } },
      topic: { value_encoding: 'registry' },
    }
    const { config } = await loadStreamConfig(configText({ kafka: { sasl, allow_insecure_login: true }, ...more }), {
      env: ENV,
      file: join(folder, 'config.yaml'),
      learn: (all, of) => told.push(of, ...all),
    })
    const source = (registry ? config.registry?.login : config.kafka.sasl)?.secret
    if (typeof source !== 'function') throw new TypeError('another login')
    expect((await source()).reveal()).toBe('first-secret')
    writeFileSync(secret, 'second-secret\n')
    expect((await source()).reveal()).toBe('second-secret')
    expect(told.slice(-2)).toEqual([option, 'second-secret'])
    expect(told).toContain('first-secret')
    rmSync(secret)
    const gone = await source().catch((error: unknown) => error)
    expect(gone).toBeInstanceOf(NoSecretError)
    expect(String(gone)).toContain(`${option} refers to a file: `)
  })

  it('throws one error for all problems, secrets told before', async () => {
    const told: string[] = []
    const text = configText({
      kafka: { password: 'stray', sasl: { mechanism: 'plain', password: 'written-out' } },
      topic: { keys: 1 },
    })
    const error: unknown = await loadStreamConfig(text, { env: ENV, file, learn: (all) => told.push(...all) }).catch(
      (error: unknown) => error,
    )
    expect(told).toEqual([ENV.API_KEY, 'written-out', 'stray'])
    expect(error).toBeInstanceOf(ConnectorError)
    const { kind, message } = error as ConnectorError
    expect(kind).toBe('config')
    expect(message).toContain(
      '"/etc/stream/config.yaml" cannot be used (stream --example shows one that can):\n  line 1: ',
    )
    for (const option of ['kafka.password', 'kafka.sasl.password', 'kafka.sasl.username', 'topics[0].keys'])
      expect(message).toContain(`\`${option}\``)
    expect(message).not.toMatch(/stray|written-out/)
  })
})
