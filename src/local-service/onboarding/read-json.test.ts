import { array, assert, oneof, property, string, constantFrom, tuple, integer } from 'fast-check'
import { expect, it } from 'vitest'
import { MAX_CALL_BODY } from './answer-call.ts'
import { readForm } from './read-json.ts'
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

it('ignores members that the interface does not list, at every level', async () => {
  await using it = await testService()
  const body = { ...SIGNUP, colour: 'blue', shop: { ...SIGNUP.shop, size: 3 } }
  expect((await it.send('POST', '/v3/signups', { body })).status).toBe(201)
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

const FORM = 'application/x-www-form-urlencoded'
const WANTED = { a: 'whole', 'b[c]': 5 } as const

function read(text: string): ReturnType<typeof readForm<keyof typeof WANTED>> {
  const body = { kind: 'body', bytes: Buffer.from(text) } as const
  return readForm<keyof typeof WANTED>({ headers: { 'content-type': FORM }, body }, WANTED)
}

it('reads names and values as URLSearchParams writes them', () => {
  const names = oneof(constantFrom('a', 'b[c]', 'b', 'a[]', 'constructor', '__proto__', ''), string({ unit: 'binary' }))
  const values = oneof(constantFrom('5', '05', '5.0', '1e3', ' 5', '-5', '-0', '+5'), integer().map(String), string())
  assert(
    property(array(tuple(names, values)), (pairs) => {
      const form = new URLSearchParams(pairs)
      const [a, b] = [form.getAll('a'), form.getAll('b[c]')]
      const isRight = a.length === 1 && /^(0|-?[1-9]\d*)$/.test(a[0]!) && b.length === 1 && b[0] === '5'
      const result = read(form.toString())
      if (isRight) expect(result).toEqual({ value: { a: Number(a[0]), 'b[c]': 5 } })
      else expect(result).toHaveProperty('refused.status', 400)
    }),
    { numRuns: 1000 },
  )
})

it('takes any text without failing', () => {
  assert(
    property(
      oneof(
        string({ unit: 'binary' }),
        array(constantFrom('a', '=', '&', '%', '5', '%6', '1', '+', '[')).map((it) => it.join('')),
      ),
      (text) => {
        const result = read(text)
        if ('value' in result) expect(Number.isSafeInteger(result.value.a)).toBe(true)
        else expect(result.refused.status).toBe(400)
      },
    ),
    { numRuns: 1000 },
  )
})

it('reads a large form in little time', () => {
  expect(read('x&'.repeat(500_000))).toHaveProperty('refused.status', 400)
  expect(read(`a=5&${'x&'.repeat(500_000)}b[c]=5`)).toEqual({ value: { a: 5, 'b[c]': 5 } })
})
