import { Duplex } from 'node:stream'
import type { ISocketFactory } from 'kafkajs'
import { beforeEach, expect, it } from 'vitest'
import { watchedSockets } from './broker-watch.ts'
import { API } from './request-bytes.ts'

/** A request of a kind, as kafkajs writes it. */
function request(api: number): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.writeInt32BE(36, 0)
  bytes.writeInt16BE(api, 4)
  return bytes
}

const METADATA = 3

class FakeSocket extends Duplex {
  override _read(): void {}

  override _write(_chunk: Buffer, _encoding: string, done: () => void): void {
    done()
  }
}

let now = 0
let told: string[] = []

function opened(ssl?: object): FakeSocket {
  const socket = new FakeSocket()
  const broker = {
    began: () => told.push('began'),
    answered: () => told.push('answered'),
    throttled: () => told.push('throttled'),
    failed: ({ words }: { words: string }) => told.push(words),
    ended: () => told.push('ended'),
  }
  const watch = {
    isFailing: false,
    now: () => now,
    of: (place: string) => {
      expect(place).toBe('kafka.example.com:9092')
      return broker
    },
  }
  const factory = watchedSockets((() => socket) as unknown as ISocketFactory, watch)
  const given = { host: 'kafka.example.com', port: 9092, ssl, onConnect: () => {} }
  expect(factory(given as unknown as Parameters<ISocketFactory>[0])).toBe(socket)
  socket.on('error', () => {})
  return socket
}

const settled = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve))

beforeEach(() => {
  now = 0
  told = []
})

it('a connection is no answer, what comes over it is', () => {
  const socket = opened()
  socket.emit('connect')
  expect(told).toEqual(['began', 'ended'])
  socket.write(request(METADATA))
  socket.emit('data', Buffer.alloc(1))
  expect(told.slice(2)).toEqual(['began', 'answered'])
  socket.emit('data', Buffer.alloc(1))
  expect(told.slice(4)).toEqual(['began', 'answered'])
})

it.each([
  ['ECONNREFUSED', undefined, 'connection refused'],
  ['ENOTFOUND', undefined, 'DNS lookup failed'],
  ['ECONNRESET', {}, 'TLS handshake failed'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', {}, 'TLS handshake failed'],
])('%s, with TLS %j: %s', async (code, ssl, words) => {
  const socket = opened(ssl)
  socket.destroy(Object.assign(new Error('no'), { code }))
  await settled()
  expect(told).toEqual(['began', words])
})

it('a broker that closes what an answer is owed over has failed; one that closes an idle connection has not', async () => {
  const busy = opened()
  busy.emit('connect')
  busy.write(request(METADATA))
  busy.push(null)
  busy.resume()
  await settled()
  expect(told).toEqual(['began', 'ended', 'began', 'connection closed'])
  told = []
  const idle = opened()
  idle.emit('connect')
  idle.push(null)
  idle.resume()
  await settled()
  expect(told).toEqual(['began', 'ended'])
})

it.each([
  ['connecting', 'connection timeout'],
  ['asking', 'timeout'],
])('a client that gives up while %s has waited in vain, unless it was not for long', async (when, words) => {
  for (const [waitedMs, expected] of [
    [5_000, words],
    [100, 'ended'],
  ] as const) {
    for (const leave of [
      (socket: FakeSocket) => socket.end(),
      (socket: FakeSocket) => socket.destroy(new Error('this client has ended')),
    ]) {
      told = []
      const socket = opened()
      if (when === 'asking') {
        socket.emit('connect')
        socket.write(request(METADATA))
      }
      now += waitedMs
      leave(socket)
      await settled()
      expect(told.at(-1)).toBe(expected)
      expect(told.filter((it) => it === 'began').length).toBe(told.length / 2)
    }
  }
})

it('a group that forms may take its time', async () => {
  const socket = opened()
  socket.emit('connect')
  socket.write(request(API.syncGroup))
  now = 60_000
  socket.end()
  await settled()
  expect(told).toEqual(['began', 'ended'])
})

it('what is no Kafka is told as such', async () => {
  const socket = opened()
  socket.destroy(new Error('what the broker sends is not understood: too long'))
  await settled()
  expect(told).toEqual(['began', 'invalid Kafka response'])
})
