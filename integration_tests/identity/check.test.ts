// What `stream --check` says of tokens that are fetched: on Apache's broker and a real token server, and on a broker that wants an
// extension, which is a double.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOwnKafka, uniqueName } from '../kafka/available.ts'
import { FakeBroker } from '../kafka/fake-broker.ts'
import { allow } from '../kafka/secure-broker.ts'
import { KEY, StreamCheckDriver, type Told } from '../stream/check-driver.ts'
import { openScene, saslOf, SECRETS, type Scene } from './round.ts'
import type { Behaviour } from './token-server.ts'

describeOwnKafka('stream --check with a token that is fetched', (startBroker) => {
  let scene: Scene
  let driver: StreamCheckDriver
  let stack: AsyncDisposableStack
  beforeAll(async () => {
    stack = new AsyncDisposableStack()
    scene = stack.use(await openScene(startBroker, { seconds: 20 }))
    driver = stack.use(await StreamCheckDriver.start())
  })
  afterAll(() => stack.disposeAsync())

  interface Case {
    readonly sasl?: object
    readonly oauth?: object
    readonly topic?: string
    readonly group?: string
    readonly brokers?: readonly string[]
  }

  async function check({ sasl, oauth, topic = 't', group, brokers = [scene.broker.address('OAUTH')] }: Case = {}) {
    const kafka = { sasl: { ...(await saslOf(scene, oauth)), ...sasl } }
    const given = { brokers, topics: [{ topic, keys: ['id'] }], kafka, ...(group !== undefined && { group }) }
    const told = await driver.check(given, { KEY, WRONG: 'canary-secret-wrong', OLD: scene.server.assertion(-60) })
    expect(told.text).not.toMatch(SECRETS)
    return told
  }

  /** The same while the server does otherwise. */
  async function checkWhile(behaviour: Behaviour, usual: Behaviour): Promise<Told> {
    await scene.server.tell(behaviour)
    try {
      return await check()
    } finally {
      await scene.server.tell(usual)
    }
  }

  const vouched = { client_id: 'vouched', client_secret: null }
  const refused: readonly [what: string, oauth: () => object, found: RegExp][] = [
    [
      'a wrong secret',
      () => ({ client_secret: '${WRONG}' }),
      /refuses this client \(401: invalid_client.*oauth\.client_id, kafka\.sasl\.oauth\.client_secret\./,
    ],
    ['an unknown client', () => ({ client_id: 'stranger' }), /refuses this client \(401: invalid_client/],
    [
      'a scope that is not given',
      () => ({ scope: 'elsewhere' }),
      /refuses this client \(400: invalid_scope.*Check kafka\.sasl\.oauth\.client_id, kafka\.sasl\.oauth\.scope\./,
    ],
    [
      'an address without a token',
      () => ({ token_url: `${scene.server.issuer}/no` }),
      /gives no token \(it answered 404.*oauth\.token_url/,
    ],
    ['an address that is a page', () => ({ token_url: `${driver.origin}/` }), /gives no token \(it answered \d+/],
    [
      'another issuer',
      () => ({ token_url: null, issuer: `${scene.server.issuer}/realm` }),
      /has no OpenID configuration .*oauth\.issuer/,
    ],
    [
      'an issuer by another of its names',
      () => ({ token_url: null, issuer: scene.server.issuer.replace('127.0.0.1', 'localhost') }),
      /it calls itself http:\/\/127\.0\.0\.1:\d+\. Write that as kafka\.sasl\.oauth\.issuer\./,
    ],
    ['a server that is away', () => ({ token_url: 'http://127.0.0.1:1/token' }), /gives no token: connection refused/],
    [
      'an assertion that has expired',
      () => ({ ...vouched, assertion: '${OLD}' }),
      /refuses this client \(401: invalid_client/,
    ],
    ['an assertion without a file', () => ({ ...vouched, assertion: { file: '/no/such' } }), /assertion.*\/no\/such/],
  ]
  it.each(refused)('names %s', async (_, oauth, found) => {
    const told = await check({ oauth: oauth() })
    expect(told.FAIL, told.text).toEqual([expect.stringMatching(found)])
  })

  it('says what a broker may have against a token', async () => {
    const told = await checkWhile({ audience: 'others' }, { audience: 'kafka' })
    expect(told.ok).toContainEqual(expect.stringMatching(/^The token server .* gives tokens that live 20 s\.$/))
    expect(told.FAIL).toEqual([expect.stringMatching(/refused the login: .*kafka\.sasl\.oauth/)])
    expect(told.text).toMatch(/does not say why: compare its issuer "http:.*" and audience "others" with/)
  })

  it.each(['nonsense', 'kafka nonsense'])('warns of the scope %j, of which the server drops a part', async (scope) => {
    const told = await check({ oauth: { scope } })
    expect(told.warn, told.text).toContainEqual(expect.stringMatching(/did not say that it gave the scope nonsense\./))
    const usual = await check()
    expect(usual.text).not.toMatch(/gave the scope/)
  })

  it('says that the clock of the token server is two minutes behind, where its tokens are over for that reason', async () => {
    const usual = { skewSeconds: 0, seconds: 20 }
    for (const living of [{ skewSeconds: 120 }, { skewSeconds: -120, seconds: 300 }])
      expect((await checkWhile(living, usual)).text).toMatch(/^ok {4}Broker .* can be used\.$/m)
    const told = await checkWhile({ skewSeconds: -120 }, usual)
    expect(told.FAIL, told.text).toEqual([expect.stringMatching(/refused the login: .*kafka\.sasl\.oauth/)])
    expect(told.text).toMatch(/Odd in the token: it expired 1\d\d s ago /)
    expect(told.warn).toContainEqual(expect.stringMatching(/Its clock and that of this machine differ by 1[12]\d s\./))
  })

  it('says that the brokers end sessions sooner than a login keeps up', async () => {
    const told = await check({ brokers: [scene.broker.address('BRIEF')] })
    expect(told.warn, told.text).toContainEqual(
      expect.stringMatching(/end sessions of 4 s.*connections\.max\.reauth\.ms/),
    )
    const usual = await check()
    expect(usual.text).not.toMatch(/connections\.max\.reauth\.ms/)
  })

  it('names a topic and a group that the owner of the token may not use', async () => {
    const { client } = scene.stream
    const records = [{ key: '1', value: '{"id":1}' }]
    const topics = [await scene.stream.filled(records), await scene.stream.filled(records)]
    const groups = [uniqueName('open'), uniqueName('closed')]
    await allow(client, 'another', ['READ'], 'GROUP', groups[1]!)
    await allow(client, 'another', ['READ'], 'TOPIC', topics[1]!)
    await allow(client, 'stream', ['DESCRIBE'], 'TOPIC', topics[1]!)
    const good = await check({ topic: topics[0]!, group: groups[0]! })
    expect(good.FAIL, good.text).toEqual([])
    const group = await check({ topic: topics[0]!, group: groups[1]! })
    expect(group.FAIL, group.text).toEqual([expect.stringMatching(new RegExp(`refuse group ${groups[1]}`))])
    const topic = await check({ topic: topics[1]!, group: groups[0]! })
    expect(topic.FAIL, topic.text).toEqual([expect.stringMatching(new RegExp(`"${topics[1]}": .*may not read topics`))])
  })

  it('shows the words of a broker that misses an extension (a double)', async () => {
    await using broker = await FakeBroker.start((fetch, it) => it.wait(fetch))
    broker.refusal = (told) =>
      told.includes('\u0001logicalCluster=lkc-1\u0001') ? undefined : 'logicalCluster is missing'
    const brokers = [broker.bootstrap]
    const without = await check({ brokers })
    expect(without.FAIL, without.text).toEqual([
      expect.stringMatching(/refused the login: .*logicalCluster is missing/),
    ])
    const beside = await check({ brokers, sasl: { extensions: { logicalCluster: 'lkc-1' } } })
    expect(beside.text).not.toMatch(/refused the login/)
  })
})
