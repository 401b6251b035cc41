import { expect, it } from 'vitest'
import {
  connectionsPath,
  FORM,
  inviteTo,
  logIn,
  PROPERTIES,
  refusedAnswer,
  START,
  testService,
} from './testing/service.ts'
import type { SentRequest } from './testing/service.ts'

type Request = readonly [method: string, path: string, body?: object]

const BY_TOKEN: readonly Request[] = [
  ['POST', '/v3/invites', inviteTo(7)],
  ['PUT', '/v1/clients/7', { name: 'x', properties: PROPERTIES }],
  ['POST', connectionsPath(7), {}],
  ['GET', connectionsPath(7)],
  ['POST', '/v1/clients/7/autodash', {}],
  ['GET', '/v1/clients/7/autodash/x'],
]
const BY_COOKIES: readonly Request[] = [
  ['POST', '/v2/client/7/job'],
  ['GET', '/v2/client/7/job/type/27'],
]

function sent(body: object | undefined, headers: Readonly<Record<string, string>>): SentRequest {
  return body === undefined ? { headers } : { body, headers }
}

it('wants a token, as bearer or as cookie, before it looks at anything else', async () => {
  await using it = await testService()
  const { token, bearer, cookie } = await logIn(it)
  const good = [
    bearer,
    cookie,
    { authorization: `bearer  ${token} ` },
    { cookie: `a=b; DASHSESS2=${token};c` },
    { cookie: `DASHSESS2=old; DASHSESS2=${token}` },
    { authorization: 'Bearer old', ...cookie },
  ]
  const wrong: [Record<string, string>, string][] = [
    [{}, 'there is no access token'],
    [{ authorization: `Basic ${token}` }, 'there is no access token'],
    [{ authorization: token }, 'there is no access token'],
    [{ authorization: 'Bearer' }, 'there is no access token'],
    [{ cookie: `dashsess2=${token}` }, 'there is no access token'],
    [{ cookie: `dashuid=${token}` }, 'there is no access token'],
    [{ authorization: `Bearer ${token}x` }, 'not one of this service'],
    [{ authorization: `Bearer ${token.toUpperCase()}` }, 'not one of this service'],
    [{ cookie: 'DASHSESS2=' }, 'not one of this service'],
    [{ cookie: 'DASHSESS2=__proto__' }, 'not one of this service'],
  ]
  for (const [method, path, body] of BY_TOKEN) {
    for (const headers of good) expect((await it.send(method, path, sent(body, headers))).status).not.toBe(401)
    for (const [headers, reason] of wrong) {
      for (const to of [path, path.replace('/7', '/8')]) {
        expect(await it.send(method, to, sent(body, headers))).toEqual(refusedAnswer(401, reason))
      }
    }
  }
})

it('wants both cookies for jobs', async () => {
  await using it = await testService({
    onboarding: {
      users: [
        { name: 'demo@example.com', password: 'demo-password' },
        { name: 'other', password: 'p' },
      ],
    },
  })
  const { token, userId, bearer, cookie, cookies } = await logIn(it)
  const other = await logIn(it, {
    username: 'other',
    password: 'p',
    grant_type: 'password',
    scope: 'default',
    clientId: 1,
    clientSecret: 'demo-secret',
  })
  const wrong: [Record<string, string>, string][] = [
    [{}, 'there is no access token: send it as the cookie DASHSESS2'],
    [bearer, 'there is no access token'],
    [{ ...bearer, cookie: `dashuid=${userId}` }, 'there is no access token'],
    [cookie, 'the cookie dashuid is missing'],
    [{ cookie: `dashuid=${other.userId}; DASHSESS2=${token}` }, 'the cookie dashuid is not the id'],
    [{ cookie: `dashuid=0${userId}; DASHSESS2=${token}` }, 'the cookie dashuid is not the id'],
    [{ cookie: `dashuid=${userId}; DASHSESS2=x` }, 'not one of this service'],
  ]
  for (const [method, path] of BY_COOKIES) {
    for (const [headers, reason] of wrong) {
      for (const to of [path, path.replace('/7', '/8')]) {
        expect(await it.send(method, to, { headers: { ...headers, ...(method === 'POST' ? FORM : {}) } })).toEqual(
          refusedAnswer(401, reason),
        )
      }
    }
    expect((await it.send(method, path, { headers: cookies })).status).not.toBe(401)
  }
})

it('knows a token until the second it expires', async () => {
  await using it = await testService({ onboarding: { tokenSeconds: 60 } })
  const { cookies } = await logIn(it)
  const list = async (ms: number): Promise<unknown> => {
    it.now = START + ms
    return it.send('GET', '/v2/client/7/job/type/27', { headers: cookies })
  }
  expect(await list(59_999)).toEqual({ status: 200, body: [] })
  expect(await list(60_000)).toEqual(refusedAnswer(401, 'the access token has expired'))
  const again = await logIn(it)
  expect((await it.send('GET', '/v2/client/7/job/type/27', { headers: again.cookies })).status).toBe(200)
  expect(await list(60_001)).toEqual(refusedAnswer(401, 'the access token has expired'))
  it.now += 86_400_000
  await logIn(it)
  expect(await list(86_400_000)).toEqual(refusedAnswer(401, 'not one of this service'))
})

it('says 404 for a client that is not there, before it looks at the body', async () => {
  await using it = await testService()
  const { cookies } = await logIn(it)
  for (const [method, path] of [...BY_TOKEN.slice(1), ...BY_COOKIES]) {
    for (const id of ['8', '07', '+7', '7.0', '%37%38', '%zz', '-7', '99999999999999999999', '__proto__']) {
      const headers = { ...cookies, ...(method === 'GET' ? {} : { 'content-type': 'text/plain' }) }
      const to = path.replace('/7', `/${id}`)
      expect(await it.send(method, to, { headers, ...(method === 'GET' ? {} : { body: 'x' }) }), to).toEqual(
        refusedAnswer(404, '^the client id in the path is not one'),
      )
    }
  }
  expect((await it.send('GET', '/v2/client/%37/job/type/27', { headers: cookies })).status).toBe(200)
})
