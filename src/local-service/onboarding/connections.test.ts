import { clientOverview } from './overview.ts'
import { expect, it } from 'vitest'
import {
  CONNECTION,
  connectionListPath,
  connectionsPath,
  dashboardsOn,
  logIn,
  newClient,
  newConnection,
  refusedAnswer,
  START,
  testService,
  FORM,
  testForm,
} from './testing/service.ts'

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

const TYPE = { name: 'Connection Test', id: 27 }

it('queues a job, runs it and ends it', async () => {
  await using it = await testService({ onboarding: { plans: { connectionTest: { durationMs: 3000 } } } })
  const me = await logIn(it)
  const connectionId = await newConnection(it, 7, me)
  const headers = { ...me.cookies, ...FORM }
  const queued = { id: null, status: { name: 'Queued', id: 1 }, type: TYPE, start: null, end: null }
  expect(await it.send('POST', '/v2/client/7/job', { body: testForm(connectionId), headers })).toEqual({
    status: 201,
    body: queued,
  })
  const poll = async (ms: number): Promise<unknown> => {
    it.now = START + ms
    return (await it.send('GET', '/v2/client/7/job/type/27', { headers: me.cookies })).body
  }
  expect(await poll(0)).toEqual([queued])
  const start = '2026-11-21 20:00:01'
  const running = { id: expect.any(Number), status: { name: 'Running', id: 2 }, type: TYPE, start, end: null }
  expect(await poll(1000)).toEqual([running])
  const end = '2026-11-21 20:00:03'
  expect(await poll(9000)).toEqual([{ ...running, status: { name: 'Completed', id: 3 }, end }])
})

it('is queued at first even when it takes no time, and ends in whatever word it was to end in', async () => {
  await using it = await testService()
  const me = await logIn(it)
  const connectionId = await newConnection(it, 7, me)
  for (const [outcome, id] of [
    ['completed', 3],
    ['Failed', 4],
    ['Completed With Errors', 4],
    ['hangs', 2],
  ] as const) {
    it.service.onboarding.plan({ connectionTest: { outcome } })
    const { body } = await it.send('POST', '/v2/client/7/job', {
      body: testForm(connectionId),
      headers: { ...me.cookies, ...FORM },
    })
    expect(body).toMatchObject({ id: null, status: { name: 'Queued', id: 1 } })
    it.now += 99_999
    const listed = await it.send('GET', '/v2/client/7/job/type/27', { headers: me.cookies })
    const name = { completed: 'Completed', hangs: 'Running' }[outcome as string] ?? outcome
    expect((listed.body as unknown[])[0]).toMatchObject({ status: { name, id } })
  }
})

it('lists the jobs of one client, newest first, for any number', async () => {
  await using it = await testService()
  const me = await logIn(it)
  const other = await newClient(it)
  for (const client of [7, 7, other]) {
    const body = testForm(await newConnection(it, client, me))
    await it.send('POST', `/v2/client/${client}/job`, { body, headers: { ...me.cookies, ...FORM } })
  }
  for (const number of ['27', '1', '0', '99999999999999999999']) {
    const listed = await it.send('GET', `/v2/client/7/job/type/${number}`, { headers: me.cookies })
    const ids = (listed.body as { id: number }[]).map(({ id }) => id)
    expect(ids).toHaveLength(2)
    expect(ids[0]).toBeGreaterThan(ids[1]!)
  }
  for (const number of ['', 'x', '-1', '1.5', '%zz', '27/']) {
    expect(await it.send('GET', `/v2/client/7/job/type/${number}`, { headers: me.cookies })).toEqual(
      refusedAnswer(404, 'path'),
    )
  }
})

it('finds the connection by id and by meta_id, of that client only', async () => {
  await using it = await testService()
  const me = await logIn(it)
  const id = await newConnection(it, 7, me)
  const { meta_id } = clientOverview(it.service.onboarding)[0]!.connections[0]!
  const other = await newClient(it)
  const headers = { ...me.cookies, ...FORM }
  for (const number of [id, meta_id]) {
    expect((await it.send('POST', '/v2/client/7/job', { body: testForm(number), headers })).status).toBe(201)
    expect(await it.send('POST', `/v2/client/${other}/job`, { body: testForm(number), headers })).toEqual(
      refusedAnswer(404, 'not a connection of that client'),
    )
  }
  expect(clientOverview(it.service.onboarding)[0]!.connection_tests.map((it) => it.connection_id)).toEqual([id, id])
  expect(await it.send('POST', '/v2/client/7/job', { body: testForm(id + 99), headers })).toEqual(
    refusedAnswer(404, /./),
  )
})

it('wants a form with these fields', async () => {
  await using it = await testService()
  const me = await logIn(it)
  const id = await newConnection(it, 7, me)
  const headers = { ...me.cookies, ...FORM }
  const post = (body: string, more = {}): Promise<unknown> =>
    it.send('POST', '/v2/client/7/job', { body, headers: { ...headers, ...more } })
  for (const body of [
    `jobType=27&workload[connectionId]=${id}&workload[syncAndSample]=1`,
    `workload%5bsyncAndSample%5d=1&&jobTyp%65=%32%37&workload%5BconnectionId%5D=${id}&x=%C3%A9&y&keys=a&keys=b`,
  ]) {
    expect(await post(body)).toMatchObject({ status: 201 })
    expect(await post(body, { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' })).toMatchObject({
      status: 201,
    })
    expect(await post(body, { 'content-type': 'application/json' })).toEqual(
      refusedAnswer(400, '^the header Content-Type'),
    )
    expect(await post(body, { 'content-type': 'multipart/form-data; boundary=x' })).toEqual(
      refusedAnswer(400, 'Content-Type'),
    )
  }
  expect(await post('')).toMatchObject({
    status: 400,
    body: {
      reasons: ['jobType is missing', 'workload[connectionId] is missing', 'workload[syncAndSample] is missing'],
    },
  })
  const wrong: [string, RegExp][] = [
    [testForm(id).replace('27', '28'), /^jobType must be 27$/],
    [testForm(id).replace('27', '027'), /^jobType must be 27$/],
    [testForm(id).replace('27', '27.0'), /^jobType must be 27$/],
    [testForm(id).replace('27', '+27'), /^jobType must be 27$/],
    [testForm(id).replace('27', ''), /^jobType must be 27$/],
    [testForm(id).replace('=27', ''), /^jobType must be 27$/],
    [testForm(id).replace('jobType', 'jobtype'), /^jobType is missing$/],
    [`${testForm(id)}&jobType=27`, /^jobType must be 27$/],
    [testForm(id).replace(`${id}`, 'x'), /^workload\[connectionId\] must be a whole number$/],
    [testForm(id).replace(`${id}`, '9007199254740993'), /^workload\[connectionId\] must be a whole number$/],
    [testForm(id).replace(/1$/, '0'), /^workload\[syncAndSample\] must be 1$/],
    [testForm(id).replace('%5B', '%G'), /^workload\[connectionId\] is missing$/],
    ['\u00ff', /^jobType is missing$/],
    [JSON.stringify({ jobType: 27 }), /^jobType is missing$/],
  ]
  for (const [body, reason] of wrong) expect(await post(body), body).toEqual(refusedAnswer(400, reason))
  const json = { ...headers, 'content-type': 'application/json' }
  const jsonBody = await it.send('POST', '/v2/client/7/job', { body: { jobType: 27 }, headers: json })
  expect(jsonBody).toEqual(refusedAnswer(400, 'must be application/x-www-form-urlencoded'))
})

it('wants the headers of the document', async () => {
  await using it = await testService()
  const me = await logIn(it)
  const body = testForm(await newConnection(it, 7, me))
  const { referer: _, ...withoutReferer } = FORM
  const post = (headers: Readonly<Record<string, string>>): Promise<unknown> =>
    it.send('POST', '/v2/client/7/job', { body, headers: { ...me.cookies, ...headers } })
  expect(await post(withoutReferer)).toEqual(refusedAnswer(400, '^the header Referer is missing$'))
  expect(await post({ ...FORM, referer: '/settings' })).toEqual(refusedAnswer(400, '^the header Referer must be'))
  expect(await post({ ...FORM, accept: 'text/html' })).toEqual(refusedAnswer(400, '^the header Accept must admit'))
  expect(clientOverview(it.service.onboarding)[0]!.connection_tests).toEqual([])
  const list = { headers: { ...me.cookies, accept: 'text/html' } }
  expect(await it.send('GET', '/v2/client/7/job/type/27', list)).toEqual(
    refusedAnswer(400, '^the header Accept must admit'),
  )
  // who calls comes first
  expect(await it.send('POST', '/v2/client/7/job', { body, headers: withoutReferer })).toEqual(refusedAnswer(401, /./))
})

it('makes dashboards by a job that goes from state to state', async () => {
  await using it = await testService({ onboarding: { plans: { dashboards: { durationMs: 3000 } } } })
  const me = await logIn(it)
  const connectionId = await newConnection(it, 7, me)
  const headers = me.cookie
  const created = await it.send('POST', '/v1/clients/7/autodash', { body: dashboardsOn(connectionId), headers })
  expect(created).toEqual({ status: 201, body: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) } })
  const { id } = created.body as { id: string }
  for (const [ms, status] of [
    [0, 'pending'],
    [1000, 'running'],
    [3000, 'completed'],
    [9000, 'completed'],
  ] as const) {
    it.now = START + ms
    expect(await it.send('GET', `/v1/clients/7/autodash/${id}`, { headers })).toEqual({
      status: 200,
      body: { status, job_id: id },
    })
  }
  expect(clientOverview(it.service.onboarding)[0]!.dashboards).toEqual([
    { id, connection_id: connectionId, status: 'completed' },
  ])
})

it('knows no connection and no job of another client', async () => {
  await using it = await testService()
  const me = await logIn(it)
  const body = dashboardsOn(await newConnection(it, 7, me))
  const other = await newClient(it)
  const headers = me.cookie
  expect(await it.send('POST', `/v1/clients/${other}/autodash`, { body, headers })).toEqual(
    refusedAnswer(404, 'connection_id'),
  )
  expect(await it.send('POST', '/v1/clients/7/autodash', { body: dashboardsOn(5), headers })).toEqual(
    refusedAnswer(404, 'connection_id'),
  )
  const { id } = (await it.send('POST', '/v1/clients/7/autodash', { body, headers })).body as { id: string }
  expect((await it.send('GET', `/v1/clients/7/autodash/${id}`, { headers })).status).toBe(200)
  const plain = { ...headers, 'content-type': 'text/plain' }
  expect(await it.send('GET', `/v1/clients/7/autodash/${id}`, { headers: plain })).toEqual(
    refusedAnswer(400, 'Content-Type'),
  )
  for (const path of [`${other}/autodash/${id}`, '7/autodash/x', '7/autodash/__proto__', '7/autodash/%zz']) {
    expect(await it.send('GET', `/v1/clients/${path}`, { headers })).toEqual(
      refusedAnswer(404, 'no dashboard creation job'),
    )
  }
})
