import { expect, it } from 'vitest'
import {
  CONNECTION,
  connectionsPath,
  inviteTo,
  LOGIN,
  logIn,
  refusedAnswer,
  SIGNUP,
  testService,
} from './testing/service.ts'
import type { SeenCall } from './call.ts'

it('resets before or after acting', async () => {
  await using it = await testService()
  const { bearer: headers } = await logIn(it)
  const invite = (): Promise<unknown> => it.send('POST', '/v3/invites', { body: inviteTo(7), headers })
  const users = (): number => it.service.onboarding.clients()[0]!.users.length
  await it.send('POST', '/_local/faults', { body: { endpoint: 'A4', next: 1, reset: 'before' } })
  await expect(invite()).rejects.toThrow()
  expect(users()).toBe(0)
  await it.send('POST', '/_local/faults', { body: { endpoint: 'A4', next: 1, reset: 'after' } })
  await expect(invite()).rejects.toThrow()
  expect(users()).toBe(1)
  expect(await invite()).toMatchObject({ status: 201 })
  expect(it.service.requests.recent().filter(({ path }) => path === '/v3/invites')).toEqual([
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
  expect(it.service.onboarding.signups()).toHaveLength(2)
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

it('refuses faults for endpoints and paths that are not there', async () => {
  await using it = await testService()
  const reset = 'before'
  const wrong: [object, string][] = [
    [{ endpoint: 'A12', reset }, '^endpoint must be one of A1, '],
    [{ endpoint: 'B3', reset }, '^endpoint must be one of A1, '],
    [{ endpoint: 4, reset }, '^endpoint must be one of A1, '],
    [{ path: '/v3/invites?x', reset }, '^path must be a path of interface A'],
    [{ path: 'v3/invites', reset }, '^path must be a path of interface A'],
    [{ path: '/v2/client/7/table/t/data', reset }, '^path must be a path of interface A'],
    [{ path: '/_local/clients', reset }, '^path must be a path of interface A'],
    [{ endpoint: 'A4', table: 't', reset }, '^a fault has table, or endpoint and path'],
  ]
  for (const [body, reason] of wrong) {
    expect(await it.send('POST', '/_local/faults', { body })).toEqual(refusedAnswer(400, reason))
  }
  expect(() => it.service.fault({ endpoint: 'A4', answer: () => undefined })).toThrow('for upserts only')
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
  expect(it.service.onboarding.signups()).toEqual([])
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
