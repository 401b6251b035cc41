// The onboarding client against servers that keep to HTTP, and servers that don't: what goes out, and above all what may
// have been carried out.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'

import { Secret } from '../../core/secret.ts'
import { createOnboardingApi, type OnboardingApi, type OnboardingApiOptions } from './onboarding-api.ts'
import type { CallOutcome } from './onboarding-outcome.ts'
import type { NewClient } from '../../config/onboard/onboard-load.ts'
import { rawAnswer } from '../http/testing/raw-answer.ts'
import { startRawServer, type RawServer } from '../http/testing/raw-server.ts'

const SIGNUP: NewClient = {
  tier: 'pro',
  company: 'Acme',
  firstName: 'Ada',
  lastName: 'L',
  email: 'ada@example.com',
  role: 'owner',
  shop: { customerId: 'c', subscriptionId: 's' },
}

const servers: RawServer[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
})

async function serve(onRequest: (socket: Socket, request: string) => void): Promise<string> {
  const server = await startRawServer(onRequest)
  servers.push(server)
  return `http://127.0.0.1:${server.port}`
}

function api(url: string, more: Partial<OnboardingApiOptions> = {}): OnboardingApi {
  return createOnboardingApi({
    baseUrl: url,
    dashboardUrl: url,
    scrub: (text) => text.replaceAll('hidden', '******'),
    wallClock: () => Date.parse('2030-01-01T00:00:00Z'),
    ...more,
  })
}

const limit = { timeoutMs: 5_000, signal: new AbortController().signal }
const session = { token: new Secret('to.ken'), userId: 5 }

async function signUp(
  onRequest: (socket: Socket, request: string) => void,
  timeoutMs = 5_000,
): Promise<CallOutcome<unknown>> {
  return await api(await serve(onRequest)).createClient({ ...limit, timeoutMs }, SIGNUP)
}

const answered = (text: string): Promise<CallOutcome<unknown>> => signUp((socket) => socket.write(text))

describe('a request', () => {
  it('carries the headers of the document and what HTTP needs, nothing else', async () => {
    const seen: string[] = []
    const url = await serve((socket, request) => {
      seen.push(request)
      socket.write(rawAnswer('200 OK', '[]'))
    })
    const host = url.slice('http://'.length)
    await api(`${url}/prefix`).listConnections(limit, session, 12)
    await api(url).startTest(limit, session, 12, 34, {
      referer: '{dashboard_url}/c/{client_id}/{connection_id}',
      pollNumber: 27,
    })
    expect(seen[0]).toBe(
      'GET /prefix/v1/v2/clients/12/connections/input-connections?include_deleted=false HTTP/1.1\r\n' +
        `host: ${host}\r\nconnection: keep-alive\r\nAccept: application/json\r\nCookie: DASHSESS2=to.ken\r\n\r\n`,
    )
    expect(seen[1]).toBe(
      'POST /v2/client/12/job HTTP/1.1\r\n' +
        `host: ${host}\r\nconnection: keep-alive\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
        `Cookie: dashuid=5; DASHSESS2=to.ken\r\nAccept: application/json, text/plain, */*\r\n` +
        `Referer: ${url}/c/12/34\r\ncontent-length: 70\r\n\r\n` +
        'jobType=27&workload%5BconnectionId%5D=34&workload%5BsyncAndSample%5D=1',
    )
  })

  it('keeps an id that holds anything in its segment of the path', async () => {
    const seen: string[] = []
    const url = await serve((socket, request) => {
      seen.push(request.split(' ')[1]!)
      socket.write(rawAnswer('200 OK', '{}'))
    })
    await api(url).readSignup(limit, 'a/../b?c#d é')
    expect(seen).toEqual(['/v3/signups/a%2F..%2Fb%3Fc%23d%20%C3%A9'])
  })

  it('opens a connection of its own, so that none is found closed', async () => {
    const server = await startRawServer((socket) => socket.write(rawAnswer('200 OK', '{"id":"a"}')))
    servers.push(server)
    const client = api(`http://127.0.0.1:${server.port}`)
    for (let i = 0; i < 3; i++) expect(await client.createClient(limit, SIGNUP)).toMatchObject({ status: 'answered' })
    expect(server.accepted()).toBe(3)
  })
})

describe('was it carried out?', () => {
  it.each([
    ['200 OK', 'answered', undefined],
    ['201 Created', 'answered', undefined],
    ['408 Late', 'retry', false],
    ['429 Busy', 'retry', false],
    ['503 Away', 'retry', true],
    ['500 Fault', 'retry', true],
    ['501 What', 'retry', true],
    ['502 Gate', 'retry', true],
    ['504 Gate', 'retry', true],
    ['599 Odd', 'retry', true],
    ['300 There', 'stop', true],
    ['301 There', 'stop', true],
    ['302 There', 'stop', true],
    ['303 There', 'stop', true],
    ['304 There', 'stop', true],
    ['399 There', 'stop', true],
    ['307 There', 'stop', false],
    ['308 There', 'stop', false],
    ['400 Bad', 'refused', undefined],
    ['401 Who', 'refused', undefined],
    ['404 Where', 'refused', undefined],
    ['409 Twice', 'refused', undefined],
    ['418 Tea', 'refused', undefined],
    ['600 Beyond', 'unclear', undefined],
  ])('%s: %s, ambiguous %s', async (status, expected, ambiguous) => {
    const outcome = await answered(rawAnswer(status, '{"id":"a"}', 'location: http://127.0.0.1:1/\r\n'))
    expect(outcome.status).toBe(expected)
    expect('ambiguous' in outcome ? outcome.ambiguous : undefined).toBe(ambiguous)
  })

  it.each([
    ['7', false],
    ['0', false],
    ['Tue, 01 Jan 2030 00:00:09 GMT', false],
    ['soon', true],
    ['', true],
  ])('503 with Retry-After %j: ambiguous %s', async (retryAfter, ambiguous) => {
    const outcome = await answered(rawAnswer('503 Away', '', `retry-after: ${retryAfter}\r\n`))
    expect(outcome).toMatchObject({ status: 'retry', ambiguous })
  })

  it.each([
    ['nothing', (socket: Socket) => socket.destroy()],
    ['a reset', (socket: Socket) => socket.resetAndDestroy()],
    ['no HTTP', (socket: Socket) => socket.end('SSH-2.0-x\r\n')],
    ['half an answer', (socket: Socket) => socket.end('HTTP/1.1 201 Created\r\ncontent-length: 50\r\n\r\n{"id"')],
    ['an answer that its connection cuts off', (socket: Socket) => socket.end('HTTP/1.1 201 Created\r\n\r\n{"id"')],
  ])('answered with %s: nobody knows', async (_, end) => {
    expect(await signUp(end)).toMatchObject({ status: 'retry', ambiguous: true })
  })

  it('a list that its connection cuts off is asked for again', async () => {
    const url = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n[{"id":34},{"i'))
    const outcome = await api(url).listConnections(limit, session, 12)
    expect(outcome).toMatchObject({ status: 'retry', reason: expect.stringContaining('the answer broke off') })
  })

  it('not answered in time: nobody knows', async () => {
    expect(await signUp(() => {}, 50)).toMatchObject({ status: 'retry', ambiguous: true })
  })

  it('refused the connection: certainly not', async () => {
    const outcome = await api('http://127.0.0.1:1').createClient(limit, SIGNUP)
    expect(outcome).toMatchObject({ status: 'retry', ambiguous: false })
    expect(outcome).toHaveProperty('reason', expect.stringContaining('A2 (create the client): '))
  })

  it('a certificate nobody trusts: certainly not', async () => {
    const pairs = JSON.parse(readFileSync(new URL('../http/certificates.test.json', import.meta.url), 'utf8')) as {
      trusted: { certificate: string; key: string }
    }
    const { certificate, key } = pairs.trusted
    const server = createServer({ cert: certificate, key }, (_, response) => response.end('{"id":"a"}'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `https://localhost:${(server.address() as AddressInfo).port}`
    try {
      const refused = await api(url).createClient(limit, SIGNUP)
      expect(refused).toMatchObject({ status: 'stop', ambiguous: false, error: { kind: 'config' } })
      expect(await api(url, { caCertificate: certificate }).createClient(limit, SIGNUP)).toMatchObject({
        status: 'answered',
      })
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })

  it('broken off before it began: certainly not', async () => {
    const signal = AbortSignal.abort()
    const url = await serve(() => {})
    expect(await api(url).createClient({ timeoutMs: 5_000, signal }, SIGNUP)).toMatchObject({
      status: 'retry',
      ambiguous: false,
    })
  })
})

describe('an answer', () => {
  it('names what is missing with the endpoint, and quotes words of the service without secrets', async () => {
    expect(await answered(rawAnswer('200 OK', '{"url":"x"}'))).toMatchObject({
      status: 'unclear',
      reason: expect.stringMatching(/^A2 \(create the client\): .* answered 200, but `id` is missing$/),
    })
    expect(await answered(rawAnswer('400 Bad', '{"message":"hidden is wrong","reasons":["a","b"]}'))).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('answered 400 (****** is wrong: a; b)'),
    })
  })

  it.each([
    ['502 Gate', '{"id":1,"access_token":"fresh-token","user_id":2}'],
    ['302 There', '{"refresh_token" : "fresh-token"}'],
    ['400 Bad', '{"message":"{\\"accessToken\\": \\"fresh-token\\"}"}'],
    ['600 Odd', 'access_token=fresh-token&x=1'],
  ])('%s to A1 with a token nobody has learnt yet is not quoted: %s', async (status, body) => {
    const url = await serve((socket) => socket.write(rawAnswer(status, body)))
    const login = { username: 'u', password: new Secret('p'), clientId: 1, clientSecret: new Secret('s') }
    const outcome = await api(url).createToken(limit, login)
    const said = 'error' in outcome ? outcome.error.message : 'reason' in outcome ? outcome.reason : ''
    expect(said).toContain(`A1 (log in): ${url} answered ${status.slice(0, 3)}`)
    expect(said).not.toContain('fresh-token')
  })

  it.each([1, 3])('quotes no secret of a text with %i zero bytes beside each letter', async (count) => {
    const wide = '{"message":"hidden is wrong"}'.split('').join('\0'.repeat(count))
    expect(await answered(rawAnswer('400 Bad', wide))).toMatchObject({
      reason: expect.stringContaining('answered 400 ({"message":"****** is wrong"})'),
    })
  })

  it('keeps members nobody knows', async () => {
    const outcome = await answered(rawAnswer('200 OK', '{"id":"a","more":{"x":[1]}}'))
    expect(outcome).toEqual({ status: 'answered', value: { id: 'a', more: { x: [1] } } })
  })

  it('of several hundred kilobytes is read, of several megabytes not', async () => {
    const item = { id: 1, name: 'n'.repeat(1_000) }
    for (const [count, expected] of [
      [500, 'answered'],
      [5_000, 'unclear'],
    ] as const) {
      const url = await serve((socket) =>
        socket.write(rawAnswer('200 OK', JSON.stringify(Array.from({ length: count }, () => item)))),
      )
      expect((await api(url).listConnections(limit, session, 1)).status).toBe(expected)
    }
  })

  it('says how long to wait', async () => {
    expect(await answered(rawAnswer('503 Away', '', 'retry-after: 7\r\n'))).toMatchObject({ afterMs: 7_000 })
    const date = 'retry-after: Tue, 01 Jan 2030 00:00:09 GMT\r\n'
    expect(await answered(rawAnswer('429 Busy', '', date))).toMatchObject({ afterMs: 9_000 })
  })

  it.each(['OK', '', '{"id":1}', '[]', '"text"'])('to A5 may be %j', async (body) => {
    const url = await serve((socket) => socket.write(rawAnswer('200 OK', body)))
    const update = { name: 'n', properties: {} as never }
    expect((await api(url).setProperties(limit, session, 1, update)).status).toBe('answered')
  })

  it.each([
    '[{"id":3,"status":{"name":"Running","id":2}}]',
    '{"jobs":[{"id":3,"status":"Running"}],"total":1}',
    '{"id":3,"status":{"name":"Running"}}',
  ])('to A9 may be %s', async (body) => {
    const url = await serve((socket) => socket.write(rawAnswer('200 OK', body)))
    const outcome = await api(url).listTests(limit, session, 1, { referer: '', pollNumber: 27 })
    expect(outcome).toMatchObject({ status: 'answered', value: [{ id: 3, status: 'Running' }] })
  })

  it.each(['a b', 'a;b', 'a\nb', 'é', ''])('with the token %j is not used', async (token) => {
    const body = JSON.stringify({ access_token: token, user_id: 1, expires_in: 9 })
    const url = await serve((socket) => socket.write(rawAnswer('200 OK', body)))
    const login = { username: 'u', password: new Secret('p'), clientId: 1, clientSecret: new Secret('s') }
    const outcome = await api(url).createToken(limit, login)
    expect(outcome).toMatchObject({ status: 'unclear', reason: expect.stringContaining('`access_token`') })
  })
})
