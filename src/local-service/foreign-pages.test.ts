// What pages of other origins get from the local service: nothing, unless their origin is allowed.

import { once } from 'node:events'
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { originFault } from './allowed-origins.ts'
import { LOGIN } from './onboarding/testing/service.ts'
import { startLocalService, type LocalService } from './start.ts'

const UPSERT = '/v2/client/7/table/t/data?apikey=demo-key'
const POINT = '{"keys":["id"],"id":1}'
const FOREIGN = 'http://evil.example'
const MARKUP = '<img src=x onerror=alert(1)>&'
const EVERYWHERE = [
  ['GET', '/'],
  ['GET', '/sandbox/'],
  ['GET', '/v2/client/7/authenticate?apikey=demo-key'],
  ['GET', '/v2/client/9/authenticate'],
  ['POST', UPSERT],
  ['POST', `/sandbox${UPSERT}`],
  ['POST', '/v1/tokens'],
  ['POST', '/v3/signups'],
  ['OPTIONS', UPSERT],
  ['DELETE', '/nothing'],
  ['GET', '/_local/tables'],
  ['DELETE', '/_local/tables'],
  ['POST', '/_local/faults'],
] as const

interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** With any header, `Host` too. */
async function ask(
  service: LocalService,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<Got> {
  const asked = request({ host: '127.0.0.1', port: service.port, method, path, headers })
  asked.end(body)
  const [answer] = await once(asked, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString() }
}

it('is nothing to a foreign page, on any path, before anything else', async () => {
  await using service = await startLocalService({ rateLimit: 1, latency: { from: 600_000, to: 600_000 } })
  service.fault({ every: 1, reset: 'before' })
  const headers = [
    { origin: FOREIGN },
    { origin: 'null' },
    { origin: '' },
    { origin: `http://127.0.0.1:${service.port + 1}` },
    { origin: `http://localhost:${service.port}` },
    { origin: service.url, 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]
  for (const [method, path] of EVERYWHERE) {
    for (const foreign of headers) {
      const { status, text } = await ask(service, method, path, foreign, '<')
      expect([path, foreign, status]).toEqual([path, foreign, 403])
      expect(JSON.parse(text)).toEqual({ code: 403, message: 'forbidden', reasons: [expect.stringMatching(/origin/)] })
    }
  }
  expect(service.rows('t')).toEqual([])
})

it('keeps no body of a foreign page', async () => {
  await using service = await startLocalService()
  const asked = request({
    host: '127.0.0.1',
    port: service.port,
    method: 'POST',
    path: UPSERT,
    headers: { origin: FOREIGN, 'transfer-encoding': 'chunked' },
  })
  asked.on('error', () => {})
  // it is answered before its body has ended
  asked.write(POINT)
  const [answer] = await once(asked, 'response')
  expect(answer.statusCode).toBe(403)
  asked.destroy()
})

it('is not fooled by a name that is made to point here', async () => {
  await using service = await startLocalService()
  const host = `evil.example:${service.port}`
  expect((await ask(service, 'POST', UPSERT, { host, origin: `http://${host}` }, POINT)).status).toBe(403)
  // what is no page may call it as it likes
  expect((await ask(service, 'POST', UPSERT, { host }, POINT)).status).toBe(201)
})

it('serves who says nothing of pages, and its own', async () => {
  await using service = await startLocalService()
  const own = [{}, { origin: service.url }, { 'sec-fetch-site': 'none' }, { 'sec-fetch-site': 'same-origin' }]
  for (const headers of own) {
    expect((await ask(service, 'GET', '/', headers)).status).toBe(200)
    expect((await ask(service, 'POST', `/sandbox${UPSERT}`, headers, POINT)).status).toBe(201)
  }
})

it('serves origins that are allowed, and tells their browsers', async () => {
  const allowOrigins = ['http://app.example:3000', 'https://app.example']
  await using service = await startLocalService({ allowOrigins })
  for (const origin of allowOrigins) {
    const site = { origin, 'sec-fetch-site': 'cross-site' }
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type,x-mine' }
    const preflight = await ask(service, 'OPTIONS', UPSERT, { ...site, ...asked })
    expect([preflight.status, preflight.text]).toEqual([204, ''])
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type,x-mine',
      vary: 'Origin',
    })
    const upserted = await ask(service, 'POST', UPSERT, site, POINT)
    expect(upserted.status).toBeLessThan(202)
    expect(upserted.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
    expect((await ask(service, 'POST', '/v1/tokens', site, JSON.stringify(LOGIN))).headers).toMatchObject({
      'access-control-allow-origin': origin,
    })
    expect((await ask(service, 'GET', '/_local/tables', site)).status).toBe(200)
    service.fault({ answer: { status: 429, headers: { 'Retry-After': 1, 'X-Own': 'x' } } })
    const refused = await ask(service, 'POST', UPSERT, site, POINT)
    expect(refused.headers['access-control-expose-headers']).toBe('Retry-After, X-Own')
  }
  for (const origin of [
    FOREIGN,
    'http://app.example',
    'https://app.example:3000',
    'http://app.example:3000.evil.example',
  ])
    expect((await ask(service, 'POST', UPSERT, { origin }, POINT)).status, origin).toBe(403)
  expect((await ask(service, 'GET', '/', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await ask(service, 'GET', '/')).headers['access-control-allow-origin']).toBe(undefined)
})

it.each(['*', 'null', 'app.example', 'http://', 'http://app.example/page', 'http://a@app.example', 'file:///', ''])(
  'allows no origin that is none: %s',
  (origin) => expect(originFault(origin)).toBeDefined(),
)

it('writes no markup in words of its own, and marks every answer', async () => {
  await using service = await startLocalService({ compat: true })
  const keyName = `[{"keys":["${MARKUP}"]}]`
  const answers = [
    await ask(service, 'POST', UPSERT, {}, keyName),
    await ask(service, 'POST', '/v1/tokens', {}, JSON.stringify({ ...LOGIN, scope: MARKUP })),
    await ask(service, 'POST', '/v3/signups', {}, `{"tier":"${MARKUP}"}`),
    await ask(service, 'GET', '/', { expect: MARKUP }),
    await ask(service, 'POST', '/_local/faults', {}, `{"${MARKUP}":1}`),
  ]
  for (const answer of answers) {
    expect(answer.text).not.toMatch(/[<>&]/)
    expect(() => JSON.parse(answer.text)).not.toThrow()
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(answer.headers['content-security-policy']).toMatch(/(?:^|; )sandbox$/)
  }
  expect(answers[0]!.headers['content-type']).toBe('text/html; charset=UTF-8')
  expect(JSON.parse(answers[0]!.text).reasons.join()).toContain(MARKUP)
})

it('gives rows and scripted answers back byte for byte', async () => {
  await using service = await startLocalService()
  const row = `{"keys":["id"],"id":1,"text":"${MARKUP}"}`
  await ask(service, 'POST', UPSERT, {}, row)
  expect((await ask(service, 'GET', '/_local/tables/t')).text).toBe(`[${row}]\n`)
  expect((await ask(service, 'GET', '/_local/tables/t/rows/1')).text).toBe(row)
  for (const [body, bytes] of [
    [MARKUP, MARKUP],
    [{ a: MARKUP }, `{"a":"${MARKUP}"}`],
  ] as const) {
    service.fault({ answer: { status: 400, body } })
    service.fault({ endpoint: 'A1', answer: { status: 400, body } })
    const upserted = await ask(service, 'POST', UPSERT, {}, row)
    expect(upserted.text).toBe(bytes)
    expect(upserted.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
    })
    expect((await ask(service, 'POST', '/v1/tokens', {}, '{}')).text).toBe(bytes)
  }
})
