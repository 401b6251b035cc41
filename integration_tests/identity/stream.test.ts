// `stream` that fetches its tokens, on Apache's broker and a real token server. The longer rounds are those of `npm run soak -- identity`.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOwnKafka } from '../kafka/available.ts'
import { until } from '../kafka/until.ts'
import { KEY, StreamCheckDriver } from '../stream/check-driver.ts'
import { StreamDriver } from '../stream/driver.ts'
import { healthOf } from '../stream/health-of.ts'
import { startIdentityBroker } from './identity-broker.ts'
import type { Round, Scene } from './round.ts'
import { playRound, saslOf } from './round.ts'
import { TokenServer } from './token-server.ts'

const SECRETS = /canary-secret|eyJ/

describeOwnKafka('a token that is fetched', (startBroker) => {
  let scene: Scene
  let check: StreamCheckDriver
  let stack: AsyncDisposableStack
  beforeAll(async () => {
    stack = new AsyncDisposableStack()
    const server = stack.use(await TokenServer.start({ seconds: 20 }))
    const broker = stack.use(await startIdentityBroker(startBroker, server))
    scene = { server, broker, stream: stack.use(await StreamDriver.open(broker.bootstrap)) }
    check = stack.use(await StreamCheckDriver.start())
    // the topic of groups takes a while to be made
    await playRound(scene, { seconds: 1 })
  })
  afterAll(() => stack.disposeAsync())

  function isWhole({ text, ...round }: Round): void {
    expect(round, text).toMatchObject({ rows: round.produced, wrong: 0, stepsBack: 0 })
    expect(text).not.toMatch(SECRETS)
  }

  it('is renewed in time, once for all connections, and each session is prolonged by a login', async () => {
    const round = await playRound(scene, {
      seconds: 32,
      async meanwhile(process) {
        const get = await healthOf(process)
        expect(await get('/readyz')).toMatchObject({ status: 200 })
      },
    })
    isWhole(round)
    expect(round, round.text).toMatchObject({ rebalances: 1, restarts: 0, expired: 0 })
    expect(round.tokens).toBeGreaterThan(2)
    expect(round.tokens).toBeLessThan(6)
  })

  it('is waited for while its server is away, and reading goes on within ten seconds', async () => {
    let backMs = Infinity
    const round = await playRound(scene, {
      seconds: 40,
      // the member that was must have left its group before: without a token it cannot say so
      kafka: { session_timeout_seconds: 6 },
      async meanwhile(process) {
        const get = await healthOf(process)
        await scene.server.stop()
        try {
          await until(
            async () => (await get('/readyz')).status === 503,
            () => 'it stayed ready without a token',
          )
          const { body } = await get('/readyz')
          expect(body['reason']).toMatch(/^no new token from 127\.0\.0\.1:\d+ for .*connection refused/)
          await sleep(8_000)
        } finally {
          await scene.server.start()
        }
        const began = performance.now()
        await until(
          async () => (await get('/readyz')).status === 200,
          () => 'it did not become ready again',
        )
        backMs = performance.now() - began
      },
    })
    isWhole(round)
    expect(backMs, round.text).toBeLessThan(10_000)
    expect(round.text).toMatch(/The token server at 127\.0\.0\.1:\d+ is unavailable: connection refused/)
    expect(round.text).toMatch(/The token server at .* answers again/)
  })

  it('is fetched for what vouches for the client, read anew each time', async () => {
    const file = await scene.stream.work.file('assertion', scene.server.assertion())
    const oauth = { client_id: 'vouched', client_secret: null, assertion: { file } }
    isWhole(await playRound(scene, { seconds: 2, oauth }))
  })

  const refused: readonly [what: string, oauth: () => object, found: RegExp][] = [
    [
      'a wrong secret',
      () => ({ client_secret: '${WRONG}' }),
      /refuses this client \(401: invalid_client.*client_secret or assertion/,
    ],
    ['an unknown client', () => ({ client_id: 'stranger' }), /refuses this client \(401: invalid_client/],
    [
      'an address without a token',
      () => ({ token_url: `${scene.server.issuer}/no` }),
      /gives no token \(it answered 404.*oauth\.token_url/,
    ],
    ['an address that is a page', () => ({ token_url: `${check.origin}/` }), /gives no token \(it answered \d+/],
    [
      'another issuer',
      () => ({ token_url: null, issuer: `${scene.server.issuer}/realm` }),
      /has no OpenID configuration .*oauth\.issuer/,
    ],
    ['a server that is away', () => ({ token_url: 'http://127.0.0.1:1/token' }), /gives no token: connection refused/],
    [
      'an assertion that has expired',
      () => ({ client_id: 'vouched', client_secret: null, assertion: '${OLD}' }),
      /refuses this client \(401: invalid_client/,
    ],
    [
      'an assertion without a file',
      () => ({ client_id: 'vouched', client_secret: null, assertion: { file: '/no/such' } }),
      /assertion.*\/no\/such/,
    ],
  ]
  it.each(refused)('--check names %s', async (_, oauth, found) => {
    const sasl = await saslOf(scene, oauth())
    const given = { brokers: [scene.broker.address('OAUTH')], topics: [{ topic: 't', keys: ['id'] }], kafka: { sasl } }
    const env = { KEY, WRONG: 'canary-secret-wrong', OLD: scene.server.assertion(-60) }
    const told = await check.check(given, env)
    expect(told.FAIL, told.text).toEqual([expect.stringMatching(found)])
    expect(told.text).not.toMatch(SECRETS)
  })

  it('--check says what a broker may have against a token', async () => {
    await scene.server.tell({ audience: 'others' })
    try {
      const kafka = { sasl: await saslOf(scene) }
      const told = await check.check({
        brokers: [scene.broker.address('OAUTH')],
        topics: [{ topic: 't', keys: ['id'] }],
        kafka,
      })
      expect(told.ok).toContainEqual(expect.stringMatching(/^The token server .* gives tokens that live 20 s\.$/))
      expect(told.FAIL).toEqual([expect.stringMatching(/refused the login: .*kafka\.sasl\.oauth/)])
      expect(told.text).toMatch(/does not say why: compare its issuer "http:.*" and audience "others" with/)
      expect(told.text).not.toMatch(SECRETS)
    } finally {
      await scene.server.tell({ audience: 'kafka' })
    }
  })
})
