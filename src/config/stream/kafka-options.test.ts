// A login that others could read on its way to a broker.

import { describe, expect, it } from 'vitest'
import { SENT_AS_IT_STANDS } from './kafka-options.ts'
import { ENV, readConfig } from './testing/stream-configs.ts'

type Options = Readonly<Record<string, unknown>>

const plain = { mechanism: 'plain', username: 'u', password: '${PASSWORD}' }
const bearer = { mechanism: 'OAUTHBEARER', token: '${TOKEN}' }

const read = (kafka: Options) => readConfig({ kafka }, { ...ENV, YES: 'true' })

describe('a login that is sent as it stands', () => {
  it.each<[Options, string, string]>([
    [{ sasl: plain }, 'plain', 'password'],
    [{ sasl: bearer }, 'oauthbearer', 'token'],
    [{ sasl: plain, tls: false }, 'plain', 'password'],
    [{ sasl: plain, allow_insecure_login: false }, 'plain', 'password'],
    [{ sasl: plain, brokers: 'localhost:9092,kafka.example.com:9092' }, 'plain', 'password'],
    [{ sasl: plain, brokers: ['127.0.0.1.example.com:9092'] }, 'plain', 'password'],
    [{ sasl: bearer, brokers: ['127.0.0.1:9092', '0.0.0.0:9092'] }, 'oauthbearer', 'token'],
    [{ sasl: plain, brokers: ['10.0.0.1:9092'] }, 'plain', 'password'],
  ])('is refused without TLS: %j', async (kafka, mechanism, secret) => {
    const { config, problems } = await read(kafka)
    expect(config).toBeUndefined()
    const words = `\`kafka.sasl\` sends the ${secret} in plain text (${mechanism}), and without \`kafka.tls\` others on the way`
    expect(problems).toEqual([expect.stringContaining(words)])
    expect(problems[0]).toMatch(/set `kafka\.tls`, choose a scram mechanism, or set `kafka\.allow_insecure_login`$/)
  })

  it.each(Object.entries(SENT_AS_IT_STANDS))('is %s: what it sends there is %s', async (mechanism, option) => {
    const secret = mechanism === 'oauthbearer' ? { token: '${TOKEN}' } : { username: 'u', password: '${PASSWORD}' }
    const { problems } = await read({ sasl: { mechanism, ...secret } })
    expect(problems.map((text) => /sends the (\w+)/.exec(text)?.[1])).toEqual(option === undefined ? [] : [option])
    expect(option === undefined).toBe(mechanism.startsWith('scram-'))
  })

  it.each<Options>([
    { sasl: plain, tls: true },
    { sasl: bearer, tls: {} },
    { sasl: plain, allow_insecure_login: true },
    { sasl: bearer, allow_insecure_login: '${YES}' },
    { sasl: plain, brokers: 'localhost:9092, 127.0.0.1:9093,127.1.2.3:9094' },
    { sasl: bearer, brokers: ['LocalHost:9092'] },
    { sasl: { ...plain, mechanism: 'scram-sha-256' } },
    { sasl: { ...plain, mechanism: 'SCRAM-SHA-512' } },
  ])('is taken: %j', async (kafka) => {
    const { config, problems, warnings } = await read(kafka)
    expect([...problems, ...warnings]).toEqual([])
    expect(config!.kafka.allowInsecureLogin).toBe('allow_insecure_login' in kafka)
  })

  it('is not spoken of where more is wrong with it', async () => {
    expect((await read({ sasl: plain, tls: 5 })).problems).toEqual([expect.stringContaining('`kafka.tls`')])
    expect((await read({ sasl: { mechanism: 'plain', username: 'u' } })).problems).toEqual([
      expect.stringContaining('`kafka.sasl.password` is required'),
      expect.stringContaining('`kafka.sasl` sends'),
    ])
  })
})

describe('extensions', () => {
  it('are names of letters and printable values', async () => {
    const extensions = { logicalCluster: 'lkc-1', constructor: 'a b=c' }
    const { config, problems } = await read({ sasl: { ...bearer, extensions }, tls: true })
    expect(problems).toEqual([])
    expect(config!.kafka.sasl).toMatchObject({ extensions })
  })

  it.each<[object, RegExp]>([
    [{ auth: 'x' }, /extensions\.auth` is where the token itself stands/],
    [{ Auth: 'x' }, /extensions\.Auth` is where the token itself stands/],
    [{ 'a-b': 'x' }, /is no name of an extension/],
    [{ a: 'x\ny' }, /extensions\.a` must be printable ASCII in one line/],
    [{ a: 'x\u0001auth=Bearer y' }, /extensions\.a` must be printable ASCII/],
    [{ a: 'é' }, /extensions\.a` must be printable ASCII/],
    [{ a: '' }, /extensions\.a`/],
  ])('of another kind are refused: %j', async (extensions, found) => {
    const { problems } = await read({ sasl: { ...bearer, extensions }, tls: true })
    expect(problems).toEqual([expect.stringMatching(found)])
  })

  it('are no part of another login', async () => {
    const { problems } = await read({ sasl: { ...plain, extensions: { a: 'b' } }, tls: true })
    expect(problems).toEqual([
      expect.stringContaining('`kafka.sasl.extensions` cannot be combined with the mechanism plain'),
    ])
  })
})

describe('an identity', () => {
  const oauth = { token_url: 'https://idp/token', client_id: 'c', client_secret: '${PASSWORD}' }
  const readOauth = (more: object) =>
    read({ sasl: { mechanism: 'oauthbearer', oauth: { ...oauth, ...more } }, tls: true })

  it('has an address, a client and what proves that it is it', async () => {
    const { config, problems } = await readOauth({ scope: 'a b' })
    expect(problems).toEqual([])
    const { sasl } = config!.kafka
    const address = { option: 'token_url', url: 'https://idp/token' }
    expect(sasl).toMatchObject({ secret: { group: 'kafka.sasl.oauth', address, clientId: 'c', scope: 'a b' } })
    if (!sasl || typeof sasl.secret === 'function') throw new TypeError('another login')
    expect((await sasl.secret.proof.read()).reveal()).toBe(ENV.PASSWORD)
    expect(JSON.stringify(config)).not.toContain(ENV.PASSWORD)
  })

  it.each<[object, RegExp]>([
    [{ token_url: undefined }, /oauth\.token_url` is required, or `issuer`/],
    [{ issuer: 'https://idp' }, /oauth\.issuer` cannot be combined with `token_url`/],
    [{ client_id: undefined }, /oauth\.client_id` is required/],
    [{ client_secret: undefined }, /oauth\.client_secret` is required, or `assertion`/],
    [{ assertion: '${TOKEN}' }, /oauth\.assertion` cannot be combined with `client_secret`/],
    [{ client_secret: 'canary7Zq9Kp3Wv5xT' }, /oauth\.client_secret` must not be in the file/],
    [
      { token_url: 'http://idp/token' },
      /oauth\.token_url` uses http:, which would send the secret of the client unencrypted to idp: use https:$/,
    ],
    [{ token_url: 'https://u:p@idp/token' }, /oauth\.token_url` must contain no user name/],
    [{ scope: 'a\nb' }, /oauth\.scope` must be printable ASCII/],
    [{ client_auth: 'jwt' }, /oauth\.client_auth`/],
    [{ ca_certificate: 'no' }, /oauth\.ca_certificate` holds no PEM certificate/],
  ])('that is not whole is refused: %j', async (more, found) => {
    const { problems } = await readOauth(more)
    expect(problems).toEqual([expect.stringMatching(found)])
  })

  it('is by http: on this machine alone', async () => {
    expect((await readOauth({ token_url: 'http://127.0.0.1:8080/token' })).problems).toEqual([])
  })

  it('is no part of another login, and no other login of it', async () => {
    const of = async (sasl: object): Promise<string[]> => [...(await read({ sasl, tls: true })).problems]
    expect(await of({ mechanism: 'oauthbearer', oauth, token: '${TOKEN}' })).toEqual([
      expect.stringContaining('`kafka.sasl.token` cannot be combined with `oauth`'),
    ])
    expect(await of({ ...plain, oauth })).toEqual([
      expect.stringContaining('`kafka.sasl.oauth` cannot be combined with the mechanism plain'),
    ])
  })

  it("is the registry's too, Kafka's or its own", async () => {
    const sasl = { mechanism: 'oauthbearer', oauth }
    const ofRegistry = async (oauth: unknown, more: object = {}) => {
      const top = { schema_registry: { url: 'https://registry', oauth, ...more } }
      return readConfig({ kafka: { sasl, tls: true }, top, topic: { value_encoding: 'registry' } })
    }
    const { kafka, registry } = (await ofRegistry('kafka', { logical_cluster: 'l' })).config!
    expect(registry!.login).toMatchObject({ kind: 'bearer', logicalCluster: 'l' })
    expect(registry!.login!.secret).toBe(kafka.sasl!.secret)
    const own = (await ofRegistry({ ...oauth, client_id: 'd' })).config!.registry!.login
    expect(own).toMatchObject({ secret: { group: 'schema_registry.oauth', clientId: 'd' } })
    expect((await ofRegistry('kafka', { token: '${TOKEN}' })).problems).toEqual([
      expect.stringContaining('`schema_registry.token` cannot be combined with `oauth`'),
    ])
    const top = { schema_registry: { url: 'https://registry', oauth: 'kafka' } }
    expect((await readConfig({ top, topic: { value_encoding: 'registry' } })).problems).toEqual([
      expect.stringContaining("`schema_registry.oauth` is Kafka's, and `kafka.sasl.oauth` is missing"),
    ])
  })
})
