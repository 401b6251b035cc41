// A login that others could read on its way, to a registry or a broker, is refused before anything is sent; also where a broker
// of this machine sends its clients on to another.

import { expect, it } from 'vitest'
import { Secret } from '../src/core/secret.ts'
import { probeBroker } from '../src/kafka/probe-broker.ts'
import { told, workFolder } from './connector.ts'
import { FakeBroker } from './kafka/fake-broker.ts'

const PASSWORD = 'canary-password'
const sasl = { mechanism: 'plain', username: 'ada', password: '${PASSWORD}' }

async function stream(options: readonly string[], kafka: object, more: object = {}): ReturnType<typeof told> {
  await using work = await workFolder()
  const file = await work.file('config.json', {
    import_url: 'http://127.0.0.1:1',
    client_id: 7,
    api_key: '${API_KEY}',
    kafka: { group: 'g', sasl, ...kafka },
    topics: [{ topic: 'topic-0', keys: ['id'] }],
    ...more,
  })
  const env = { PATH: process.env['PATH'], API_KEY: 'canary-key', PASSWORD }
  const { code, text } = await told(['stream', ...options, '--config', file], { env })
  expect(text).not.toContain(PASSWORD)
  return { code, text }
}

/** Two brokers: one of this machine, and one that it sends its clients on to, by a number that is not taken for this machine. */
async function startPair(): Promise<AsyncDisposable & { readonly near: FakeBroker; readonly far: FakeBroker }> {
  const [near, far] = await Promise.all([0, 1].map(() => FakeBroker.start((fetch, broker) => broker.wait(fetch))))
  near!.advertised = far!.advertised = ['127.1', far!.port]
  return {
    near: near!,
    far: far!,
    async [Symbol.asyncDispose]() {
      await near![Symbol.asyncDispose]()
      await far![Symbol.asyncDispose]()
    },
  }
}

it.concurrent.each([
  ['stream', []],
  ['stream --check', ['--check']],
])('%s gives it to no broker of another machine that the cluster names', async (_, options) => {
  await using pair = await startPair()
  const { code, text } = await stream(options, { brokers: pair.near.bootstrap })
  expect(code).toBe(1)
  expect(text).toMatch(new RegExp(`sends its clients on to .*127\\.1:${pair.far.port}`))
  expect(text).toMatch(/was not sent\. Set kafka\.tls, .* or set kafka\.allow_insecure_login\./)
  expect(pair.near.logins).toContain(PASSWORD)
  expect(pair.far.logins).toBe('')
})

it.concurrent('gives it where that is allowed', async () => {
  await using pair = await startPair()
  const address = `127.1:${pair.far.port}`
  const login = { mechanism: 'plain', username: 'ada', password: new Secret(PASSWORD) } as const
  const connection = { brokers: [address], clientId: 'test', tls: undefined, sasl: login }
  const never = new AbortController().signal
  expect(await probeBroker(connection, address, never)).toMatchObject({ found: 'refused' })
  expect(pair.far.logins).toBe('')
  expect(await probeBroker({ ...connection, allowInsecureLogin: true }, address, never)).toMatchObject({
    found: 'ready',
  })
  expect(pair.far.logins).toContain(PASSWORD)
})

it.concurrent('tells both before it asks anybody', async () => {
  const more = {
    schema_registry: { url: 'http://registry.invalid:8081', username: 'ada', password: '${PASSWORD}' },
    topics: [{ topic: 'topic-0', keys: ['id'], value_encoding: 'registry' }],
  }
  for (const options of [[], ['--check']]) {
    const { code, text } = await stream(options, { brokers: 'kafka.invalid:9092' }, more)
    expect(code).toBe(1)
    expect(text).toMatch(/`kafka\.sasl` sends the password as it stands .*set `kafka\.allow_insecure_login`/)
    expect(text).toMatch(/`schema_registry\.url` is an http: address, .* set schema_registry\.allow_insecure_http/)
  }
})
