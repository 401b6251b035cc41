import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Secret } from '../../core/secret.ts'
import { rawAnswer } from '../http/testing/raw-answer.ts'
import { startRawServer } from '../http/testing/raw-server.ts'
import { createImportApi, type Finding } from './import-api.ts'
import { PATIENCE, probeService } from './probe-service.ts'

async function ask(
  question: 'status' | 'authenticate',
  status: number,
  body = '',
): Promise<Finding & { url?: string }> {
  let url = ''
  const server = createServer((request, response) => {
    url = `${request.method} ${request.url}`
    response.writeHead(status, { location: '/elsewhere' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await using api = createImportApi({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    addressOption: 'import_url',
    clientId: 7,
    apiKey: new Secret('a&b'),
    requestTimeoutMs: 5_000,
    scrub: (text) => text,
  })
  const finding = await api[question](new AbortController().signal)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return { ...finding, url }
}

test('status asks B1, without the key', async () => {
  expect(await ask('status', 200, '<html>')).toEqual({ status: 'working', url: 'GET /api/' })
})

test('authenticate asks B2, with the key', async () => {
  const url = 'GET /api/v2/client/7/authenticate?apikey=a%26b'
  expect(await ask('authenticate', 200, '{"code":200}')).toEqual({ status: 'working', url })
  expect(await ask('authenticate', 204)).toEqual({ status: 'working', url })
})

test.each([
  ['status', 404, '', 'failed'],
  ['status', 302, '', 'failed'],
  ['status', 503, '', 'unavailable'],
  ['authenticate', 200, '<html>', 'failed'],
  ['authenticate', 200, '[]', 'failed'],
  ['authenticate', 400, '', 'failed'],
  ['authenticate', 401, '', 'failed'],
  ['authenticate', 402, '', 'failed'],
  ['authenticate', 409, '', 'failed'],
  ['authenticate', 404, '', 'failed'],
  ['authenticate', 408, '', 'unavailable'],
  ['authenticate', 429, '', 'unavailable'],
  ['authenticate', 500, '', 'unavailable'],
  ['authenticate', 599, '', 'unavailable'],
  ['authenticate', 600, '', 'failed'],
  ['status', 600, '', 'failed'],
] as const)('%s answered %i %j is %s', async (question, status, body, expected) => {
  const problem = expect.stringMatching(/\.$/) as unknown
  expect(await ask(question, status, body)).toMatchObject({ status: expected, httpStatus: status, problem })
})

test.each([
  ['where its connection ends', 'HTTP/1.1 200 OK\r\n\r\n{"code":20', 'unavailable'],
  ['before its length', 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"code":20', 'unavailable'],
  ['and says that this is all', rawAnswer('200 OK', '{"code":20'), 'failed'],
] as const)('an answer about the key that is cut off %s', async (_, text, expected) => {
  await using server = await startRawServer((socket) => socket.end(text))
  await using api = createImportApi({
    baseUrl: `http://127.0.0.1:${server.port}`,
    addressOption: 'import_url',
    clientId: 7,
    apiKey: new Secret('a&b'),
    requestTimeoutMs: 5_000,
    scrub: (text) => text,
  })
  const problem = expected === 'failed' ? /a broken JSON object/ : /closed the connection without answering/
  expect(await api.authenticate(new AbortController().signal)).toMatchObject({
    status: expected,
    httpStatus: 200,
    problem: expect.stringMatching(problem) as unknown,
  })
})

test('a page that never ends is no import interface, and asking again will not help', async () => {
  const page = `<html>${' '.repeat(17 * 1_048_576)}`
  expect(await ask('authenticate', 200, page)).toMatchObject({
    status: 'failed',
    httpStatus: 200,
    problem: expect.stringContaining('answered 200 with an HTML page') as unknown,
  })
})

test('an address where nothing listens is unreachable', async () => {
  await using api = createImportApi({
    baseUrl: 'http://nowhere.invalid',
    addressOption: 'import_url',
    clientId: 7,
    apiKey: new Secret('a&b'),
    requestTimeoutMs: 5_000,
    scrub: (text) => text,
  })
  expect(await api.status(new AbortController().signal)).toMatchObject({ status: 'unreachable' })
})

async function probed(listener: RequestListener, requestTimeoutMs: number, longestMs = 50_000): Promise<string[]> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    addressOption: 'import_url',
    clientId: 7,
    apiKey: new Secret('canary'),
    proxy: undefined,
    requestTimeoutMs,
  } as const
  try {
    const patience = { ...PATIENCE, longestMs, retryMs: 0 }
    const found = await probeService(service, (text) => text, new AbortController().signal, patience)
    return found.map(({ text }) => text)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

test('an answer that takes longer than an impatient check would wait is waited for', async () => {
  const listener: RequestListener = (request, response) =>
    void pause(request.url === '/' ? 0 : 13_000).then(() => response.end('{}'))
  expect(await probed(listener, 60_000)).toEqual([])
})

test('none within request_timeout_seconds: to raise it is advised, and helps', async () => {
  const slow: RequestListener = (_, response) => void pause(1_000).then(() => response.end('{}'))
  expect(await probed(slow, 300)).toEqual([
    expect.stringMatching(/did not answer in time\. .*if the service is slow, raise request_timeout_seconds\./),
  ])
  expect(await probed(slow, 30_000)).toEqual([])
})

test('none within the longest wait: nothing is advised that has no effect', async () => {
  for (const requestTimeoutMs of [300, 3_600_000]) {
    expect(await probed(() => {}, requestTimeoutMs, 300)).toEqual([
      expect.stringMatching(
        /did not answer in time\. .*a check waits 0\.3 s for an answer at most, whatever request_t/,
      ),
    ])
  }
})
