import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { ConnectorError } from '../core/errors.ts'
import { startHealthServer, type HealthServer, type Page } from './health-server.ts'

const host = '127.0.0.1'

function started(pages: Record<string, Page> = {}): Promise<HealthServer> {
  const all = { '/ok': () => ({ status: 200, type: 'application/json', body: '{"é":1}\n' }), ...pages }
  return startHealthServer({ host, port: 0 }, new Map(Object.entries(all)))
}

/** Everything the server sends until it ends the connection. */
async function wire(port: number, text: string): Promise<string> {
  const socket = connect({ port, host })
  let heard = ''
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString()))
  // a connection may be reset when the answer is there and the rest is not wanted
  socket.on('error', () => {})
  socket.write(text)
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
  return heard
}

test('a page is answered with its status, never to be cached', async () => {
  await using server = await started({ '/not': async () => ({ status: 503, type: 'text/plain', body: 'no' }) })
  const ok = await fetch(`http://${host}:${server.port}/ok?verbose=1`)
  expect([ok.status, await ok.json()]).toEqual([200, { é: 1 }])
  expect(Object.fromEntries(ok.headers)).toMatchObject({
    'content-type': 'application/json',
    'content-length': '9',
    'cache-control': 'no-store',
  })
  const not = await fetch(`http://${host}:${server.port}/not`)
  expect([not.status, await not.text()]).toEqual([503, 'no'])
  const head = await fetch(`http://${host}:${server.port}/not`, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([503, '2', ''])
})

test('/ lists the pages; others are not there, other methods not allowed', async () => {
  await using server = await started()
  const url = `http://${host}:${server.port}`
  expect(await (await fetch(`${url}/`)).text()).toBe('/ok\n')
  for (const path of ['/OK', '/ok/', '/toString', '//ok', '/%6fk']) expect((await fetch(url + path)).status).toBe(404)
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    const answer = await fetch(`${url}/ok`, { method })
    expect([answer.status, answer.headers.get('allow'), answer.headers.get('connection')]).toEqual([
      405,
      'GET, HEAD',
      'close',
    ])
    await answer.text()
  }
})

test('a page that throws is an error without words', async () => {
  await using server = await started({
    '/bad': () => {
      throw new Error('the key is abc')
    },
  })
  const answer = await fetch(`http://${host}:${server.port}/bad`)
  expect([answer.status, await answer.text()]).toEqual([500, 'This page could not be made.\n'])
})

test('a body is neither asked for nor waited for', async () => {
  await using server = await started()
  const head = 'HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n'
  expect(await wire(server.port, `GET /ok ${head}\r\nabc`)).toMatch(/^HTTP\/1\.1 200 [^]*"é"/)
  expect(await wire(server.port, `POST /ok ${head}Expect: 100-continue\r\n\r\n`)).toMatch(/^HTTP\/1\.1 405 /)
})

test('what is no small HTTP request is refused, and the next one served', async () => {
  await using server = await started()
  expect(await wire(server.port, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
  expect(await wire(server.port, `GET /ok HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(10_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 431 /,
  )
  expect(await wire(server.port, 'CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('')
  expect((await fetch(`http://${host}:${server.port}/ok`)).status).toBe(200)
})

test('who says nothing, or never ends, is let go', async () => {
  await using server = await started()
  const [silent, slow] = await Promise.all([
    wire(server.port, ''),
    wire(server.port, 'GET /ok HTTP/1.1\r\nHost: x\r\nA: '),
  ])
  expect(silent + slow).not.toContain(' 200 ')
})

test('it closes with connections open, and answers pending', async () => {
  const asked = Promise.withResolvers<AbortSignal>()
  const server = await started({
    '/slow': (signal) => {
      asked.resolve(signal)
      return new Promise(() => {})
    },
  })
  const idle = connect({ port: server.port, host })
  idle.write('GET /ok HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(idle, 'data')
  const pending = wire(server.port, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  const signal = await asked.promise
  const gone = once(idle, 'close')
  await server[Symbol.asyncDispose]()
  await Promise.all([gone, pending])
  expect(signal.aborted).toBe(true)
  await server[Symbol.asyncDispose]()
  await expect(fetch(`http://${host}:${server.port}/ok`)).rejects.toThrow()
})

test('an address that cannot be had is told with its option', async () => {
  await using server = await started()
  const taken = startHealthServer({ host, port: server.port }, new Map())
  await expect(taken).rejects.toThrow(ConnectorError)
  await expect(taken).rejects.toMatchObject({
    kind: 'config',
    message: `Health cannot be served at 127.0.0.1 port ${server.port}: the port is in use. Choose another one with the option health.port.`,
  })
  await expect(startHealthServer({ host: '192.0.2.1', port: 0 }, new Map())).rejects.toMatchObject({
    kind: 'config',
    message: expect.stringContaining('health.host'),
  })
})
