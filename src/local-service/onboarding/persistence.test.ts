import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { testFolder } from '../testing/folder.ts'
import { clientOverview } from './overview.ts'
import {
  CONNECTION,
  connectionsPath,
  dashboardsOn,
  FORM,
  inviteTo,
  logIn,
  newClient,
  newConnection,
  refusedAnswer,
  SIGNUP,
  testForm,
  testService,
} from './testing/service.ts'

it('has everything again after a restart: clients, users, connections, jobs, keys, tokens', async () => {
  using folder = testFolder()
  const data = folder.file('data')
  let before: ReturnType<typeof clientOverview>
  let id: number
  let key: string
  let job: string
  let tokens
  {
    await using it = await testService({ data })
    tokens = await logIn(it)
    id = await newClient(it)
    await it.send('POST', '/v3/invites', { body: inviteTo(id), headers: tokens.bearer })
    const connection = await newConnection(it, id, tokens)
    const headers = { ...tokens.cookies, ...FORM }
    await it.send('POST', `/v2/client/${id}/job`, { body: testForm(connection), headers })
    const made = await it.send('POST', `/v1/clients/${id}/autodash`, {
      body: dashboardsOn(connection),
      headers: tokens.cookie,
    })
    job = (made.body as { id: string }).id
    key = it.service.onboarding.makeImportKey(id)
    const body = { keys: ['id'], id: 1 }
    await it.send('POST', `/v2/client/${id}/table/t/data?apikey=${key}`, { body })
    before = clientOverview(it.service.onboarding)
  }
  await using it = await testService({ data })
  expect(clientOverview(it.service.onboarding)).toEqual(before)
  expect(it.service.rows('t', id)).toHaveLength(1)
  expect((await it.send('GET', `/v2/client/${id}/authenticate?apikey=${key}`)).status).toBe(200)
  expect((await it.send('GET', `/v1/clients/${id}/autodash/${job}`, { headers: tokens.cookie })).body).toEqual({
    status: 'completed',
    job_id: job,
  })
  expect((await it.send('GET', `/v2/client/${id}/job/type/27`, { headers: tokens.cookies })).body).toHaveLength(1)
  expect((await logIn(it)).userId).toBe(tokens.userId)
  const { users, connections, connection_tests } = before.at(-1)!
  const ids = [id, ...[...users, ...connections, ...connection_tests].map((made) => made.id)]
  expect(await newClient(it)).toBeGreaterThan(Math.max(...ids))
})

it('lets a job go on where it was, also beyond a restart', async () => {
  using folder = testFolder()
  const data = folder.file('data')
  const onboarding = { plans: { signup: { durationMs: 3000 } } }
  let path: string
  {
    await using it = await testService({ data, onboarding })
    const { body } = await it.send('POST', '/v3/signups', { body: SIGNUP })
    path = `/v3/signups/${(body as { id: string }).id}`
  }
  await using it = await testService({ data })
  expect((await it.send('GET', path)).body).toMatchObject({ status: 'pending' })
  it.now += 3000
  expect((await it.send('GET', path)).body).toMatchObject({ status: 'completed', client_id: expect.any(Number) })
})

it('gives no new client the number of one that has rows, nor of one it was started with', async () => {
  using folder = testFolder()
  const data = folder.file('data')
  {
    await using it = await testService({ data, clients: [{ id: 1002, key: 'k' }] })
    await it.send('POST', '/v2/client/1002/table/t/data?apikey=k', { body: { keys: ['id'], id: 1 } })
  }
  await using it = await testService({ data, clients: [{ id: 1003, key: 'k' }] })
  const ids = [await newClient(it), await newClient(it), await newClient(it)]
  expect(ids.filter((id) => id === 1002 || id === 1003)).toEqual([])
  expect(new Set(ids).size).toBe(3)
})

it('knows the tokens of nobody who may log in no more', async () => {
  using folder = testFolder()
  const data = folder.file('data')
  let headers
  {
    await using it = await testService({ data })
    headers = (await logIn(it)).bearer
  }
  {
    await using it = await testService({ data, onboarding: { users: [{ name: 'other', password: 'p' }] } })
    expect(await it.send('GET', connectionsPath(7), { headers })).toEqual(refusedAnswer(401, 'not one of this service'))
  }
  await using it = await testService({ data })
  expect((await it.send('GET', connectionsPath(7), { headers })).status).toBe(401)
})

it('writes no secret into its file', async () => {
  using folder = testFolder()
  const secrets = ['demo-password', 'demo-secret', 'database-secret', 'tunnel-secret', 'group-secret']
  {
    await using it = await testService({ data: folder.file('data') })
    const me = await logIn(it)
    const properties = { ...CONNECTION.properties, encryption_groupSecret: 'group-secret' }
    const body = { ...CONNECTION, properties }
    expect((await it.send('POST', connectionsPath(7), { body, headers: me.cookie })).status).toBe(201)
    secrets.push(me.token, it.service.onboarding.makeImportKey(7))
  }
  for (const name of readdirSync(folder.path)) {
    const text = readFileSync(folder.file(name), 'latin1')
    expect(text).toContain('db.example.com')
    for (const secret of secrets) expect(text.includes(secret), secret).toBe(false)
  }
})
