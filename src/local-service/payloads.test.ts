import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Payloads } from './payloads.ts'
import { startLocalService, type LocalService } from './start.ts'

const KEEP = (text: string): string => text
const KIB = 1024
const HIDDEN = (bytes: number): string => `(${bytes} bytes are not shown: secrets in them cannot be found)`

function requestText(payloads: Payloads, n: number): string | undefined {
  return payloads.get(n, KEEP)?.request?.text
}

it('gives an upsert’s bodies back as they were, digits and blanks too', () => {
  const payloads = new Payloads()
  const text = '{ "id":12345678901234567890, "x":1.10, "password":"p\\u00e9" }\n'
  payloads.add(1, Buffer.from(text), '{"code":201}', true)
  expect(payloads.get(1, KEEP)).toEqual({
    request: { text, kept: text.length, bytes: text.length },
    answer: { text: '{"code":201}', kept: 12, bytes: 12 },
  })
  expect(payloads.get(1, (it) => it.replaceAll('1', '*'))?.answer?.text).toBe('{"code":20*}')
  payloads.add(2, undefined, undefined, true)
  expect(payloads.get(2, KEEP)).toEqual({})
  expect(payloads.get(3, KEEP)).toBeUndefined()
  payloads.add(4, Buffer.from([0x61, 0xff, 0x62]), [], true)
  expect(payloads.get(4, KEEP)).toEqual({ request: { text: 'a\ufffdb', kept: 3, bytes: 3 } })
})

it('keeps the first 64 KiB of a body, of whole characters', () => {
  const payloads = new Payloads()
  const text = `x${'é'.repeat(50 * KIB)}`
  payloads.add(1, Buffer.from(text), text, true)
  const { request, answer } = payloads.get(1, KEEP)!
  expect(request).toEqual(answer)
  expect(request).toEqual({ text: text.slice(0, 32 * KIB), kept: 64 * KIB, bytes: 100 * KIB + 1 })
})

it('keeps the bodies of the last 200 requests', () => {
  const payloads = new Payloads()
  for (let n = 1; n <= 250; n++) payloads.add(n, Buffer.from(`${n}`), '', true)
  expect([50, 51, 250].map((n) => requestText(payloads, n))).toEqual([undefined, '51', '250'])
})

it('keeps 8 MiB of bodies, the last ones, each whole', () => {
  const payloads = new Payloads()
  const large = (n: number): string => String(n % 10).repeat(100 * KIB)
  for (let n = 1; n <= 64; n++) payloads.add(n, Buffer.from(large(n)), large(n), true)
  expect([1, 64].map((n) => requestText(payloads, n))).toEqual([1, 64].map((n) => large(n).slice(0, 64 * KIB)))
  payloads.add(65, Buffer.from('x'), undefined, true)
  expect([1, 2, 65].map((n) => requestText(payloads, n)?.length)).toEqual([undefined, 64 * KIB, 1])
  for (let n = 66; n <= 500; n++) {
    payloads.add(n, Buffer.from(`${n}`.repeat(n * 30)), `answer ${n}`, true)
    const at = Math.max(n - 20, 66)
    expect(requestText(payloads, at)).toBe(`${at}`.repeat(at * 30).slice(0, 64 * KIB))
    expect(payloads.get(at, KEEP)?.answer?.text).toBe(`answer ${at}`)
  }
})

function shownOf(body: string): string | undefined {
  const payloads = new Payloads()
  payloads.add(1, Buffer.from(body), body, false)
  expect(payloads.get(1, KEEP)?.answer?.text).toBe(requestText(payloads, 1))
  return requestText(payloads, 1)
}

it.each([
  ['{"username":"a", "password" : "hunter2\\"x", "port":1.5}', '{"username":"a","password":"******","port":1.5}'],
  ['{"p\\u0061ssword":"hunter2","role":"password"}', '{"password":"******","role":"password"}'],
  ['{"credentials":{"name":["a",1,{"y":"b"}]},"shop":{"tier":null}}', '{"credentials":"******","shop":{"tier":null}}'],
  ['{"access_token":"t","token_type":"bearer"}', '{"access_token":"******","token_type":"bearer"}'],
  ['{"mysql://root:S11@db":1,"reasons":["no such password"]}', '{"******":"******","reasons":["no such password"]}'],
  ['[{"name":"password","value":"hunter2"}]', '[{"name":"password","value":"******"}]'],
  ['["password","hunter2"]', '["******","******"]'],
  ['{"__proto__":{"name":"a"}}', '{"__proto__":"******"}'],
  ['jobType=27&workload%5BconnectionId%5D=5&key=%zz', 'jobType=27&workload%5BconnectionId%5D=5&key=******'],
  ['{"password":"hunter2"', HIDDEN(21)],
  ['"hunter2"', HIDDEN(9)],
  ['hunter2==', HIDDEN(9)],
])('of %s it shows what is known to be no secret', (body, shown) => {
  expect(shownOf(body)).toBe(shown)
})

it('shows no value under a name that it does not know, however deep', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.constant('canary'),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('secret', 'x', 'PIN', '__proto__', 'Name', 'a b'), tie('any'), { maxKeys: 3 }),
    ),
  })).any
  fc.assert(
    fc.property(value, (body) => {
      expect(shownOf(JSON.stringify(body))).not.toContain('canary')
    }),
  )
})

async function local(service: LocalService, path: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${service.url}/_local/${path}`)
  return { status: answer.status, text: await answer.text() }
}

async function post({ url }: LocalService, path: string, body: string): Promise<number> {
  return (await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status
}

const LOGIN = '{"username":"demo@example.com","password":"demo-password","grant_type":"password","scope":"default",'

it('shows what was sent and answered, without keys, passwords, tokens and secrets', async () => {
  await using service = await startLocalService({ clients: [{ id: 7, key: 'canary-key' }] })
  const upsert = '/v2/client/7/table/t/data?apikey=canary-key'
  expect(await post(service, upsert, '{"keys":["id"],"id":1,"password":"x","sent":"canary-key"}')).toBe(201)
  expect(await post(service, upsert, '{"keys":["canary-key"]}')).toBe(400)
  expect(await post(service, '/v1/tokens', `${LOGIN}"clientId":1,"clientSecret":"demo-secret"}`)).toBe(201)
  expect(await post(service, '/v1/token', '{"password":"demo-password"}')).toBe(404)
  const [first, second, third, fourth] = await Promise.all([1, 2, 3, 4].map((n) => local(service, `requests/${n}`)))
  expect(JSON.parse(first!.text).request.text).toBe('{"keys":["id"],"id":1,"password":"x","sent":"******"}')
  expect(JSON.parse(first!.text).answer.text).toMatch(/^\{"code":201,"message":"1 point taken/)
  expect(third!.text).toContain('demo@example.com')
  expect(third!.text).toMatch(/access_token\W+\*{6}/)
  const { requests, payloads } = JSON.parse((await local(service, 'overview')).text)
  expect(payloads).toBe(true)
  expect(requests.map(({ reason }: { reason?: string }) => reason)).toEqual([
    undefined,
    'point 0: keys names "******", a field the point does not have',
    undefined,
    'there is no such path',
  ])
  const all = [first, second, third, fourth].map((it) => it!.text).join('\n')
  expect(all).not.toMatch(/canary|demo-password|demo-secret/)
  expect((await local(service, 'requests/5')).status).toBe(404)
  expect(service.requests.total).toBe(4)
})

/** A key of many spellings, with a `/`, a `"` and an `é`. */
const KEY = 'S3CRET/canary"é'
const ESCAPED = '\\u0053\\u0033CRET\\/\\u0063anary\\"\\u00e9'

it.each([true, false])(
  'shows no given key, password or secret in a path or a body (payloads: %s)',
  async (payloads) => {
    await using service = await startLocalService({
      clients: [{ id: 8, key: KEY }],
      payloads,
      onboarding: { users: [{ name: 'u', password: 'canary-user' }], oauth: [{ id: 1, secret: 'canary-oauth' }] },
    })
    const key = encodeURIComponent(KEY)
    const paths = ['/table/t/data&apikey=', '/table/t/data;apikey=', '/table/t/data;%61pikey%3d', '/']
    for (const path of paths)
      for (const it of [key, 'canary-made'])
        if (path !== '/' || it === key) await post(service, `/v2/client/8${path}${it}`, '[]')
    await post(
      service,
      `/v2/client/8/table/${key}/data?apikey=${key}`,
      `[{"keys":["id"],"id":1,"x":"${ESCAPED}","y":"${key}"}]`,
    )
    await post(service, '/v2/client/8/table/canary-user/data?apikey=x', '{"a":"canary-oauth"}')
    await post(service, `/v2/client/8/table/t/data?apikey=${key}`, `{"keys":["canary-oauth","${ESCAPED}"]}`)
    for (let before = 10; before < 40; before++) {
      const start = `[{"keys":["id"],"id":"${'x'.repeat(64 * KIB - before - 22)}`
      await post(service, `/v2/client/8/table/t/data?apikey=${key}`, `${start}${ESCAPED}"}]`)
    }
    const { total } = service.requests
    const shown = await Promise.all(
      Array.from({ length: total }, (_, index) => local(service, `requests/${index + 1}`)),
    )
    const { requests, payloads: areKept } = JSON.parse((await local(service, 'overview')).text)
    expect([requests.length, areKept]).toEqual([total, payloads])
    expect(shown.map(({ status }) => status)).toEqual(shown.map(() => (payloads ? 200 : 404)))
    const all = [requests, service.requests.recent(), shown].map((it) => JSON.stringify(it)).join('\n')
    expect(all).not.toMatch(/S3CR|u0053|canar|canary|u0063|-user|-oauth|x\\+u/)
  },
)

it.each([
  [{ message: 'bad', reasons: ['a', 'b'] }, 'a; b'],
  ['{"message":"demo-key is bad"}', '****** is bad'],
  ['<html>', undefined],
  ['{"message":5}', undefined],
  ['null', undefined],
])('tells the reason in a scripted answer: %j', async (body, reason) => {
  await using service = await startLocalService({ clients: [{ id: 7, key: 'demo-key' }] })
  service.fault({ answer: { status: 503, body } })
  await post(service, '/v2/client/7/table/t/data?apikey=demo-key', '{}')
  expect(service.requests.recent()[0]!.reason).toBe(reason)
})

it('keeps nothing of bodies when it is told to', async () => {
  await using service = await startLocalService({ payloads: false })
  await post(service, '/v2/client/7/table/t/data?apikey=demo-key', 'nothing')
  expect(await local(service, 'requests/1')).toMatchObject({ status: 404, text: /serve runs with --no-payloads/ })
  const { requests, payloads } = JSON.parse((await local(service, 'overview')).text)
  expect([payloads, requests[0].status, requests[0].reason]).toEqual([false, 400, undefined])
})
