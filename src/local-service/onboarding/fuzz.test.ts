// Whatever is sent to interface A: an answer that has its shape, never a 5xx, and nothing made of what is refused.

import { assert, asyncProperty, constantFrom, dictionary, jsonValue, oneof, string } from 'fast-check'
import { expect, it } from 'vitest'
import {
  CONNECTION,
  connectionsPath,
  dashboardsOn,
  inviteTo,
  LOGIN,
  logIn,
  PROPERTIES,
  SIGNUP,
  testService,
} from './testing/service.ts'

const BODIES: readonly [method: string, path: string, body: object][] = [
  ['POST', '/v1/tokens', LOGIN],
  ['POST', '/v3/signups', SIGNUP],
  ['POST', '/v3/invites', inviteTo(7)],
  ['PUT', '/v1/clients/7', { name: 'x', properties: PROPERTIES }],
  ['POST', connectionsPath(7), CONNECTION],
  ['POST', '/v1/clients/7/autodash', dashboardsOn(1)],
  ['POST', '/v2/client/7/job', {}],
  ['POST', '/_local/onboarding', { signup: { outcome: 'x' } }],
  ['POST', '/_local/faults', { endpoint: 'A11', reset: 'after' }],
]

it('answers any body', async () => {
  await using it = await testService()
  const { cookies: headers } = await logIn(it)
  const anyBody = oneof(
    jsonValue(),
    dictionary(constantFrom('client_id', 'name', 'properties', '__proto__', 'signup'), jsonValue()),
  )
  const endpoints = constantFrom(...BODIES)
  // Some members of the right body, others in place of some.
  const bodies = endpoints.chain(([method, path, body]) =>
    oneof(
      anyBody,
      dictionary(constantFrom(...Object.keys(body), '__proto__'), jsonValue()).map((it) => Object.assign({}, body, it)),
    ).map((sent) => ({ method, path, sent })),
  )
  await assert(
    asyncProperty(bodies, async ({ method, path, sent }) => {
      const body = JSON.stringify(sent)
      const answer = await it.send(method, path, { body, headers: { ...headers, 'content-type': 'application/json' } })
      expect(answer.status, body).toBeLessThan(500)
      if (answer.status >= 400) {
        expect(answer.body).toEqual({
          code: answer.status,
          message: expect.stringMatching(/./),
          reasons: expect.arrayContaining([expect.stringMatching(/./)]),
        })
      }
    }),
    { numRuns: 250 },
  )
})

it('answers any path', async () => {
  await using it = await testService()
  const { cookies: headers } = await logIn(it)
  const segments = oneof(
    constantFrom('v1', 'v2', 'v3', 'client', 'clients', '7', 'job', 'type', 'autodash', 'invites', '_local', '%zz', ''),
    string().map((it) => encodeURIComponent(it)),
  )
  // the page, which is no JSON
  const page = /^\/_local\/?$/
  const paths = dictionary(constantFrom('a', 'b', 'c', 'd', 'e', 'f'), segments)
    .map((it) => `/${Object.values(it).join('/')}`)
    .filter((path) => !page.test(path))
  await assert(
    asyncProperty(constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'), paths, async (method, path) => {
      expect((await it.send(method, path, { headers })).status).toBeLessThan(500)
    }),
    { numRuns: 150 },
  )
})
