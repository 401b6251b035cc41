import { expect, it } from 'vitest'
import { clientOverview, signupOverview } from './overview.ts'
import type { SeenCall } from './options.ts'
import {
  CONNECTION,
  connectionsPath,
  inviteTo,
  LOGIN,
  logIn,
  refusedAnswer,
  SIGNUP,
  testService,
  dashboardsOn,
  FORM,
  newClient,
  newConnection,
  PROPERTIES,
  testForm,
} from './testing/service.ts'

it('resets before or after acting', async () => {
  await using it = await testService()
  const { bearer: headers } = await logIn(it)
  const invite = (): Promise<unknown> => it.send('POST', '/v3/invites', { body: inviteTo(7), headers })
  const users = (): number => clientOverview(it.service.onboarding)[0]!.users.length
  await it.send('POST', '/_local/faults', { body: { endpoint: 'A4', next: 1, reset: 'before' } })
  await expect(invite()).rejects.toThrow()
  expect(users()).toBe(0)
  await it.send('POST', '/_local/faults', { body: { endpoint: 'A4', next: 1, reset: 'after' } })
  await expect(invite()).rejects.toThrow()
  expect(users()).toBe(1)
  expect(await invite()).toMatchObject({ status: 201 })
  expect(it.service.requests.recent().filter(({ path }) => path === '/v3/invites')).toMatchObject([
    { method: 'POST', path: '/v3/invites', status: 'reset', points: 0 },
    { method: 'POST', path: '/v3/invites', status: 'reset', points: 0 },
    { method: 'POST', path: '/v3/invites', status: 201, points: 0 },
  ])
})

it('answers what was scripted, and does nothing then', async () => {
  await using it = await testService()
  it.service.fault({ endpoint: 'A2', next: 2, answer: { status: 503, headers: { 'Retry-After': 1 } } })
  it.service.fault({ endpoint: 'A2', answer: { status: 200, body: { url: 5 } } })
  it.service.fault({ endpoint: 'A2', answer: { status: 201 } })
  it.service.fault({ endpoint: 'A2', delay_ms: 1 })
  const answers = []
  for (let n = 0; n < 6; n++) answers.push(await it.send('POST', '/v3/signups', { body: SIGNUP }))
  expect(answers).toEqual([
    refusedAnswer(503, 'scripted'),
    refusedAnswer(503, 'scripted'),
    { status: 200, body: { url: 5 } },
    { status: 201, body: { code: 201, message: expect.any(String) } },
    { status: 201, body: { url: expect.any(String), id: expect.any(String) } },
    { status: 201, body: { url: expect.any(String), id: expect.any(String) } },
  ])
  expect(signupOverview(it.service.onboarding)).toHaveLength(2)
})

it('gives a fault to its endpoint, its path, or both, and upserts none of them', async () => {
  await using it = await testService({
    clients: [
      { id: 7, key: 'k' },
      { id: 8, key: 'k' },
    ],
  })
  const { cookie: headers } = await logIn(it)
  const answer = { status: 418 }
  it.service.fault({ path: connectionsPath(8), every: 1, answer })
  it.service.fault({ endpoint: 'A6', path: connectionsPath(7), every: 1, answer })
  const statuses = []
  for (const [method, client] of [
    ['GET', 8],
    ['POST', 8],
    ['GET', 7],
    ['POST', 7],
  ] as const) {
    const sent = method === 'GET' ? { headers } : { headers, body: CONNECTION }
    statuses.push((await it.send(method, `${connectionsPath(client)}?include_deleted=false`, sent)).status)
  }
  expect(statuses).toEqual([418, 418, 200, 418])
  it.service.clearFaults()
  it.service.fault({ endpoint: 'A1', answer })
  it.service.fault({ answer: { status: 500 } })
  const upsert = (): Promise<{ status: number }> =>
    it.send('POST', '/v2/client/7/table/t/data?apikey=k', { body: { keys: ['id'], id: 1 } })
  expect([(await upsert()).status, (await upsert()).status]).toEqual([500, 201])
  expect((await it.send('POST', '/v1/tokens', { body: LOGIN })).status).toBe(418)
})

it('shows each call when it has arrived, holds it, and shows its end', async () => {
  const seen: string[] = []
  const calls: SeenCall[] = []
  let release = (): void => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  await using it = await testService({
    onboarding: {
      async onCall(call) {
        calls.push(call)
        seen.push(call.endpoint)
        if (call.endpoint === 'A2') await gate
        if (call.endpoint === 'A3') throw new Error('the hook fails')
      },
      onAnswered: (call, status) => void seen.push(`${call.endpoint} ${status}`),
    },
  })
  const held = it.send('POST', '/v3/signups', { body: SIGNUP, headers: { 'x-mine': '1' } })
  while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(signupOverview(it.service.onboarding)).toEqual([])
  release()
  expect((await held).status).toBe(201)
  expect(calls[0]).toMatchObject({ method: 'POST', target: '/v3/signups', headers: { 'x-mine': '1' } })
  expect(Buffer.from(calls[0]!.body).toString()).toBe(JSON.stringify(SIGNUP))
  it.service.fault({ endpoint: 'A1', reset: 'after' })
  await expect(logIn(it)).rejects.toThrow()
  expect(await it.send('GET', '/v3/signups/x?y')).toEqual(refusedAnswer(500, 'the hook fails'))
  expect(seen).toEqual(['A2', 'A2 201', 'A1', 'A1 reset', 'A3', 'A3 500'])
  expect(calls[2]!.target).toBe('/v3/signups/x?y')
})

it('leaves latency, rate limit, random faults and older libraries to the import interface', async () => {
  await using it = await testService({
    latency: { from: 2 ** 31 - 1, to: 2 ** 31 - 1 },
    rateLimit: 0.001,
    errorRate: 1,
    compat: true,
  })
  for (let n = 0; n < 3; n++) expect((await it.send('POST', '/v3/signups', { body: SIGNUP })).status).toBe(201)
})

it('shows what was made for each client', async () => {
  await using it = await testService({
    clients: [
      { id: 7, key: 'a' },
      { id: 7, key: 'b' },
      { id: 8, key: 'c' },
    ],
  })
  const me = await logIn(it)
  const id = await newClient(it)
  await it.send('POST', '/v3/invites', { body: inviteTo(id), headers: me.bearer })
  await it.send('PUT', `/v1/clients/${id}`, { body: { name: 'New name', properties: PROPERTIES }, headers: me.cookie })
  const connection_id = await newConnection(it, id, me)
  await it.send('POST', `/v2/client/${id}/job`, { body: testForm(connection_id), headers: { ...me.cookies, ...FORM } })
  await it.send('POST', `/v1/clients/${id}/autodash`, { body: dashboardsOn(connection_id), headers: me.cookie })
  await it.send('POST', `/_local/clients/${id}/import-keys`)
  const nothing = { properties: null, users: [], connections: [], connection_tests: [], dashboards: [] }
  const clients = [
    { id: 7, name: 'Client 7', ...nothing, import_keys: 2 },
    { id: 8, name: 'Client 8', ...nothing, import_keys: 1 },
    {
      id,
      name: 'New name',
      properties: PROPERTIES,
      users: [{ id: expect.any(Number), email: 'grace@example.com' }],
      connections: [{ id: connection_id, meta_id: expect.any(Number), name: 'shop', status: 'completed' }],
      connection_tests: [{ id: expect.any(Number), connection_id, status: 'completed' }],
      dashboards: [{ id: expect.any(String), connection_id, status: 'completed' }],
      import_keys: 1,
    },
  ]
  expect(await it.send('GET', '/_local/clients')).toEqual({ status: 200, body: clients })
  expect(clientOverview(it.service.onboarding)).toEqual(clients)
})

it('makes import keys that are good at once, for that client only', async () => {
  await using it = await testService()
  const id = await newClient(it)
  const status = async (client: number, key: string): Promise<number> =>
    (await it.send('GET', `/v2/client/${client}/authenticate?apikey=${key}`)).status
  expect(await status(id, 'demo-key')).toBe(401)
  const made = await it.send('POST', `/_local/clients/${id}/import-keys`)
  expect(made).toEqual({ status: 201, body: { client_id: id, api_key: expect.stringMatching(/^[0-9a-f]{64}$/) } })
  const { api_key: key } = made.body as { api_key: string }
  const second = it.service.onboarding.makeImportKey(id)
  expect([await status(id, key), await status(id, second), await status(7, key), await status(7, 'demo-key')]).toEqual([
    200, 200, 401, 200,
  ])
  const body = { keys: ['id'], id: 1 }
  expect((await it.send('POST', `/v2/client/${id}/table/t/data?apikey=${key}`, { body })).status).toBe(201)
  expect((await it.send('POST', `/sandbox/v2/client/${id}/table/t/data?apikey=${key}`, { body })).status).toBe(201)
  expect(await it.send('GET', `/_local/tables/t?client_id=${id}`)).toEqual({ status: 200, body: [body] })
  expect(it.service.rows('t', id)).toHaveLength(1)
  const seven = it.service.onboarding.makeImportKey(7)
  expect([await status(7, seven), await status(7, 'demo-key'), await status(id, seven)]).toEqual([200, 200, 401])
})

it('makes no key for a client that is not there, or not yet', async () => {
  await using it = await testService({ onboarding: { plans: { signup: { durationMs: 3000 } } } })
  await it.send('POST', '/v3/signups', { body: SIGNUP })
  for (const id of ['8', '1001', '1002', '1003', 'x', '%zz', '07']) {
    expect(await it.send('POST', `/_local/clients/${id}/import-keys`)).toEqual(refusedAnswer(404, 'client id'))
  }
})

it('changes what becomes of jobs, and puts it back', async () => {
  await using it = await testService({ onboarding: { plans: { dashboards: { durationMs: 5, outcome: 'Failed' } } } })
  const before = it.service.onboarding.plans
  const change = { signup: { outcome: 'Failed' }, connectionTest: { durationMs: 2.5 }, connectionStatus: 'none' }
  const plans = {
    signup: { durationMs: 0, outcome: 'Failed' },
    connection: { durationMs: 0, outcome: 'completed' },
    connectionTest: { durationMs: 2.5, outcome: 'completed' },
    dashboards: { durationMs: 5, outcome: 'Failed' },
    connectionStatus: 'none',
  }
  expect(await it.send('POST', '/_local/onboarding', { body: change })).toMatchObject({ status: 200, body: { plans } })
  expect(await it.send('GET', '/_local/onboarding')).toEqual({ status: 200, body: { plans, signups: [] } })
  const done = await it.send('DELETE', '/_local/onboarding')
  expect(done).toMatchObject({ status: 200, body: { code: 200, plans: before } })
  expect(it.service.onboarding.plans).toEqual(before)
})

it('lets jobs that hang go on, once their kind is to hang no more', async () => {
  await using it = await testService({ onboarding: { plans: { signup: { durationMs: 30, outcome: 'hangs' } } } })
  const signups = async (): Promise<unknown> => (await it.send('GET', '/_local/onboarding')).body
  const { body } = await it.send('POST', '/v3/signups', { body: SIGNUP })
  const { id } = body as { id: string }
  const signup = (status: string, client_id: unknown = null): object => ({
    signups: [{ id, company: 'Acme', status, client_id }],
  })
  it.now += 99_999
  expect(await signups()).toMatchObject(signup('running'))
  await it.send('POST', '/_local/onboarding', {
    body: { dashboards: { outcome: 'Failed' }, signup: { durationMs: 60 } },
  })
  expect(await signups()).toMatchObject(signup('running'))
  await it.send('POST', '/_local/onboarding', { body: { signup: { outcome: 'completed' } } })
  expect(await signups()).toMatchObject(signup('pending'))
  it.now += 60
  expect(await signups()).toMatchObject(signup('completed', expect.any(Number)))
})

it('refuses what is no such change, and changes nothing then', async () => {
  await using it = await testService()
  const before = it.service.onboarding.plans
  const wrong: [unknown, RegExp][] = [
    [[], /^the body must be an object$/],
    [{ signup: 'Failed' }, /^signup must be an object/],
    [{ signup: { outcome: '' } }, /^signup.outcome must be a string that is not empty$/],
    [{ signup: { outcome: 5 } }, /^signup.outcome must be/],
    [{ signup: { durationMs: -1 } }, /^signup.durationMs must be a number of milliseconds from 0$/],
    [{ signup: { durationMs: '5' } }, /^signup.durationMs must be/],
    [{ signup: { duration_ms: 5 } }, /^signup.duration_ms is unknown$/],
    [{ sign_up: {} }, /^sign_up is unknown$/],
    [{ connectionStatus: 'somewhere' }, /^connectionStatus must be one of integration_type.pipeline_state, status,/],
    [{ connection: { outcome: 'Failed' }, connectionTest: null }, /^connectionTest must be/],
  ]
  for (const [change, reason] of wrong) {
    const answer = await it.send('POST', '/_local/onboarding', { body: JSON.stringify(change) })
    expect(answer, JSON.stringify(change)).toEqual(refusedAnswer(400, reason))
  }
  expect(await it.send('POST', '/_local/onboarding', { body: '{' })).toEqual(refusedAnswer(400, 'not valid JSON'))
  expect(await it.send('POST', '/_local/onboarding', { body: ' '.repeat(2 ** 20 + 1) })).toEqual(
    refusedAnswer(413, 'larger'),
  )
  expect(it.service.onboarding.plans).toBe(before)
  for (const [method, path] of [
    ['PUT', '/_local/onboarding'],
    ['POST', '/_local/clients'],
    ['GET', '/_local/clients/7'],
    ['GET', '/_local/clients/7/import-keys'],
  ]) {
    expect(await it.send(method!, path!)).toEqual(refusedAnswer(404, /./))
  }
})
