import { expect, it } from 'vitest'
import {
  CONNECTION,
  connectionListPath,
  connectionsPath,
  logIn,
  newClient,
  newConnection,
  refusedAnswer,
  START,
  testService,
} from './testing/service.ts'
import { expectStrict } from './testing/strict.ts'

const NULLABLE = Object.entries(CONNECTION.properties)
  .filter(([name, value]) => value === null || ['dbName', 'host', 'username', 'sourceTZ', 'desiredTZ'].includes(name))
  .map(([name]) => `properties.${name}`)

it('answers exactly the connection of the service document, without its credentials', async () => {
  await using it = await testService()
  const { cookie: headers } = await logIn(it)
  const client_id = await newClient(it)
  const answer = await it.send('POST', connectionsPath(client_id), { body: CONNECTION, headers })
  const { credentials: _, ...shown } = CONNECTION
  expect(answer).toEqual({
    status: 201,
    body: { ...shown, meta_id: expect.any(Number), id: expect.any(Number), namespace: 'input-connections', client_id },
  })
  const { id, meta_id } = answer.body as { id: number; meta_id: number }
  expect(id).not.toBe(meta_id)
  expect(await it.send('GET', `${connectionsPath(client_id)}?include_deleted=false`, { headers })).toEqual({
    status: 200,
    body: [
      {
        namespace: 'input-connections',
        created_at: '2026-11-21 20:00:00.0',
        updated_at: '2026-11-21 20:00:00.0',
        display_name: 'Shop database',
        id,
        meta_id,
        client_id,
        type: 'mysql',
        name: 'shop',
        integration_type: {
          protocol: 'mysql',
          directions: ['input'],
          cbi_is_available: true,
          pricing_tier: 'standard',
          replication_type: 'database',
          pipeline_state: 'completed',
          display_name: 'MySQL',
          type: 'mysql',
        },
        properties: {
          ...CONNECTION.properties,
          blackout: null,
          frequency: null,
          sslCa: null,
          sslCert: null,
          sslKey: null,
          created: '2026-11-21 20:00:00',
          established: '2026-11-21 20:00:00',
        },
      },
    ],
  })
})

it('goes from state to state, wherever the state stands', async () => {
  await using it = await testService({ onboarding: { plans: { connection: { durationMs: 3000 } } } })
  const me = await logIn(it)
  await newConnection(it, 7, me)
  const listed = async (): Promise<Record<string, unknown>> => {
    const { body } = await it.send('GET', connectionListPath(7), { headers: me.cookie })
    return (body as Record<string, unknown>[])[0]!
  }
  for (const [ms, word, since, established] of [
    [0, 'pending', '20:00:00.0', null],
    [1000, 'running', '20:00:01.0', null],
    [9000, 'completed', '20:00:03.0', '2026-11-21 20:00:03'],
  ] as const) {
    it.now = START + ms
    it.service.onboarding.plan({ connectionStatus: 'integration_type.pipeline_state' })
    expect(await listed()).toMatchObject({
      integration_type: { pipeline_state: word },
      updated_at: `2026-11-21 ${since}`,
      properties: { status: '1', established },
    })
    expect(await listed()).not.toHaveProperty('status')
    it.service.onboarding.plan({ connectionStatus: 'status' })
    expect(await listed()).toMatchObject({ status: word })
    expect(await listed()).not.toHaveProperty('integration_type.pipeline_state')
    it.service.onboarding.plan({ connectionStatus: 'status.name' })
    expect(await listed()).toMatchObject({ status: { name: word } })
    expect(await listed()).not.toHaveProperty('integration_type.pipeline_state')
    it.service.onboarding.plan({ connectionStatus: 'none' })
    expect(await listed()).not.toHaveProperty('integration_type.pipeline_state')
    expect(await listed()).not.toHaveProperty('status')
  }
})

it('lists the connections of one client, oldest first', async () => {
  await using it = await testService()
  const me = await logIn(it)
  const ids = [await newConnection(it, 7, me), await newConnection(it, 7, me)]
  const other = await newClient(it)
  const foreign = await newConnection(it, other, me)
  const listed = async (client: number): Promise<unknown> =>
    ((await it.send('GET', connectionListPath(client), { headers: me.bearer })).body as { id: number }[]).map(
      ({ id }) => id,
    )
  expect(await listed(7)).toEqual(ids)
  expect(await listed(other)).toEqual([foreign])
})

it('reads include_deleted', async () => {
  await using it = await testService()
  const { cookie: headers } = await logIn(it)
  for (const query of ['?include_deleted=true', '?x=1&include_deleted=false', '?include%5Fdeleted=false']) {
    expect(await it.send('GET', `${connectionsPath(7)}${query}`, { headers })).toEqual({ status: 200, body: [] })
  }
  for (const value of ['', '=', '=0', '=no', '=%zz', '=TRUE', '=true+', '=true,false']) {
    expect(await it.send('GET', `${connectionsPath(7)}?include_deleted${value}`, { headers })).toEqual(
      refusedAnswer(400, '^the query parameter include_deleted must be true or false$'),
    )
  }
  for (const more of ['include_deleted=false', 'include_deleted=true', 'include%5fdeleted=no', 'include_deleted']) {
    expect(await it.send('GET', `${connectionListPath(7)}&${more}`, { headers })).toEqual(
      refusedAnswer(400, '^the query parameter include_deleted is there more than once$'),
    )
  }
  for (const query of ['', '?', '?deleted=false', '?Include_deleted=false']) {
    expect(await it.send('GET', `${connectionsPath(7)}${query}`, { headers })).toEqual(
      refusedAnswer(400, '^the query parameter include_deleted is missing$'),
    )
  }
})

it('lists them to whoever takes JSON', async () => {
  await using it = await testService()
  const { cookie } = await logIn(it)
  const headers = { ...cookie, accept: 'text/html' }
  expect(await it.send('GET', connectionListPath(7), { headers })).toEqual(
    refusedAnswer(400, '^the header Accept must admit'),
  )
})

it('refuses each member that is missing or of another type', async () => {
  await using it = await testService()
  const { cookie: headers } = await logIn(it)
  await expectStrict(
    it,
    'POST',
    connectionsPath(7),
    { body: CONNECTION, headers },
    {
      nullable: ['credentials.encryption_password', ...NULLABLE],
    },
  )
  const wrong: [object, string][] = [
    [{ type: 'postgresql' }, '^type must be "mysql"$'],
    [{ properties: { ...CONNECTION.properties, port: 3306 } }, '^properties.port must be a string$'],
    [{ properties: { ...CONNECTION.properties, useSSL: false } }, '^properties.useSSL must be "true" or "false"$'],
    [{ properties: { ...CONNECTION.properties, useSSL: 'yes' } }, '^properties.useSSL must be "true" or "false"$'],
    [{ properties: { ...CONNECTION.properties, status: 1 } }, '^properties.status must be "1"$'],
    [{ properties: { ...CONNECTION.properties, status: '0' } }, '^properties.status must be "1"$'],
    [{ properties: { ...CONNECTION.properties, noPhpPasswordEncryption: '0' } }, '^properties.noPhp.* must be "1"$'],
  ]
  for (const [change, reason] of wrong) {
    const body = { ...CONNECTION, ...change }
    expect(await it.send('POST', connectionsPath(7), { body, headers })).toEqual(refusedAnswer(400, reason))
  }
})

it('gives no credential back, wherever it was put', async () => {
  await using it = await testService()
  const { cookie: headers } = await logIn(it)
  const body = {
    ...CONNECTION,
    password: 'hunter2-top',
    credentials: { password: 'hunter2-a', encryption_password: 'hunter2-b', encryption_privateKey: 'hunter2-c' },
    properties: { ...CONNECTION.properties, encryption_groupSecret: 'hunter2-d', password: 'hunter2-e' },
  }
  const answers = [
    await it.send('POST', connectionsPath(7), { body, headers }),
    await it.send('POST', connectionsPath(7), { body: { ...body, name: 5, credentials: ['hunter2'] }, headers }),
    await it.send('GET', connectionListPath(7), { headers }),
    await it.send('GET', '/_local/clients'),
    await it.send('GET', '/_local/onboarding'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([201, 400, 200, 200, 200])
  expect(answers[0]!.body).toHaveProperty('properties.encryption_groupSecret', null)
  expect(JSON.stringify(answers)).not.toContain('hunter2')
  expect(JSON.stringify(it.service.requests.recent())).not.toMatch(/hunter2|DASHSESS2/)
})
