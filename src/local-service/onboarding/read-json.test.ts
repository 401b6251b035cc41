import { expect, it } from 'vitest'
import { MAX_CALL_BODY } from './answer-call.ts'
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
