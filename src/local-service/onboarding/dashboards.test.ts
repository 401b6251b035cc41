import { expect, it } from 'vitest'
import { dashboardsOn, logIn, newClient, newConnection, refusedAnswer, START, testService } from './testing/service.ts'
import { expectStrict } from './testing/strict.ts'

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
  expect(it.service.onboarding.clients()[0]!.dashboards).toEqual([
    { id, connection_id: connectionId, status: 'completed' },
  ])
})

it('refuses each member that is missing or of another type, user_id only when it is wrong', async () => {
  await using it = await testService()
  const me = await logIn(it)
  const body = { ...dashboardsOn(await newConnection(it, 7, me)), user_id: me.userId }
  const path = '/v1/clients/7/autodash'
  await expectStrict(it, 'POST', path, { body, headers: me.cookie }, { optional: ['user_id'] })
  const empty = await it.send('POST', path, { body: { ...body, package: '' }, headers: me.cookie })
  expect(empty).toEqual(refusedAnswer(400, '^package must be a string that is not empty$'))
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
