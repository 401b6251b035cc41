// Logins and permissions on a real broker: those that are right work, all others are told with what to do, and no password or
// token is ever told.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReadSecret } from '../../src/core/secret.ts'
import { reads } from '../../src/core/testing/reads.ts'
import type { KafkaSaslConfig } from '../../src/config/stream/stream-config.ts'
import { describeOwnKafka, uniqueName } from './available.ts'
import type { Broker } from './broker.ts'
import { Member } from './member.ts'
import { allow, certificates, PASSWORDS, startSecureBroker, tokenFor } from './secure-broker.ts'
import type { Operation, User } from './secure-broker.ts'
import { KEY, StreamCheckDriver } from '../stream/check-driver.ts'
import { StreamDriver, tableOf } from '../stream/driver.ts'

const SECRETS = /canary-secret|eyJ/
const CA = certificates.trusted.certificate
const ODD: User = 'odd=name'

interface KafkaOptions {
  readonly tls?: unknown
  readonly sasl?: Readonly<Record<string, string>>
}

const login = (mechanism: string, username: string, password: string): Record<string, string> => ({
  mechanism,
  username,
  password,
})

describeOwnKafka('a broker that wants a login', (startBroker) => {
  let broker: Broker
  let stream: StreamDriver
  let check: StreamCheckDriver
  beforeAll(async () => {
    broker = await startSecureBroker(startBroker)
    stream = await StreamDriver.open(broker.bootstrap)
    check = await StreamCheckDriver.start()
    await stream.topic(1, 'warm')
  })
  afterAll(async () => {
    await check?.[Symbol.asyncDispose]()
    await stream?.[Symbol.asyncDispose]()
    await broker?.[Symbol.asyncDispose]()
  })

  /** Its secrets in files, as no configuration may hold them. */
  async function hidden({ sasl = {}, ...rest }: KafkaOptions): Promise<object> {
    const entries = Object.entries(sasl).map(async ([name, text]) => {
      if (name !== 'password' && name !== 'token') return [name, text]
      return [name, { file: await stream.work.file(uniqueName(name), text) }]
    })
    return { ...rest, ...(entries.length === 0 ? {} : { sasl: Object.fromEntries(await Promise.all(entries)) }) }
  }

  const filled = (value = '{"id":1}'): Promise<string> => stream.filled([{ key: '1', value }])

  const good: readonly [string, KafkaSaslConfig<ReadSecret>][] = [
    ...(['plain', 'scram-sha-256', 'scram-sha-512'] as const).map(
      (mechanism): [string, KafkaSaslConfig<ReadSecret>] => [
        mechanism,
        { mechanism, username: 'alice', secret: reads(PASSWORDS.alice) },
      ],
    ),
    ['a name with "="', { mechanism: 'scram-sha-512', username: ODD, secret: reads(PASSWORDS[ODD]) }],
    ['oauthbearer', { mechanism: 'oauthbearer', secret: reads(tokenFor('alice')), extensions: {} }],
  ]
  it.concurrent.each(good)('is read with %s', async (_, sasl) => {
    const topic = await filled()
    const group = uniqueName('g')
    if ('username' in sasl && sasl.username === ODD) {
      await allow(stream.client, ODD, ['READ'], 'TOPIC', topic)
      await allow(stream.client, ODD, ['READ'], 'GROUP', group)
    }
    const brokers = [broker.address('SASL')]
    const connection = { brokers, clientId: 'test', tls: undefined, sasl, allowInsecureLogin: false }
    await using member = new Member({ brokers, connection, group, topics: [topic] })
    await member.until(({ values }) => values.length === 1)
    expect(member.story).toEqual(['assigned'])
  })

  it.concurrent.each(good.filter(([what]) => !what.includes('name')))(
    'reads the secret of %s for each connection',
    async (_, sasl) => {
      const topic = await filled()
      let times = 0
      const secret: ReadSecret = () => (times++, sasl.secret())
      const renewed = { ...sasl, secret }
      const brokers = [broker.address('SASL')]
      const connection = { brokers, clientId: 'test', tls: undefined, sasl: renewed, allowInsecureLogin: false }
      await using member = new Member({ brokers, connection, group: uniqueName('g'), topics: [topic] })
      await member.until(({ values }) => values.length === 1)
      // the member's connections, and those of its admin
      expect(times).toBeGreaterThan(1)
    },
  )

  const refused: readonly [what: string, listener: string, kafka: KafkaOptions, found: RegExp][] = [
    ...['plain', 'scram-sha-256', 'scram-sha-512'].map((mechanism): [string, string, KafkaOptions, RegExp] => [
      `a wrong password of ${mechanism}`,
      'SASL',
      { sasl: login(mechanism, 'alice', 'canary-secret-wrong') },
      /refused the login: .*[Ii]nvalid.*kafka\.sasl\.username and kafka\.sasl\.password/,
    ]),
    ['an unknown user', 'SASL', { sasl: login('scram-sha-256', 'eve', 'canary-secret') }, /refused the login: /],
    [
      'a token that has expired',
      'SASL',
      { sasl: { mechanism: 'oauthbearer', token: tokenFor('alice', { exp: 1 }) } },
      /refused the login: .*invalid_token.*kafka\.sasl\.token: it may have expired/,
    ],
    [
      'no token at all',
      'SASL',
      { sasl: { mechanism: 'oauthbearer', token: 'canary-secret' } },
      /refused the login: .*kafka\.sasl\.token/,
    ],
    ['no login, but TLS', 'SASLTLS', { tls: { ca_certificate: CA } }, /wants a login\. Set kafka\.sasl/],
    [
      'a login where there is none',
      'PLAINTEXT',
      { sasl: login('plain', 'alice', PASSWORDS.alice) },
      /accept no login on this port: .*Leave kafka\.sasl out/,
    ],
  ]
  it.concurrent.each(refused)('is told by --check to refuse %s', async (_, listener, options, found) => {
    const kafka = await hidden(options)
    const told = await check.check({
      brokers: [broker.address(listener)],
      topics: [{ topic: 't', keys: ['id'] }],
      kafka,
    })
    expect(told.FAIL).toEqual([expect.stringMatching(found)])
    expect(told.FAIL[0]).toContain(broker.address(listener))
    expect(told.text).not.toMatch(SECRETS)
  })

  // mostly waiting
  describe.concurrent('stream as a process', () => {
    const bob = { sasl: login('scram-sha-256', 'bob', PASSWORDS.bob) }
    const errorOf = async (
      topic: string,
      given: { kafka?: KafkaOptions; group?: string; config?: object },
    ): Promise<string> => {
      const { kafka = bob, group = uniqueName('g'), config = {} } = given
      await using process = await stream.start({
        topics: [{ topic, keys: ['id'] }],
        group,
        kafka: { brokers: [broker.address('SASL')], ...(await hidden(kafka)) },
        config: { ...config },
      })
      const { code, stdout, stderr, lines } = await stream.endOf(process)
      expect(code, stdout + stderr).toBe(1)
      expect(stdout + stderr).not.toMatch(SECRETS)
      const errors = lines.filter(({ level }) => level === 'error')
      expect(errors).toEqual([expect.objectContaining({ kind: 'config' })])
      return errors[0]!.message
    }
    const mayRead = async (topic: string, group: string): Promise<void> => {
      await allow(stream.client, 'bob', ['READ'], 'TOPIC', topic)
      await allow(stream.client, 'bob', ['READ'], 'GROUP', group)
    }

    it('reads with a login over TLS, and needs no more than to read topic and group', async () => {
      const [topic, group] = [await filled(), uniqueName('g')]
      await mayRead(topic, group)
      await using process = await stream.start({
        topics: [{ topic, keys: ['id'] }],
        group,
        kafka: {
          brokers: [broker.address('SASLTLS')],
          ...(await hidden({ tls: { ca_certificate: CA }, sasl: login('plain', 'bob', PASSWORDS.bob) })),
        },
      })
      await stream.committedAre(group, topic, [1n], process)
      expect(await stream.rows(tableOf(topic))).toHaveLength(1)
      const { stdout, stderr } = await stream.stop(process)
      expect(stdout + stderr).not.toMatch(SECRETS)
    })

    const forbidden: readonly [what: string, topics: Operation[], groups: Operation[], found: string][] = [
      [
        'see',
        [],
        [],
        'have no topic "TOPIC", or this user may not see it\\. .*allow this user to describe and read it',
      ],
      ['join the group of', ['DESCRIBE'], [], 'refuse group GROUP: .*Allow this user the operation Read on that group'],
      ['read', ['DESCRIBE'], ['READ'], 'may not read topics: TOPIC\\. Allow it the operations Read and Describe'],
    ]
    it.each(forbidden)('ends for a topic it may not %s', async (_, topics, groups, found) => {
      const [topic, group] = [await filled(), uniqueName('g')]
      if (topics.length > 0) await allow(stream.client, 'bob', topics, 'TOPIC', topic)
      if (groups.length > 0) await allow(stream.client, 'bob', groups, 'GROUP', group)
      expect(await errorOf(topic, { group })).toMatch(new RegExp(found.replace('TOPIC', topic).replace('GROUP', group)))
    })

    it('ends for a topic of dead letters it may not write to', async () => {
      const [topic, letters, group] = [await filled('no JSON'), await stream.topic(1, 'letters'), uniqueName('g')]
      await mayRead(topic, group)
      const config = { dead_letters: { topic: letters } }
      const found = new RegExp(
        `^Dead letters cannot be kept in the topic "${letters}": this user may not write to it .*Describe and Write`,
      )
      expect(await errorOf(topic, { group, config })).toMatch(found)
      await allow(stream.client, 'bob', ['DESCRIBE'], 'TOPIC', letters)
      expect(await errorOf(topic, { group, config })).toMatch(found)
      expect(await stream.client.committed(group, topic)).toEqual([0n])
    })
  })

  it('is told by --check what a user may not', async () => {
    const [topic, letters, group] = [await filled(), await stream.topic(1, 'letters'), uniqueName('g')]
    await allow(stream.client, 'bob', ['DESCRIBE'], 'TOPIC', topic)
    const given = {
      brokers: [broker.address('SASL')],
      group,
      topics: [{ topic, keys: ['id'] }],
      kafka: await hidden({ sasl: login('scram-sha-256', 'bob', PASSWORDS.bob) }),
      more: { dead_letters: { topic: letters } },
    }
    const told = await check.check(given, { KEY })
    expect(told.FAIL).toContainEqual(expect.stringMatching(new RegExp(`refuse group ${group}: .*operation Read`)))
    expect(told.FAIL).toContainEqual(expect.stringMatching(/Dead letters cannot be kept .*Describe and Write/))
    expect(told.text).not.toMatch(SECRETS)

    // where the run may go on, and only the sample wants a group of its own
    await allow(stream.client, 'bob', ['READ'], 'TOPIC', topic)
    await allow(stream.client, 'bob', ['READ'], 'GROUP', group)
    const sampled = await check.check({ ...given, more: {} }, { KEY })
    const named = `needs a group whose name begins with "${group}-check-"`
    expect([sampled.FAIL, sampled.warn]).toEqual([[], [expect.stringContaining(named)]])
  })
})
