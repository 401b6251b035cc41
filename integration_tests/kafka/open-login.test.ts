// A login that others could read on its way, to a registry or a broker, is refused before anything is sent; also where a broker
// of this machine sends its clients on to another.

import { once } from 'node:events'
import { expect, it } from 'vitest'
import { start, told, workFolder } from '../connector.ts'
import { FakeBroker } from './fake-broker.ts'

const PASSWORD = 'canary-password'
const sasl = { mechanism: 'plain', username: 'ada', password: '${PASSWORD}' }

const ENV = { PATH: process.env['PATH'], API_KEY: 'canary-key', PASSWORD }

const configOf = (kafka: object): object => ({
  import_url: 'http://127.0.0.1:1',
  client_id: 7,
  api_key: '${API_KEY}',
  kafka,
  topics: [{ topic: 'topic-0', keys: ['id'] }],
})

async function stream(options: readonly string[], kafka: object, more: object = {}): ReturnType<typeof told> {
  await using work = await workFolder()
  const file = await work.file('config.json', { ...configOf({ group: 'g', sasl, ...kafka }), ...more })
  const { code, text } = await told(['stream', ...options, '--config', file], { env: ENV })
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

it.concurrent('reads where that is allowed', async () => {
  await using pair = await startPair()
  await using work = await workFolder()
  const kafka = { group: 'g', sasl, brokers: pair.near.bootstrap, allow_insecure_login: true }
  const child = start(['stream', '--config', await work.file('config.json', configOf(kafka))], { env: ENV })
  const ended = once(child, 'close')
  try {
    await expect.poll(() => pair.far.fetches, { timeout: 60_000 }).toBeGreaterThan(0)
  } finally {
    child.kill('SIGKILL')
    await ended
  }
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
    expect(text).toMatch(/`kafka\.sasl` sends the password in plain text .*set `kafka\.allow_insecure_login`/)
    expect(text).toMatch(/`schema_registry\.url` uses http:, .* set schema_registry\.allow_insecure_http/)
  }
})
