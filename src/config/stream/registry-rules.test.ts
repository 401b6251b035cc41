// The group `schema_registry` of a config of `stream`: what is wrong, what is odd, and what becomes of it.

import { expect, it } from 'vitest'
import type { RegistryLogin } from './stream-config.ts'
import { ENV, readConfig, type Changes } from './testing/stream-configs.ts'

const URL = 'https://registry.example.com/apis/ccompat/v7/'
const encoded = { value_encoding: 'registry' }
const withRegistry = (registry: unknown, topic: object = encoded): Changes => ({
  top: { schema_registry: registry },
  topic: topic as Record<string, unknown>,
})

it.each<[Changes, ...string[]]>([
  [{ topic: encoded }, '`topics[0].value_encoding` is registry, but `schema_registry` is missing'],
  [{ topic: { ...encoded, key_encoding: 'registry' } }, '`topics[0].value_encoding` is', '`topics[0].key_encoding` is'],
  [{ topic: { value_encoding: 'avro' } }, '`topics[0].value_encoding` must be'],
  [withRegistry({}), '`schema_registry.url` is required'],
  [withRegistry('https://a'), '`schema_registry` must be a group of options'],
  [withRegistry({ url: 'registry:8081' }), '`schema_registry.url` must begin with https://'],
  [withRegistry({ url: 'https://u:canary@a' }), 'the password belongs in schema_registry.password'],
  [withRegistry({ url: 'https://a?token=canary', token: '${TOKEN}' }), 'the token belongs in schema_registry.token'],
  [withRegistry({ url: URL, username: 'u' }), '`schema_registry.password` is required with `username`'],
  [withRegistry({ url: URL, password: '${PASSWORD}' }), '`schema_registry.username` is required with `password`'],
  [withRegistry({ url: URL, username: 'a:b', password: '${PASSWORD}' }), '`schema_registry.username` holds a colon'],
  [
    withRegistry({ url: URL, username: 'u', password: 'canary7Zq9Kp3Wv5xT' }),
    '`schema_registry.password` must not be in',
  ],
  [withRegistry({ url: URL, logical_cluster: 'l' }), '`schema_registry.logical_cluster` is sent beside a token'],
  [
    withRegistry({ url: URL, username: 'u', password: '${PASSWORD}', identity_pool_id: 'p' }),
    '`schema_registry.identity_pool_id` is sent beside a token',
  ],
  [withRegistry({ url: URL, token: '${TOKEN}', logical_cluster: 'a\r\nb: c' }), 'must be printable ASCII in one line'],
  [withRegistry({ url: URL, username: 'u', token: '${TOKEN}' }), '`schema_registry.token` cannot be combined with'],
  [
    withRegistry({ url: 'http://a', token: '${TOKEN}' }),
    '`schema_registry.url` uses http:, which would send the token unencrypted to a: use https:, or set schema_registry.allow_insecure_http',
  ],
  [
    withRegistry({ url: 'http://registry:8081', username: 'u', password: '${PASSWORD}' }),
    'the password unencrypted to registry: use https:, or set schema_registry.allow_insecure_http',
  ],
  [
    withRegistry({ url: 'http://localhost.example.com', token: '${TOKEN}', allow_insecure_http: false }),
    'the token unencrypted to localhost.example.com',
  ],
  [withRegistry({ url: URL, client_key: '${PASSWORD}' }), '`schema_registry.client_key`'],
  [withRegistry({ url: URL, ca_certificate: 'no PEM' }), '`schema_registry.ca_certificate`'],
])('%j is refused', async (changes, ...expected) => {
  const { config, problems } = await readConfig(changes)
  expect(config).toBeUndefined()
  expect(problems.length).toBe(expected.length)
  expected.forEach((words, index) => expect(problems[index]).toContain(words))
  expect(problems.join()).not.toMatch(/canary/)
})

it.each<[Changes, string]>([
  [withRegistry({ url: URL }, {}), '`schema_registry` has no effect'],
  [
    withRegistry({ url: URL }, { ...encoded, key_encoding: 'registry' }),
    '`topics[0].key_encoding` has no effect unless the record key identifies rows',
  ],
])('%j is odd', async (changes, expected) => {
  const { config, warnings } = await readConfig(changes)
  expect(config).toBeDefined()
  expect(warnings).toEqual([expect.stringContaining(expected)])
})

it.each(['http://127.0.0.1:8081', 'http://localhost:8081', 'http://[::1]:8081'])('%s takes a secret', async (url) => {
  const { config, warnings } = await readConfig(withRegistry({ url, token: '${TOKEN}' }))
  expect(warnings).toEqual([])
  expect(config!.registry).toMatchObject({ url })
})

it('an http: address takes a secret where that is allowed', async () => {
  for (const allowed of [true, 'true', '${YES}']) {
    const registry = { url: 'http://a', username: 'u', password: '${PASSWORD}', allow_insecure_http: allowed }
    const { config, problems, warnings } = await readConfig(withRegistry(registry), { ...ENV, YES: 'true' })
    expect([...problems, ...warnings]).toEqual([])
    expect(config!.registry).toMatchObject({ url: 'http://a', login: { username: 'u' } })
  }
})

it('that the service may be reached without TLS says nothing of the registry', async () => {
  const { top } = withRegistry({ url: 'http://a', token: '${TOKEN}' })
  const { problems } = await readConfig({ top: { ...top, allow_insecure_http: true }, topic: encoded })
  expect(problems).toEqual([expect.stringContaining('set schema_registry.allow_insecure_http')])
})

it('an http: address without a secret is taken as it is', async () => {
  const { config, warnings } = await readConfig(withRegistry({ url: 'http://registry:8081' }))
  expect(warnings).toEqual([])
  expect(config!.registry).toMatchObject({ url: 'http://registry:8081', login: undefined })
})

it('logins are secrets, and the address has no slash at its end', async () => {
  const basic = await readConfig(withRegistry({ url: URL, username: 'u', password: '${PASSWORD}' }))
  const { url, login } = basic.config!.registry!
  expect(url).toBe('https://registry.example.com/apis/ccompat/v7')
  expect(login).toMatchObject({ username: 'u' })
  expect(await textOf(login)).toBe(ENV.PASSWORD)
  expect(JSON.stringify(basic.config)).not.toMatch(/canary/)
  expect(basic.secrets).toContain(ENV.PASSWORD)
  const bearer = await readConfig(withRegistry({ url: URL, token: '${TOKEN}' }))
  const { login: token } = bearer.config!.registry!
  const more = { token: '${TOKEN}', logical_cluster: 'lsrc-1', identity_pool_id: 'pool-2' }
  const { config } = await readConfig(withRegistry({ url: URL, ...more }))
  expect(config!.registry!.login).toMatchObject({ logicalCluster: 'lsrc-1', identityPoolId: 'pool-2' })
  expect(await textOf(token)).toBe(ENV.TOKEN)
})

async function textOf(login: RegistryLogin | undefined): Promise<string | undefined> {
  return typeof login?.secret === 'function' ? (await login.secret()).reveal() : undefined
}

it.each(['two words', 'tökén'])('a token that no header can carry is refused: %j', async (token) => {
  const { problems } = await readConfig(withRegistry({ url: URL, token: '${TOKEN}' }), { ...ENV, TOKEN: token })
  expect(problems).toEqual([expect.stringContaining('`schema_registry.token` holds what no HTTP header can carry')])
})

it('is not there where no topic needs it', async () => {
  const { config } = await readConfig(withRegistry({ url: URL }, {}))
  expect(config!.registry).toBeUndefined()
  const plain = await readConfig({})
  expect(plain.config!.topics[0]).toMatchObject({ valueEncoding: 'text', keyEncoding: 'text' })
})
