// When what was sent may be written over: not as soon as it is answered, for a service may answer before it has read it.

import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { expect, test, vi } from 'vitest'

import { Secret } from '../../core/secret.ts'
import { rawAnswer } from '../http/testing/raw-answer.ts'
import { startRawServer } from '../http/testing/raw-server.ts'
import { createTransport } from './transport.ts'

const { signal } = new AbortController()
/** More than any two sockets hold between them. */
const LARGE = 32 * 1024 * 1024

function transportTo(port: number): ReturnType<typeof createTransport> {
  return createTransport({
    baseUrl: `http://127.0.0.1:${port}`,
    addressOption: 'import_url',
    clientId: 7,
    apiKey: new Secret('canary'),
    requestTimeoutMs: 30_000,
    scrub: (text) => text,
  })
}

test('an answer that comes before the body was read leaves it unquiet until the rest has gone', async () => {
  let peer: Socket | undefined
  let read = 0
  const server = createServer((socket) => {
    peer = socket
    socket.on('error', () => socket.destroy())
    socket.once('data', (chunk) => {
      read += chunk.length
      socket.pause()
      socket.write(rawAnswer('201 Created', '{}'))
      socket.on('data', (more) => (read += more.length))
      // a listener starts the flow again
      socket.pause()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const transport = transportTo((server.address() as AddressInfo).port)
  try {
    const request = { table: 'orders', body: Buffer.alloc(LARGE, ' '), points: 1 }
    expect(await transport.send(request, signal)).toEqual({ status: 'delivered' })
    expect(transport.isQuiet!()).toBe(false)
    peer!.resume()
    await vi.waitFor(() => expect(transport.isQuiet!()).toBe(true), { timeout: 10_000 })
    await vi.waitFor(() => expect(read).toBeGreaterThan(LARGE), { timeout: 10_000 })
  } finally {
    await transport[Symbol.asyncDispose]()
    peer?.destroy()
    server.close()
  }
})

test('it is quiet before and after an ordinary request, and when a connection was destroyed', async () => {
  let requests = 0
  await using server = await startRawServer((socket) => {
    if (++requests === 1) socket.write(rawAnswer('201 Created', '{}'))
    else socket.destroy()
  })
  await using transport = transportTo(server.port)
  const request = { table: 'orders', body: Buffer.from('[{"keys":["id"],"id":1}]'), points: 1 }
  expect(transport.isQuiet!()).toBe(true)
  expect(await transport.send(request, signal)).toEqual({ status: 'delivered' })
  expect(transport.isQuiet!()).toBe(true)
  expect(await transport.send(request, signal)).toMatchObject({ status: 'retry' })
  await vi.waitFor(() => expect(transport.isQuiet!()).toBe(true))
})
