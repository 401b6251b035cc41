import { afterEach, expect, test } from 'vitest'
import { Secret } from '../../core/secret.ts'
import type { ExchangeReport, HttpCall, HttpOptions } from './http.ts'
import { callsTo } from './testing/calls.ts'
import { rawAnswer } from './testing/raw-answer.ts'
import { startRawServer, type RawServer } from './testing/raw-server.ts'

const KEY = 'a&b=c#d%2F+é"\\'
const BODY = Buffer.from('[{"keys":["id"],"id":"a-row"}]')
const servers: RawServer[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
})

async function toldOf(
  baseUrl: string,
  more: Partial<HttpOptions> = {},
  call: Partial<HttpCall> = {},
): Promise<ExchangeReport[]> {
  const all: ExchangeReport[] = []
  await using calls = callsTo(baseUrl, { ...more, onExchange: (told) => all.push(told) })
  await calls.send({ key: new Secret(KEY), body: BODY, points: 1, ...call })
  return all
}

test('an answer: method, path without query, status, sizes; neither key nor data', async () => {
  const server = await startRawServer((socket) => socket.write(rawAnswer('201 Created', '{}')))
  servers.push(server)
  const told = await toldOf(`http://127.0.0.1:${server.port}/prefix`)
  expect(told).toEqual([
    {
      method: 'POST',
      path: '/prefix/v2/client/7/table/orders/data',
      status: 201,
      failure: undefined,
      ms: expect.any(Number) as unknown,
      points: 1,
      bytes: BODY.length,
    },
  ])
  const text = JSON.stringify(told)
  for (const secret of [KEY, encodeURIComponent(KEY), 'key', 'a-row']) expect(text).not.toContain(secret)
})

test('a path with a query of its own: without it', async () => {
  const server = await startRawServer((socket) => socket.write(rawAnswer('200 OK', '{}')))
  servers.push(server)
  for (const path of ['/a?key=x', '/a?b?c'])
    expect(await toldOf(`http://127.0.0.1:${server.port}`, {}, { path, key: undefined })).toMatchObject([
      { path: '/a' },
    ])
})

test('no answer: why', async () => {
  const server = await startRawServer((socket) => socket.destroy())
  servers.push(server)
  const [lost] = await toldOf(`http://127.0.0.1:${server.port}`)
  expect(lost).toMatchObject({ status: undefined, failure: expect.stringMatching(/^[A-Z_]+$/) as unknown })
  const silent = await startRawServer(() => {})
  servers.push(silent)
  const [late] = await toldOf(`http://127.0.0.1:${silent.port}`, { requestTimeoutMs: 100 })
  expect(late).toMatchObject({ status: undefined, failure: 'timeout' })
})
