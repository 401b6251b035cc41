// The bench's do-nothing server: where its requests end, what it counts, what it answers.

import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { createOccurrenceCounter } from '../../bench/occurrence-counter.ts'
import { createRequestFramer } from '../../bench/request-framer.ts'
import { startServer } from '../../bench/start-server.ts'

const POST = 'POST /v2/client/7/table/orders/data?apikey=demo-key HTTP/1.1\r\nHost: x\r\n'

/** What the framer sees when the text comes in pieces of this many bytes. */
function frame(message: string, size: number): string[] {
  const seen: string[] = []
  let body = ''
  const push = createRequestFramer({
    head: ({ method }) => seen.push(`head ${method}`),
    body: (piece) => (body += piece.toString('latin1')),
    end: ({ method, target }) => {
      seen.push(`${method} ${target} ${body}`)
      body = ''
    },
  })
  const bytes = Buffer.from(message)
  for (let at = 0; at < bytes.length; at += size) push(bytes.subarray(at, at + size))
  return seen
}

describe('request framer', () => {
  const requests =
    'POST /a HTTP/1.1\r\nHost: x\r\ncontent-length: 11\r\n\r\n[{"k":"v"}]' +
    'GET / HTTP/1.1\r\nHost: x\r\n\r\n' +
    'POST /b HTTP/1.1\r\nX-Content-Length: 9\r\nCONTENT-LENGTH:\t4 \r\nHost: x\r\n\r\n\r\n\r\n' +
    'POST /c HTTP/1.1\r\nContent-Length: 0\r\n\r\n'
  const expected = [
    'head POST',
    'POST /a [{"k":"v"}]',
    'head GET',
    'GET / ',
    'head POST',
    'POST /b \r\n\r\n',
    'head POST',
  ]

  test('finds the same requests wherever the chunks are cut', () => {
    for (let size = 1; size <= requests.length; size++) {
      expect(frame(requests, size), `pieces of ${size}`).toEqual([...expected, 'POST /c '])
    }
    // none is over before its last byte
    expect(frame(`${POST}Content-Length: 3\r\n\r\nab`, 7)).toEqual(['head POST'])
  })

  test.each([
    ['a chunked body', `${POST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, /chunked/],
    ['a length that is no number', `${POST}Content-Length: -1\r\n\r\n`, /Content-Length is no number: -1/],
    ['a head without end', `GET / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}`, /no end/],
  ])('%s is refused', (_, message, error) => {
    expect(() => frame(message, 1 << 16)).toThrow(error)
    expect(() => frame(message, 999)).toThrow(error)
  })
})

describe('occurrence counter', () => {
  const message = Buffer.from('[{"keys":["id"],"key":"keys"},{"keys":["id"],"a":"\\"keys\\""},{"Keys":1}]')

  test('counts each one once wherever the pieces are cut', () => {
    for (let size = 1; size <= message.length; size++) {
      const counter = createOccurrenceCounter('"keys"')
      let count = 0
      for (let at = 0; at < message.length; at += size) count += counter.feed(message.subarray(at, at + size))
      expect(count, `pieces of ${size}`).toBe(3)
    }
  })

  test('a needle does not reach over a reset', () => {
    const counter = createOccurrenceCounter('"keys"')
    expect(counter.feed(Buffer.from('..."ke'))).toBe(0)
    counter.reset()
    expect(counter.feed(Buffer.from('ys"'))).toBe(0)
  })
})

describe('the server', () => {
  test('answers upserts, counts what it is asked to count, and starts again from zero', async () => {
    await using server = await startServer()
    const upsert = async (body: string): Promise<Response> =>
      await fetch(`${server.url}/v2/client/7/table/orders/data?apikey=k`, { method: 'POST', body })
    const points = (count: number): string =>
      JSON.stringify(Array.from({ length: count }, (_, id) => ({ keys: ['id'], id })))

    await server.reset({ latencyMs: 0, countPoints: true })
    const response = await upsert(points(100))
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ code: 201, status: 'complete' })
    // Far beyond one chunk.
    await (await upsert(points(20_000))).text()
    const bytes = points(100).length + points(20_000).length
    expect(await server.stats()).toMatchObject({ requests: 2, points: 20_100, bytes })

    await server.reset({ latencyMs: 1, countPoints: false })
    await Promise.all(Array.from({ length: 20 }, async () => await (await upsert(points(3))).text()))
    expect(await server.stats()).toMatchObject({ requests: 20, points: 0, bytes: 20 * points(3).length })
  })

  test('stands still once if it is asked to, from the 1,000th upsert on, then answers what it held', async () => {
    await using server = await startServer()
    const upserts = `${POST}Content-Length: 2\r\n\r\n[]`.repeat(1002)
    const hour = 3_600_000
    await server.reset({ latencyMs: 0, countPoints: false, standStillMs: hour })
    expect((await talk(server.url, upserts, 999)).match(/ 201 /g)).toHaveLength(999)
    expect(await server.stats()).toMatchObject({ requests: 1002 })
    await server.reset({ latencyMs: 0, countPoints: false, standStillMs: 1 })
    expect((await talk(server.url, upserts, 1002)).match(/ 201 /g)).toHaveLength(1002)
    await server.reset({ latencyMs: 0, countPoints: false })
    expect((await talk(server.url, upserts, 1002)).match(/ 201 /g)).toHaveLength(1002)
  })
})

/** Sends the text on a connection of its own and reads until so many answers came or the server ends it. */
async function talk(url: string, message: string, answers: number): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let received = 0
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1').split('HTTP/1.1 ').length - 1
    if (received >= answers) socket.end()
  })
  socket.write(message)
  return await text(socket)
}
