import { expect, it } from 'vitest'
import { MAX_CALL_BODY } from './answer-call.ts'
import { headerFaults } from './read-json.ts'
import { LOGIN, refusedAnswer, SIGNUP, testService } from './testing/service.ts'

it('wants JSON, in UTF-8, that is an object', async () => {
  await using it = await testService()
  const headers = { 'content-type': 'application/json' }
  for (const body of ['', '{', '{}{}', 'NaN', '\u0000']) {
    expect(await it.send('POST', '/v1/tokens', { body, headers })).toEqual(
      refusedAnswer(400, 'not valid JSON in UTF-8'),
    )
  }
  for (const body of ['[]', 'null', '1', '"text"', JSON.stringify([LOGIN])]) {
    expect(await it.send('POST', '/v1/tokens', { body, headers })).toEqual(
      refusedAnswer(400, '^the body must be an object$'),
    )
  }
  const answer = await fetch(`${it.service.url}/v1/tokens`, {
    method: 'POST',
    headers,
    body: Buffer.from([0x22, 0xff]),
  })
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { reasons: ['the body is not valid JSON in UTF-8'] },
  ])
})

it('wants the content type, whatever its parameters and letters', async () => {
  await using it = await testService()
  const body = JSON.stringify(LOGIN)
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
    expect((await it.send('POST', '/v1/tokens', { body, headers: { 'content-type': type } })).status).toBe(201)
  }
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/json-seq', 'json', '']) {
    expect(await it.send('POST', '/v1/tokens', { body, headers: { 'content-type': type } })).toEqual(
      refusedAnswer(400, '^the header Content-Type must be application/json'),
    )
  }
})

it('takes the last of a member that occurs twice, and integers however they are written', async () => {
  await using it = await testService()
  const body = JSON.stringify(LOGIN).replace('{', '{"username":5,').replace('"clientId":1', '"clientId":1.0e0')
  const headers = { 'content-type': 'application/json' }
  expect((await it.send('POST', '/v1/tokens', { body, headers })).status).toBe(201)
})

it('is bounded', async () => {
  await using it = await testService({ maxBody: 1 })
  const company = 'a'.repeat(MAX_CALL_BODY - JSON.stringify({ ...SIGNUP, company: '' }).length)
  expect((await it.send('POST', '/v3/signups', { body: { ...SIGNUP, company } })).status).toBe(201)
  expect(await it.send('POST', '/v3/signups', { body: { ...SIGNUP, company: `${company}a` } })).toEqual(
    refusedAnswer(413, 'larger than 1048576 bytes'),
  )
})

it.each([
  ['application/json', []],
  ['application/json, text/plain, */*', []],
  ['text/html, Application/JSON;q=0.5', []],
  ['*/*', []],
  ['application/*', []],
  ['application/json;q=0, */*; Q=0.10', []],
  ['application/json; q=0', ['the header Accept must admit application/json']],
  ['*/*;q=0.000', ['the header Accept must admit application/json']],
  ['text/html', ['the header Accept must admit application/json']],
  ['', ['the header Accept must admit application/json']],
  [undefined, ['the header Accept is missing']],
])('Accept: %s', (accept, faults) => {
  expect(headerFaults(accept === undefined ? {} : { accept }, ['accept'])).toEqual(faults)
})

it.each([
  ['https://dashboard.example.com/v2/client/7/settings/connections/5', []],
  ['HTTP://127.0.0.1:8585/', []],
  ['/v2/client/7', ['the header Referer must be the address of a page']],
  ['about:blank', ['the header Referer must be the address of a page']],
  ['http://', ['the header Referer must be the address of a page']],
  [undefined, ['the header Referer is missing']],
])('Referer: %s', (referer, faults) => {
  expect(headerFaults(referer === undefined ? {} : { referer }, ['referer'])).toEqual(faults)
})

it.each([
  ['application/json', []],
  ['Application/JSON ; charset=utf-8', []],
  ['text/plain', ['the header Content-Type must be application/json: it is not']],
  ['application/jsonx', ['the header Content-Type must be application/json: it is not']],
  [undefined, ['the header Content-Type must be application/json: it is missing']],
])('Content-Type: %s', (type, faults) => {
  expect(headerFaults(type === undefined ? {} : { 'content-type': type }, ['content-type'])).toEqual(faults)
})

it('names all of them, and none that is not wanted', () => {
  expect(headerFaults({}, ['accept', 'content-type', 'referer'])).toHaveLength(3)
  expect(headerFaults({}, [])).toEqual([])
})
