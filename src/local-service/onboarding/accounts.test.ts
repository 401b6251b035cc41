import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, it } from 'vitest'
import { clientOverview, signupOverview } from './overview.ts'
import {
  LOGIN,
  logIn,
  refusedAnswer,
  SIGNUP,
  START,
  testService,
  inviteTo,
  newClient,
  PROPERTIES,
} from './testing/service.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

it('makes a client by a job that goes from state to state', async () => {
  await using it = await testService({ onboarding: { plans: { signup: { durationMs: 3000 } } } })
  const created = await it.send('POST', '/v3/signups', { body: SIGNUP })
  expect(created).toEqual({
    status: 201,
    body: { id: expect.stringMatching(UUID), url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v3\/signups\//) },
  })
  const { id, url } = created.body as { id: string; url: string }
  expect(url.endsWith(`/${id}`)).toBe(true)
  const poll = async (ms: number): Promise<unknown> => {
    it.now = START + ms
    return (await it.send('GET', url.slice(it.service.url.length))).body
  }
  expect(await poll(0)).toEqual({ id, url, status: 'pending' })
  expect(await poll(1000)).toEqual({ id, url, status: 'running' })
  expect(signupOverview(it.service.onboarding)).toEqual([{ id, company: 'Acme', status: 'running', client_id: null }])
  const done = await poll(3000)
  expect(done).toEqual({
    id,
    url,
    status: 'completed',
    client_id: expect.any(Number),
    pubkey: expect.stringMatching(/^ssh-ed25519 [A-Za-z0-9+/]{68} \S+$/),
  })
  expect(await poll(999_999)).toEqual(done)
})

it('has no client before the job is completed, and none when it ends otherwise', async () => {
  await using it = await testService({ onboarding: { plans: { signup: { durationMs: 3000 } } } })
  const { bearer } = await logIn(it)
  await it.send('POST', '/v3/signups', { body: SIGNUP })
  const ids = (): number[] => clientOverview(it.service.onboarding).map(({ id }) => id)
  expect(ids()).toEqual([7])
  it.now += 2999
  expect(ids()).toEqual([7])
  it.now += 1
  const [, id] = ids()
  expect((await it.send('GET', `/v1/clients/${id}/autodash/x`, { headers: bearer })).body).toMatchObject({
    reasons: [expect.stringContaining('dashboard')],
  })
  for (const outcome of ['Failed', 'Completed With Errors', 'cancelled', 'hangs']) {
    it.service.onboarding.plan({ signup: { outcome } })
    const { body } = await it.send('POST', '/v3/signups', { body: SIGNUP })
    it.now += 99_999
    const polled = await it.send('GET', `/v3/signups/${(body as { id: string }).id}`)
    expect(polled.body).toMatchObject({ status: outcome === 'hangs' ? 'running' : outcome })
    expect(Object.keys(polled.body as object)).toEqual(['id', 'url', 'status'])
    expect(ids()).toEqual([7, id])
  }
})

it('asks for no token, nor minds one', async () => {
  await using it = await testService()
  const headers = { authorization: 'Bearer nonsense', cookie: 'DASHSESS2=x' }
  const { body } = await it.send('POST', '/v3/signups', { body: SIGNUP, headers })
  expect((await it.send('GET', `/v3/signups/${(body as { id: string }).id}`, { headers })).status).toBe(200)
})

it('wants the Content-Type of the service document of a poll too', async () => {
  await using it = await testService()
  const { id } = (await it.send('POST', '/v3/signups', { body: SIGNUP })).body as { id: string }
  const path = `/v3/signups/${id}`
  expect(await it.send('GET', path, { headers: { 'content-type': 'text/plain' } })).toEqual(
    refusedAnswer(400, 'the header Content-Type must be application/json: it is not'),
  )
  expect((await fetch(`${it.service.url}${path}`)).status).toBe(400)
})

it('knows no other signup, and no other way there', async () => {
  await using it = await testService()
  for (const id of ['x', '%zz', '__proto__', '1001']) {
    expect(await it.send('GET', `/v3/signups/${id}`)).toEqual(refusedAnswer(404, 'no signup of that id'))
  }
  for (const [method, path] of [
    ['GET', '/v3/signups'],
    ['GET', '/v3/signups/'],
    ['POST', '/v3/signups/'],
    ['PUT', '/v3/signups'],
    ['POST', '/v1/signups'],
    ['POST', '/sandbox/v3/signups'],
    ['GET', '/v1/tokens'],
    ['POST', '/v1/client/7/job'],
    ['POST', '/v2/clients/7/job'],
    ['POST', '/v1/clients/7/connections/input-connections'],
  ]) {
    expect(await it.send(method!, path!, method === 'GET' ? {} : { body: LOGIN })).toEqual(refusedAnswer(404, /./))
  }
})

it('names itself as it was reached', async () => {
  await using it = await testService()
  const urlFor = async (host: string): Promise<string> => {
    const headers = { host, 'content-type': 'application/json' }
    const asked = request(`${it.service.url}/v3/signups`, { method: 'POST', headers })
    asked.end(JSON.stringify(SIGNUP))
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return (JSON.parse(Buffer.concat(await answer.toArray()).toString()) as { url: string }).url
  }
  expect(await urlFor('service.example:99')).toMatch(/^http:\/\/service\.example:99\/v3\/signups\//)
  expect(await urlFor('"><x')).toMatch(/^http:\/\/localhost:\d+\/v3\/signups\//)
})

it('answers exactly the token of the service document', async () => {
  await using it = await testService()
  it.now = START + 999
  expect(await it.send('POST', '/v1/tokens', { body: LOGIN })).toEqual({
    status: 201,
    body: {
      id: expect.any(Number),
      access_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      token_type: 'bearer',
      scope: 'default',
      grant_type: 'password',
      user_id: expect.any(Number),
      oauth_client_id: 1,
      client_id: null,
      refresh_token: null,
      expires_in: 14_400,
      create_at: '2026-11-21 20:00:00',
      refreshed_at: '2026-11-21 20:00:00',
      expires_at: '2026-11-22 00:00:00',
    },
  })
})

it('lets in who knows password and oauth secret, as they were given', async () => {
  await using it = await testService({
    onboarding: {
      users: [
        { name: 'a', password: 'p:ä😀' },
        { name: 'b', password: 'q' },
      ],
      oauth: [
        { id: 5, secret: 's' },
        { id: 0, secret: 'z' },
      ],
      tokenSeconds: 60,
    },
  })
  const a = await logIn(it, { ...LOGIN, username: 'a', password: 'p:ä😀', clientId: 5, clientSecret: 's' })
  const b = await logIn(it, { ...LOGIN, username: 'b', password: 'q', clientId: 0, clientSecret: 'z' })
  expect(a.userId).not.toBe(b.userId)
  for (const wrong of [
    { username: 'a', password: 'q' },
    { username: 'c', password: 'q' },
    { username: 'B', password: 'q' },
    { username: 'b', password: 'q ' },
    { username: 'b', password: 'q', clientId: 0, clientSecret: 's' },
    { username: 'b', password: 'q', clientId: 1, clientSecret: 's' },
    { username: 'b', password: 'q', clientId: 5, clientSecret: '' },
    { username: '', password: '' },
    { username: '__proto__', password: 'q' },
  ]) {
    const body = { ...LOGIN, clientId: 5, clientSecret: 's', ...wrong }
    expect(await it.send('POST', '/v1/tokens', { body })).toEqual(refusedAnswer(401, 'not those of a user'))
  }
})

it('names all that is wrong at once, and never shows what it held', async () => {
  await using it = await testService()
  const answer = await it.send('POST', '/v1/tokens', { body: { password: ['hunter2'], clientSecret: 12345 } })
  expect(answer.body).toMatchObject({
    reasons: [
      'username is missing',
      'password must be a string',
      'grant_type is missing',
      'scope is missing',
      'clientId is missing',
      'clientSecret must be a string',
    ],
  })
  expect(JSON.stringify(answer)).not.toMatch(/hunter2|12345/)
})

it('refuses options that cannot be, and shows no secret', async () => {
  const wrong = [
    {
      users: [
        { name: 'a', password: 'hunter2' },
        { name: 'a', password: 'hunter2' },
      ],
    },
    { oauth: [{ id: -1, secret: 'hunter2' }] },
    { oauth: [{ id: 1.5, secret: 'hunter2' }] },
    {
      oauth: [
        { id: 1, secret: 'hunter2' },
        { id: 1, secret: 'hunter2' },
      ],
    },
  ]
  for (const onboarding of wrong) {
    const error = await testService({ onboarding }).then(
      () => expect.unreachable(),
      (error: unknown) => error,
    )
    expect(error).toMatchObject({ kind: 'config', message: expect.not.stringContaining('hunter2') })
  }
})

it('answers exactly the invite of the service document', async () => {
  await using it = await testService()
  const { userId, bearer } = await logIn(it)
  const clientId = await newClient(it)
  const answer = await it.send('POST', '/v3/invites', { body: inviteTo(clientId), headers: bearer })
  expect(answer).toEqual({
    status: 201,
    body: { id: expect.any(Number), inviter_user_id: userId, client_id: clientId, email: 'grace@example.com' },
  })
  const { id } = answer.body as { id: number }
  expect(clientOverview(it.service.onboarding).at(-1)).toMatchObject({ users: [{ id, email: 'grace@example.com' }] })
  await it.send('POST', '/v3/invites', { body: inviteTo(clientId), headers: bearer })
  expect(clientOverview(it.service.onboarding).at(-1)?.users).toHaveLength(2)
})

it('knows no other client', async () => {
  await using it = await testService()
  const { bearer: headers } = await logIn(it)
  for (const client of [8, 0, -1, 2 ** 53 - 1]) {
    expect(await it.send('POST', '/v3/invites', { body: inviteTo(client), headers })).toEqual(
      refusedAnswer(404, '^client_id'),
    )
  }
})

const NULLABLE = ['has_privacy_protection', 'hosted_warehouse', 'phone_number', 'website_url']

it('sets name and properties, again and again', async () => {
  await using it = await testService()
  const { cookie: headers } = await logIn(it)
  const id = await newClient(it)
  for (const change of [{}, { timezone: 'Asia/Kolkata', website_url: 'https://shop.example' }, {}]) {
    const body = { name: 'Acme & Söhne', properties: { ...PROPERTIES, ...change } }
    expect(await it.send('PUT', `/v1/clients/${id}`, { body, headers })).toEqual({ status: 200, body: { id, ...body } })
    expect(clientOverview(it.service.onboarding).at(-1)).toMatchObject({ id, ...body })
  }
  expect(
    (await it.send('PUT', '/v1/clients/7', { body: { name: 'Seven', properties: PROPERTIES }, headers })).status,
  ).toBe(200)
  expect(clientOverview(it.service.onboarding)[0]).toMatchObject({ id: 7, name: 'Seven', import_keys: 1 })
})

it('takes what the service document says of each property, and nothing else', async () => {
  await using it = await testService()
  const { cookie: headers } = await logIn(it)
  const put = (name: string, value: unknown): Promise<unknown> =>
    it.send('PUT', '/v1/clients/7', { body: { name: 'x', properties: { ...PROPERTIES, [name]: value } }, headers })
  const right: [string, readonly unknown[]][] = [
    ['has_guest_checkout', ['0', '1']],
    ['perform_updates', ['0', '1']],
    ['default_currency', ['USD', 'EUR']],
    ['timezone', ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'US/Eastern', 'EST5EDT']],
    ['week_start_day', ['0', '1', '6']],
    ['blackout_hours', ['', '1-4']],
    ['shop_store_table_prefix', ['', 'm2_']],
    ...NULLABLE.map((name): [string, readonly unknown[]] => [name, [null, '', 'x']]),
    ['something_else', [null, 1, { keys: [] }]],
  ]
  for (const [name, values] of right) {
    for (const value of values) expect(await put(name, value), name).toMatchObject({ status: 200 })
  }
  const wrong: [string, readonly unknown[]][] = [
    ['has_guest_checkout', [1, true, '', '2', 'true', null]],
    ['perform_updates', [0, false, '00', null]],
    ['is_implemented', ['true', 'false', 0, 1, '1', null]],
    ['default_currency', ['', 'usd', 'US', '$', 'US Dollar', null]],
    ['timezone', ['', 'Mars/Olympus', '+01:00', 'Europe/Berlin ', null]],
    ['week_start_day', [0, '', 'Monday', '8', '-1', '01', null]],
    ['blackout_hours', [null, 4, []]],
  ]
  for (const [name, values] of wrong) {
    for (const value of values)
      expect(await put(name, value), name).toEqual(refusedAnswer(400, `^properties.${name} must be `))
  }
})
