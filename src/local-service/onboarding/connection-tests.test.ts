import { expect, it } from 'vitest'
import {
  FORM,
  logIn,
  newClient,
  newConnection,
  refusedAnswer,
  START,
  testForm,
  testService,
} from './testing/service.ts'

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
  const { meta_id } = it.service.onboarding.clients()[0]!.connections[0]!
  const other = await newClient(it)
  const headers = { ...me.cookies, ...FORM }
  for (const number of [id, meta_id]) {
    expect((await it.send('POST', '/v2/client/7/job', { body: testForm(number), headers })).status).toBe(201)
    expect(await it.send('POST', `/v2/client/${other}/job`, { body: testForm(number), headers })).toEqual(
      refusedAnswer(404, 'no connection of that client'),
    )
  }
  expect(it.service.onboarding.clients()[0]!.connection_tests.map((it) => it.connection_id)).toEqual([id, id])
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
    [`${testForm(id)}&jobType=27`, /^jobType is there more than once$/],
    [testForm(id).replace(`${id}`, 'x'), /^workload\[connectionId\] must be a whole number$/],
    [testForm(id).replace(`${id}`, '9007199254740993'), /^workload\[connectionId\] must be a whole number$/],
    [testForm(id).replace(/1$/, '0'), /^workload\[syncAndSample\] must be 1$/],
    [testForm(id).replace('%5B', '%G'), /^the body is no form/],
    [`${testForm(id)}&%FF=1`, /^the body is no form/],
    [JSON.stringify({ jobType: 27 }), /^jobType is missing$/],
  ]
  for (const [body, reason] of wrong) expect(await post(body), body).toEqual(refusedAnswer(400, reason))
  const binary = await fetch(`${it.service.url}/v2/client/7/job`, {
    method: 'POST',
    headers,
    body: Buffer.from([0xff]),
  })
  expect([binary.status, await binary.json()]).toMatchObject([400, { reasons: [expect.stringContaining('no form')] }])
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
  expect(it.service.onboarding.clients()[0]!.connection_tests).toEqual([])
  const list = { headers: { ...me.cookies, accept: 'text/html' } }
  expect(await it.send('GET', '/v2/client/7/job/type/27', list)).toEqual(
    refusedAnswer(400, '^the header Accept must admit'),
  )
  // who calls comes first
  expect(await it.send('POST', '/v2/client/7/job', { body, headers: withoutReferer })).toEqual(refusedAnswer(401, /./))
})
