import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startLocalService, type LocalService } from './start.ts'

const POINT = '{"keys":["id"],"id":1}'
const TARGET = '/v2/client/7/table/t/data?apikey=demo-key'

let service: LocalService

beforeEach(async () => {
  service = await startLocalService({ maxBody: 1000 })
})

afterEach(async () => {
  await service[Symbol.asyncDispose]()
})

/** Everything the service sends until it or the test ends the connection. */
class Wire {
  readonly socket: Socket
  text = ''

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    this.socket.on('data', (chunk: Buffer) => (this.text += chunk.toString()))
    this.socket.on('error', () => {})
  }

  send(text: string): this {
    this.socket.write(text)
    return this
  }

  /** Of its answers so far. */
  get statuses(): number[] {
    return Array.from(this.text.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status]) => Number(status))
  }

  async until(part: string): Promise<string> {
    while (!this.text.includes(part)) await once(this.socket, 'data')
    return this.text
  }

  async closed(): Promise<string> {
    if (!this.socket.readableEnded && !this.socket.closed) await once(this.socket, 'end')
    this.socket.destroy()
    return this.text
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }
}

function post(body: string, headers = `Content-Length: ${Buffer.byteLength(body)}\r\n`): string {
  return `POST ${TARGET} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n${body}`
}

it('serves one request after another on one connection, in any framing', async () => {
  using wire = new Wire(service.port)
  wire.send(post(POINT))
  await wire.until('201 Created')
  const chunked = `5\r\n${POINT.slice(0, 5)}\r\n11\r\n${POINT.slice(5)}\r\n0\r\n\r\n`
  wire.send(post(chunked, 'Transfer-Encoding: chunked\r\n'))
  await wire.until('200 OK')
  wire.send('GET / HTTP/1.1\r\n\r\n')
  await wire.until('operational')
  expect(wire.statuses).toEqual([201, 200, 200])
})

it('takes a body that comes byte by byte while others are served', async () => {
  using slow = new Wire(service.port)
  slow.send(post('', `Content-Length: ${POINT.length}\r\n`))
  for (const byte of POINT.slice(0, -1).split('')) {
    slow.send(byte)
    expect((await fetch(service.url)).status).toBe(200)
  }
  slow.send(POINT.slice(-1))
  await slow.until('201 Created')
})

it('answers Expect: 100-continue, and refuses other expectations in JSON', async () => {
  using wire = new Wire(service.port)
  wire.send(post('', `Content-Length: ${POINT.length}\r\nExpect: 100-continue\r\n`))
  await wire.until('100 Continue')
  wire.send(POINT)
  await wire.until('201 Created')
  wire.send('GET / HTTP/1.1\r\nExpect: wonders\r\n\r\n')
  await wire.until('"code":417')
  expect(wire.statuses).toEqual([100, 201, 417])
})

it('stores nothing of an upload that ends early, however it ends', async () => {
  for (const end of ['resetAndDestroy', 'destroy', 'end'] as const) {
    using wire = new Wire(service.port)
    wire.send(post(POINT, 'Content-Length: 500\r\n'))
    await new Promise((resolve) => setImmediate(resolve))
    wire.socket[end]()
    await once(wire.socket, 'close')
  }
  using cut = new Wire(service.port)
  cut.send(post(`16\r\n${POINT}\r\n`, 'Transfer-Encoding: chunked\r\n'))
  cut.socket.end()
  await cut.closed()
  expect((await fetch(service.url)).status).toBe(200)
  expect(service.tables()).toEqual([])
})

it('answers 413 before the body has come, and keeps the connection', async () => {
  using wire = new Wire(service.port)
  wire.send(post('', 'Content-Length: 100000\r\n'))
  await wire.until('"code":413')
  wire.send(`${' '.repeat(100_000)}GET / HTTP/1.1\r\n\r\n`)
  await wire.until('operational')
  expect(wire.statuses).toEqual([413, 200])
})

it('cuts off a body beyond every bound', async () => {
  using wire = new Wire(service.port)
  wire.send(post('', 'Transfer-Encoding: chunked\r\n'))
  const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`
  let sent = 0
  while (!wire.socket.destroyed && sent++ < 400) {
    await new Promise((resolve) => wire.socket.write(chunk, resolve))
  }
  expect(sent).toBeLessThan(400)
  expect((await fetch(service.url)).status).toBe(200)
})

it('answers what is no HTTP request in JSON, never with nothing', async () => {
  const wrong: [string, number][] = [
    ['nonsense\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nno colon\r\n\r\n', 400],
    [post(POINT, 'Content-Length: 5\r\nContent-Length: 6\r\n'), 400],
    [post(POINT, 'Content-Length: -5\r\n'), 400],
    [post(POINT, 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'), 400],
    [post('zz\r\n', 'Transfer-Encoding: chunked\r\n'), 400],
    [`GET /?${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`, 431],
    ['CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 404],
  ]
  for (const [text, status] of wrong) {
    using wire = new Wire(service.port)
    const answer = await wire.send(text).closed()
    const [head, body] = answer.split('\r\n\r\n') as [string, string]
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(head).toContain('Content-Type: application/json')
    expect(JSON.parse(body)).toEqual({ code: status, message: expect.any(String), reasons: [expect.any(String)] })
  }
})

it('answers a whole request before the nonsense that follows it', async () => {
  service.fault({ delay_ms: 5 })
  using wire = new Wire(service.port)
  const answers = await wire.send(`${post(POINT)}nonsense\r\n\r\n`).closed()
  expect(answers).toMatch(/^HTTP\/1\.1 201 [^]*"code":201[^]*HTTP\/1\.1 400 [^]*"code":400/)
  expect(service.rows('t')).toEqual([POINT])
})

it('ignores an offer to change protocols', async () => {
  using wire = new Wire(service.port)
  wire.send('GET / HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n')
  await wire.until('operational')
  expect(wire.statuses).toEqual([200])
})

it('gives way to a reader that leaves in the middle of a large table', async () => {
  const text = 'x'.repeat(900)
  for (let id = 0; id < 2000; id++) {
    await fetch(service.url + TARGET, { method: 'POST', body: `{"keys":["id"],"id":${id},"text":"${text}"}` })
  }
  using wire = new Wire(service.port)
  wire.send('GET /_local/tables/t HTTP/1.1\r\n\r\n')
  await wire.until('"id":0')
  wire.socket.resetAndDestroy()
  const rows = (await (await fetch(`${service.url}/_local/tables/t`)).json()) as { id: number }[]
  expect(rows.map(({ id }) => id)).toEqual([...Array(2000).keys()])
})
