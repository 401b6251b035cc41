import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, it } from 'vitest'
import { LOGIN, logIn, refusedAnswer, SIGNUP, START, testService } from './testing/service.ts'
import { expectStrict } from './testing/strict.ts'

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
  expect(it.service.onboarding.signups()).toEqual([{ id, company: 'Acme', status: 'running', client_id: null }])
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
  const ids = (): number[] => it.service.onboarding.clients().map(({ id }) => id)
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

it('takes any word of success for one', async () => {
  await using it = await testService()
  for (const outcome of ['Complete', 'COMPLETED', 'success', 'Succeeded']) {
    it.service.onboarding.plan({ signup: { outcome } })
    const { body } = await it.send('POST', '/v3/signups', { body: SIGNUP })
    const polled = await it.send('GET', `/v3/signups/${(body as { id: string }).id}`)
    expect(polled.body).toMatchObject({ status: outcome, client_id: expect.any(Number) })
  }
})

it('makes two clients of the same signup twice', async () => {
  await using it = await testService()
  for (const _ of [1, 2]) await it.send('POST', '/v3/signups', { body: SIGNUP })
  expect(it.service.onboarding.clients().map(({ name }) => name)).toEqual(['Client 7', 'Acme', 'Acme'])
})

it('asks for no token, nor minds one', async () => {
  await using it = await testService()
  const headers = { authorization: 'Bearer nonsense', cookie: 'DASHSESS2=x' }
  const { body } = await it.send('POST', '/v3/signups', { body: SIGNUP, headers })
  expect((await it.send('GET', `/v3/signups/${(body as { id: string }).id}`, { headers })).status).toBe(200)
})

it('refuses each member that is missing or of another type, and words that are empty', async () => {
  await using it = await testService()
  await expectStrict(it, 'POST', '/v3/signups', { body: SIGNUP })
  for (const name of ['tier', 'role']) {
    expect(await it.send('POST', '/v3/signups', { body: { ...SIGNUP, [name]: '' } })).toEqual(
      refusedAnswer(400, `^${name} must be a string that is not empty$`),
    )
  }
  const { shop } = SIGNUP
  expect(
    (await it.send('POST', '/v3/signups', { body: { ...SIGNUP, company: '', shop: { ...shop, x: 1 } } })).status,
  ).toBe(201)
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
