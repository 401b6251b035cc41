// `stream` that fetches its tokens, on Apache's broker and a real token server. The longer rounds are those of `npm run soak -- identity`.

import { writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOwnKafka, uniqueName } from '../kafka/available.ts'
import { until } from '../kafka/until.ts'
import { startFakeRegistry } from '../registry/fake-registry.ts'
import { tableOf } from '../stream/driver.ts'
import { healthOf } from '../stream/health-of.ts'
import { startMembers } from './members.ts'
import { openScene, playRound, saslOf, SECRETS, type Round, type Scene } from './round.ts'
import { framed } from '../registry/framed.ts'

describeOwnKafka('a token that is fetched', (startBroker) => {
  let scene: Scene
  let stack: AsyncDisposableStack
  beforeAll(async () => {
    stack = new AsyncDisposableStack()
    // brokers look for keys once a minute
    scene = stack.use(await openScene(startBroker, { seconds: 20 }, (server) => server.rotate('both')))
    // the topic of groups takes a while to be made
    await playRound(scene, { seconds: 1 })
  })
  afterAll(() => stack.disposeAsync())

  function isWhole({ text, ...round }: Round): void {
    expect(round, text).toMatchObject({ rows: round.produced, wrong: 0, stepsBack: 0 })
    expect(text).not.toMatch(SECRETS)
  }

  it('is renewed once for all connections, by an old key, a new one, and a server that comes back; and sessions are prolonged', async () => {
    let refused = 0
    const round = await playRound(scene, {
      seconds: 32,
      async meanwhile(process) {
        const get = await healthOf(process)
        expect(await get('/readyz')).toMatchObject({ status: 200 })
        await scene.server.rotate('turn')
        await scene.server.tell({ status: 503 })
        const before = scene.server.asked
        await until(
          () => scene.server.asked > before,
          () => 'no renewal was asked for',
        )
        await scene.server.tell({ status: 0 })
        refused = scene.server.asked - before
        expect(await get('/readyz')).toMatchObject({ status: 200 })
      },
    })
    isWhole(round)
    expect(round, round.text).toMatchObject({ rebalances: 1, restarts: 0, expired: 0 })
    expect(refused).toBeGreaterThan(0)
    expect(round.tokens - refused).toBeGreaterThan(2)
    expect(round.tokens - refused).toBeLessThan(6)
  })

  it('is fetched once for each of twenty members that start at once', async () => {
    await scene.server.tell({ seconds: 300 })
    await using registry = await startFakeRegistry({ accepts: (login) => login.startsWith('Bearer ey') })
    const before = scene.server.asked
    await using members = await startMembers(20, scene, registry.url)
    await members.join()
    expect(scene.server.asked - before).toBe(20)
    expect(registry.requests).toHaveLength(20)
    await scene.server.tell({ seconds: 20 })
  })

  it('is renewed where the registry takes it no longer, once, and the run goes on', async () => {
    await scene.server.tell({ seconds: 300 })
    const revoked = new Set<string>()
    const given: string[] = []
    const accepts = (login: string): boolean => {
      given.push(login)
      return login.startsWith('Bearer ey') && !revoked.has(login)
    }
    await using registry = await startFakeRegistry({ accepts })
    const schema = { schema: '{"type":"object"}', schemaType: 'JSON' }
    const { stream } = scene
    const [topic, group] = [await stream.topic(), uniqueName('revoked')]
    await using process = await stream.start({
      topics: [{ topic, keys: ['id'], value_encoding: 'registry' }],
      group,
      kafka: { brokers: [scene.broker.address('OAUTH')], sasl: await saslOf(scene) },
      config: { schema_registry: { url: registry.url, oauth: 'kafka' } },
    })
    const produce = async (id: number): Promise<void> => {
      const registered = registry.register(uniqueName('subject'), { ...schema, schema: `{"title":"${id}"}` })
      const value = framed(registered.id, Buffer.from(`{"id":${id}}`))
      await stream.client.produce(topic, [{ key: String(id), value }])
    }
    await produce(1)
    await stream.committedAre(group, topic, [1n], process)
    for (const login of given) revoked.add(login)
    const [before, asked] = [given.length, scene.server.asked]
    await produce(2)
    await stream.rowsAre(tableOf(topic), ['{"keys":["id"],"id":1}', '{"keys":["id"],"id":2}'], process)
    await stream.stop(process)
    expect(scene.server.asked - asked).toBe(1)
    expect(given.slice(before).map((login) => revoked.has(login))).toEqual([true, false])
    await scene.server.tell({ seconds: 20 })
  })

  it('is good beside a clock of its server that is two minutes ahead or behind', async () => {
    for (const skewSeconds of [120, -120]) {
      await scene.server.tell({ skewSeconds, seconds: 300 })
      isWhole(await playRound(scene, { seconds: 2 }))
    }
    await scene.server.tell({ skewSeconds: 0, seconds: 20 })
  })

  it('is fetched for what vouches for the client, read anew each time', async () => {
    await scene.server.tell({ seconds: 12 })
    const file = await scene.stream.work.file('assertion', scene.server.assertion())
    const oauth = { client_id: 'vouched', client_secret: null, assertion: { file } }
    const round = await playRound(scene, {
      seconds: 9,
      oauth,
      async meanwhile() {
        // the server takes each once
        await writeFile(file, scene.server.assertion())
      },
    })
    isWhole(round)
    expect(round, round.text).toMatchObject({ tokens: 2, rebalances: 1 })
    expect(round.text).not.toMatch(/invalid_client/)
    await scene.server.tell({ seconds: 20 })
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

  it('is refused for a moment, and no longer, where its server has other keys from one moment to the next', async () => {
    await scene.server.tell({ seconds: 12 })
    const round = await playRound(scene, { seconds: 20, meanwhile: () => scene.server.rotate('hard') })
    isWhole(round)
    expect(round.tokens).toBeGreaterThan(2)
    // the broker, which looks for keys once a minute, looks at once for one that it does not know
    expect(round.text).toMatch(/invalid_token|refused the login/)
  })
})
