// One upsert, from what the engine gives to what it is told. How connections and answers come and go is tested in http/.

import { expect, test } from 'vitest'

import { Secret } from '../../core/secret.ts'
import type { Outcome } from '../../core/types.ts'
import type { ServiceOptions } from '../http/http.ts'
import { rawAnswer as answer } from '../http/testing/raw-answer.ts'
import { startRawServer } from '../http/testing/raw-server.ts'
import { createTransport } from './transport.ts'

const KEY = 'a&b=c#d%2F+é"\\'
const REQUEST = { table: 'orders', body: new TextEncoder().encode('[{"keys":["id"],"id":1}]'), points: 1 }
const { signal } = new AbortController()

function options(port: number): ServiceOptions {
  return {
    baseUrl: `http://127.0.0.1:${port}/sandbox/`,
    addressOption: 'import_url',
    clientId: 7,
    apiKey: new Secret(KEY),
    requestTimeoutMs: 5_000,
    scrub: (text) => text,
  }
}

/** `text`: the answer, behind which the connection ends; `seen`: gets the request. */
async function answered(text: string, seen: string[] = []): Promise<Outcome> {
  await using server = await startRawServer((socket, request) => {
    seen.push(request)
    socket.end(text)
  })
  await using transport = createTransport(options(server.port))
  return await transport.send(REQUEST, signal)
}

test('the request is the one the service document shows, key and path encoded', async () => {
  const seen: string[] = []
  expect(await answered(answer('201 Created', '{"status":"complete"}'), seen)).toEqual({ status: 'delivered' })
  const [head, body] = seen.join('').split('\r\n\r\n')
  expect(head).toMatch(
    /^POST \/sandbox\/v2\/client\/7\/table\/orders\/data\?apikey=a%26b%3Dc%23d%252F%2B%C3%A9%22%5C HTTP\/1\.1\r\n/,
  )
  expect(head).toContain('content-type: application/json')
  expect(head).toContain('content-length: 24')
  expect(head).not.toContain('transfer-encoding')
  expect(body).toBe('[{"keys":["id"],"id":1}]')
})

test('a page, a redirect and a wrong key stop, and no message holds the query', async () => {
  const texts = [
    answer('200 OK', `<html>${'x'.repeat(100_000)}}`),
    answer('302 Found', '', 'location: https://elsewhere.example.com/x?y=z\r\n'),
    answer('401 Unauthorized', '{"message":"authorization failed"}'),
  ]
  for (const text of texts) {
    const outcome = await answered(text)
    expect(outcome).toMatchObject({ status: 'stop', error: { kind: 'config' } })
    if (outcome.status === 'stop') expect(`${outcome.error.message} ${outcome.error.stack}`).not.toContain('apikey')
  }
})

test('its quiet, its signal and its end are those of its connections', async () => {
  await using server = await startRawServer(() => {}, {
    onConnection: (socket) =>
      socket.once('data', () => {
        socket.pause()
        socket.write(answer('201 Created', '{}'))
      }),
  })
  const transport = createTransport(options(server.port))
  expect(transport.isQuiet!()).toBe(true)
  // more than two sockets hold between them
  const body = Buffer.alloc(32 * 1024 * 1024, ' ')
  expect(await transport.send({ ...REQUEST, body }, signal)).toEqual({ status: 'delivered' })
  expect(transport.isQuiet!()).toBe(false)
  const unsent = { status: 'retry', cause: 'network', ambiguous: false }
  expect(await transport.send(REQUEST, AbortSignal.abort())).toMatchObject(unsent)
  await transport[Symbol.asyncDispose]()
  expect(await transport.send(REQUEST, signal)).toMatchObject(unsent)
})
