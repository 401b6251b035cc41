// When what was sent may be written over: not as soon as it is answered, for a service may answer before it has read it.

import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, test, vi } from 'vitest'

import { callsTo } from './testing/calls.ts'
import { rawAnswer } from './testing/raw-answer.ts'
import { startRawServer } from './testing/raw-server.ts'

/** More than any two sockets hold between them. */
const LARGE = 32 * 1024 * 1024

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
  const calls = callsTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  try {
    expect(await calls.send({ body: Buffer.alloc(LARGE, ' ') })).toMatchObject({ status: 201, end: 'whole' })
    expect(calls.isQuiet()).toBe(false)
    peer!.resume()
    await vi.waitFor(() => expect(calls.isQuiet()).toBe(true), { timeout: 10_000 })
    await vi.waitFor(() => expect(read).toBeGreaterThan(LARGE), { timeout: 10_000 })
  } finally {
    await calls[Symbol.asyncDispose]()
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
  await using calls = callsTo(`http://127.0.0.1:${server.port}`)
  expect(calls.isQuiet()).toBe(true)
  expect(await calls.send()).toMatchObject({ status: 201, end: 'whole' })
  expect(calls.isQuiet()).toBe(true)
  expect(await calls.send()).toMatchObject({ status: 'retry' })
  await vi.waitFor(() => expect(calls.isQuiet()).toBe(true))
})
