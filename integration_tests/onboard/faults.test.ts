// Faults at every request of an onboarding: what may be sent again is, what may not is asked about.

import { describe, expect, it } from 'vitest'
import { ONE_OF_EACH, onboarding } from './driver.ts'

const ALL = ['A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7', 'A8', 'A9', 'A10', 'A11'] as const
const CREATING: ReadonlySet<string> = new Set(['A2', 'A4', 'A6', 'A8', 'A10'])
/** Found again by the lists, if it was made. */
const LISTED: ReadonlySet<string> = new Set(['A6', 'A8'])

describe.concurrent.each(ALL)('%s', (endpoint) => {
  const creates = CREATING.has(endpoint)

  it.each([503, 429])('is sent again after %i that says when', async (status) => {
    await using it = await onboarding()
    it.service.fault({ endpoint, next: 2, answer: { status, headers: { 'retry-after': '0' } } })
    const { code, stderr } = await it.run()
    expect(code, stderr).toBe(0)
    expect(it.made()).toEqual(ONE_OF_EACH)
  })

  it.each([500, 503, 504])(creates ? 'is asked about after %i' : 'is sent again after %i', async (status) => {
    await using it = await onboarding()
    it.service.fault({ endpoint, next: 1, answer: { status } })
    const { code, stderr } = await it.run()
    expect(code, stderr).toBe(creates ? 3 : 0)
    if (!creates) return
    expect(stderr).toContain(`answered ${status}`)
    expect((await it.run()).code).toBe(3)
    const confirmed = await it.run({ 'not-created': [endpoint] })
    expect(confirmed.code, confirmed.stderr).toBe(0)
    expect(it.made()).toEqual(ONE_OF_EACH)
  })

  it.each(['before', 'after'] as const)('survives a reset %s it is carried out', async (reset) => {
    await using it = await onboarding()
    it.service.fault({ endpoint, reset })
    const { code, stderr } = await it.run()
    const asks = creates && !(reset === 'after' && LISTED.has(endpoint))
    expect(code, stderr).toBe(asks ? 3 : 0)
    if (!asks) {
      expect(it.made()).toEqual(ONE_OF_EACH)
      return
    }
    expect(stderr).toMatch(new RegExp(`--not-created ${endpoint} `))
    if (reset === 'after') return
    expect((await it.run({ 'not-created': [endpoint] })).code).toBe(0)
    expect(it.made()).toEqual(ONE_OF_EACH)
  })

  it('says what is wrong after a 4xx, and goes on when it is corrected', async () => {
    await using it = await onboarding()
    it.service.fault({
      endpoint,
      next: 1,
      answer: {
        status: 422,
        body: { message: 'demo-secret is demo-password', reasons: ['c3RvcmUtZGItcGFzc3BocmFzZQ=='] },
      },
    })
    const { code, stderr } = await it.run()
    expect(code).toBe(1)
    expect(stderr).toContain(`onboard: ${endpoint} `)
    expect(stderr).toContain('answered 422 (****** is ******: ******')
    expect((await it.run()).code).toBe(0)
    expect(it.made()).toEqual(ONE_OF_EACH)
  })

  it('follows no redirect', async () => {
    await using it = await onboarding()
    it.service.fault({ endpoint, answer: { status: 307, headers: { location: `${it.service.url}/elsewhere` } } })
    const { code, stderr } = await it.run()
    expect(code).toBe(1)
    expect(stderr).toMatch(/redirect.*set (base|dashboard)_url/)
    expect((await it.run()).code).toBe(0)
    expect(it.made()).toEqual(ONE_OF_EACH)
  })

  it.each([302, 303, 409])(creates ? 'is asked about after %i' : 'says what is wrong after %i', async (status) => {
    await using it = await onboarding()
    it.service.fault({ endpoint, next: 1, answer: { status, headers: { location: '/elsewhere' } } })
    const { code, stderr } = await it.run()
    expect(stderr).toContain(`answered ${status}`)
    expect(code, stderr).toBe(creates ? 3 : 1)
    expect((await it.run()).code).toBe(creates ? 3 : 0)
    if (creates) expect((await it.run({ 'not-created': [endpoint] })).code).toBe(0)
    expect(it.made()).toEqual(ONE_OF_EACH)
  })

  it('is not fooled by a page', async () => {
    await using it = await onboarding()
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html><title>Log in</title></html>' }
    it.service.fault({ endpoint, answer: page })
    const { code, stderr } = await it.run()
    expect(code).toBe(creates ? 3 : 1)
    expect(stderr).toContain(`${endpoint} (`)
    expect(stderr).toContain('an HTML page titled "Log in"')
  })
})

it.each([
  ['A1', '{"user_id":1,"expires_in":5}', '`access_token` is missing', 1],
  ['A1', '{"access_token":"a b","user_id":1,"expires_in":5}', '`access_token` is a string that cannot be used', 1],
  ['A1', '{"access_token":"a","expires_in":5}', '`user_id` is missing', 1],
  ['A1', '{"access_token":"a","user_id":1}', '`expires_in` is missing', 1],
  ['A1', '{"access_token":"a","user_id":-1,"expires_in":5}', '`user_id` is a number that cannot be used', 1],
  ['A2', '{"url":"https://a.example.com"}', '`id` is missing', 3],
  ['A2', '{"url":"https://a.example.com","id":".."}', '`id` is a string that cannot be used', 3],
  ['A2', '[]', 'its body is an array', 3],
  ['A2', '', 'its body is empty', 3],
  ['A3', '{"id":null}', '`status` is missing', 1],
  ['A3', '{"status":"completed"}', '`client_id` is missing', 1],
  ['A3', '{"status":"completed","client_id":"9"}', '`client_id` is a string', 1],
  ['A3', '{"status":"completed","client_id":9,"id":"another"}', 'another signup', 1],
  ['A3', '{"status":"completed","client_id":-9}', '`client_id` is a number that cannot be used', 1],
  ['A4', '{"client_id":1}', '`id` is missing', 3],
  ['A4', '{"id":0,"client_id":1}', '`id` is a number that cannot be used', 3],
  ['A6', '{"meta_id":1}', 'shows none of that name', 3],
  ['A7', '{"items":[]}', 'its body is an object', 1],
  ['A8', '{"type":{"id":27}}', 'shows none that could be it', 3],
  ['A9', '[{"id":5}]', '`0.status` is missing', 1],
  ['A9', '{"status":"success","data":[{"id":5}]}', '`0.status` is missing', 1],
  ['A9', '{"status":"success","data":[{"id":5,"status":{"name":"Failed","id":4}}]}', 'ended as "Failed"', 1],
  ['A9', '[{"id":-5,"status":{"name":"Completed"}}]', '`0.id` is a number that cannot be used', 1],
  ['A9', 'nonsense', 'its body is not JSON', 1],
  ['A10', '{"status":"ok"}', '`id` is missing', 3],
  ['A11', '{"job_id":"x"}', '`status` is missing', 1],
  ['A11', '{"job_id":"x","status":"completed"}', 'another job', 1],
])('%s answered with %s: names what is missing', async (endpoint, body, words, expected) => {
  await using it = await onboarding()
  it.service.fault({ endpoint, answer: { status: 200, body } })
  const { code, stderr } = await it.run()
  expect(stderr).toContain(endpoint)
  expect(stderr).toContain(words)
  expect(code).toBe(expected)
})

it('waits for a test that is not listed yet, whatever the list says of itself', async () => {
  let asks = 0
  await using it = await onboarding({
    onboarding: {
      onCall({ endpoint }) {
        if (endpoint === 'A9' && ++asks === 3) it.passTime()
      },
    },
  })
  it.service.fault({ endpoint: 'A9', every: 1, answer: { status: 200, body: { status: 'success', data: [] } } })
  const { code, stderr } = await it.run()
  expect(code).toBe(1)
  expect(stderr).toContain('its last status: "not listed"')
  expect(it.made().dashboards).toBe(0)
})

it('advises to raise the limit that ended a request', async () => {
  for (const [more, option] of [
    [{ timeouts: { total_seconds: 0.2 } }, 'timeouts.total_seconds'],
    [{ request_timeout_seconds: 0.3, retry_for_seconds: 0.2 }, 'request_timeout_seconds'],
  ] as const) {
    await using it = await onboarding({ config: more })
    it.service.fault({ endpoint: 'A1', delay_ms: 3_000 })
    const { code, stderr } = await it.run()
    expect(code, stderr).toBe(1)
    expect(stderr).toMatch(/A1 .*did not answer in time/)
    expect(/if the service is slow, raise (\S+)\. /.exec(stderr)?.[1]).toBe(option)
  }
})

it('keeps an answer that comes after the time of all is over, and asks nothing', async () => {
  await using it = await onboarding({
    onboarding: {
      onCall({ endpoint }) {
        if (endpoint === 'A2') it.passTime()
      },
    },
  })
  const { code, stderr } = await it.run()
  expect(code, stderr).toBe(1)
  expect(stderr).toContain('timeouts.total_seconds')
  expect(it.journal()).toContain('"event":"answered","endpoint":"A2"')
  expect((await it.run()).code).toBe(0)
  expect(it.made()).toEqual(ONE_OF_EACH)
})

it('says that the password is wrong, and has made nothing', async () => {
  await using it = await onboarding({ onboarding: { users: [{ name: 'demo@example.com', password: 'another' }] } })
  const { code, stderr } = await it.run()
  expect(code).toBe(1)
  expect(stderr).toMatch(/^onboard: A1 .*answered 401.*login\.password/)
  expect(it.made()).toEqual({ signups: 0, users: 0, connections: 0, dashboards: 0 })
})

it('asks nothing when the service was not reached', async () => {
  await using it = await onboarding({ config: { base_url: 'http://127.0.0.1:1', retry_for_seconds: 0.2 } })
  const { code, stderr } = await it.run()
  expect(code).toBe(1)
  expect(stderr).toContain('refused the connection (ECONNREFUSED)')
  expect(it.journal()).not.toContain('intent')
})
