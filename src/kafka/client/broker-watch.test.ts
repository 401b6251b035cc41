import { Duplex } from 'node:stream'
import { beforeEach, expect, it, describe } from 'vitest'
import { watchBroker } from './broker-watch.ts'
import { checkVersions, watchPort, type PortMemory } from './port-answers.ts'
import { API, requestHead } from './request-bytes.ts'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { versionsBytes } from './testing/requests.ts'

/** A request of a kind, as kafkajs writes it. */
function request(api: number): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.writeInt32BE(36, 0)
  bytes.writeInt16BE(api, 4)
  return bytes
}

const METADATA = 3

class FakeSocket extends Duplex {
  asked: ((api: number | undefined) => void) | undefined

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.asked?.(requestHead(chunk)?.api)
    done()
  }
}

let now = 0
let told: string[] = []

/** @param port when it is watched too, as wire.ts does before */
function opened(ssl?: object, port?: PortMemory): FakeSocket {
  const socket = new FakeSocket()
  const tellPortWatch = port && watchPort(socket as unknown as Socket, ssl !== undefined, port)
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
    eventsOf: (place: string) => {
      expect(place).toBe('kafka.example.com:9092')
      return broker
    },
  }
  const tellBrokerWatch = watchBroker(socket as unknown as Socket, 'kafka.example.com:9092', watch, ssl !== undefined)
  socket.asked = (api) => {
    if (api !== undefined) tellPortWatch?.(api)
    tellBrokerWatch(api)
  }
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

/** Has the broker close a connection over which it owes an answer. */
async function closeAfterQuestion(socket: FakeSocket): Promise<void> {
  socket.emit('connect')
  socket.write(request(METADATA))
  socket.push(null)
  socket.resume()
  await settled()
}

it('a broker that closes what an answer is owed over has failed; one that closes an idle connection has not', async () => {
  await closeAfterQuestion(opened())
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

const ALERT = Buffer.from('15030300020250', 'hex')

it('a port that closes because it wants a login has closed; one that wants TLS has answered', async () => {
  await closeAfterQuestion(opened(undefined, { sentVersions: true, hasAnswered: false }))
  expect(told).toEqual(['began', 'ended', 'began', 'connection closed'])
  told = []
  const wantsTls = opened(undefined, { sentVersions: false, hasAnswered: false })
  wantsTls.emit('connect')
  wantsTls.write(request(API.apiVersions))
  wantsTls.push(ALERT)
  await settled()
  expect(told).toEqual(['began', 'ended', 'began', 'answered'])
})

/** @param ask what goes out, and what the port does then: bytes, or closes @returns what the socket ended with */
async function askPort(
  steps: readonly (readonly [api: number, does: Buffer | 'closes'])[],
  isEncrypted = false,
  port: PortMemory = { sentVersions: false, hasAnswered: false },
): Promise<unknown> {
  await using server = createServer({ allowHalfOpen: true })
  const accepted = once(server, 'connection')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const asked = watchPort(socket, isEncrypted, port)
  const errors: unknown[] = []
  socket.on('error', (error) => errors.push((error as { code?: unknown }).code))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const [peer] = (await accepted) as [typeof socket]
  peer.on('error', () => undefined)
  for (const [api, does] of steps) {
    asked(api)
    socket.write('asked')
    await once(peer, 'data')
    const heard = new Promise((resolve) => socket.once('data', resolve))
    if (does === 'closes') peer.end()
    else peer.write(does)
    await (does === 'closes' ? closed : heard)
  }
  if (!socket.destroyed) socket.destroy()
  peer.destroy()
  return errors
}

describe('watchPort', () => {
  it('knows a port that answers with TLS', async () => {
    expect(await askPort([[API.apiVersions, ALERT]])).toEqual(['WANTS_TLS'])
  })

  it('takes the same bytes for what they are later, and where all is encrypted', async () => {
    const later = [
      [API.apiVersions, Buffer.from('versions')],
      [METADATA, ALERT],
    ] as const
    expect(await askPort(later)).toEqual([])
    expect(await askPort([[API.apiVersions, ALERT]], true)).toEqual([])
  })

  it('knows a port that tells its versions, and nothing else without a login', async () => {
    const steps = [
      [API.apiVersions, Buffer.from('versions')],
      [METADATA, 'closes'],
    ] as const
    expect(await askPort(steps)).toEqual(['WANTS_LOGIN'])
    expect(await askPort(steps, true)).toEqual(['WANTS_LOGIN'])
  })

  it('knows it by a connection that does not ask for versions again, unless it ever answered', async () => {
    const port = { sentVersions: false, hasAnswered: false }
    await askPort([[API.apiVersions, Buffer.from('versions')]], false, port)
    expect(await askPort([[METADATA, 'closes']], false, port)).toEqual(['WANTS_LOGIN'])
    expect(await askPort([[METADATA, 'closes']], false, port)).toEqual(['WANTS_LOGIN'])
    await askPort([[METADATA, Buffer.from('m')]], false, port)
    expect(await askPort([[METADATA, 'closes']], false, port)).toEqual([])
  })

  it.each([
    ['at once', [[API.apiVersions, 'closes']]],
    ['without having been asked for its versions', [[METADATA, 'closes']]],
    [
      'in the middle of a login',
      [
        [API.apiVersions, Buffer.from('v')],
        [API.saslHandshake, 'closes'],
      ],
    ],
    [
      'later',
      [
        [API.apiVersions, Buffer.from('v')],
        [METADATA, Buffer.from('m')],
        [METADATA, 'closes'],
      ],
    ],
  ] as const)('leaves a connection alone that closes %s', async (_, steps) => {
    expect(await askPort(steps)).toEqual([])
  })
})

describe('checkVersions', () => {
  it.each([
    ['has just the version that is needed', [1, 11, 11]],
    ['has newer ones too', [1, 4, 17]],
    ['says nothing of fetches', [3, 0, 5]],
  ] as const)('takes a broker that %s', (_, range) => {
    expect(() => checkVersions(versionsBytes([0, 0, 9], range, [18, 0, 3]))).not.toThrow()
  })

  it.each([
    ['older', [1, 0, 10], 'OLD_BROKER'],
    ['newer', [1, 12, 17], 'NEW_BROKER'],
  ] as const)('tells one that is %s', (_, range, code) => {
    expect(() => checkVersions(versionsBytes([0, 0, 9], range))).toThrow(expect.objectContaining({ code }))
  })

  it('looks into no answer that is an error, or cut', () => {
    const answer = versionsBytes([1, 0, 10])
    for (let length = 0; length < answer.length; length++)
      expect(() => checkVersions(answer.subarray(0, length))).not.toThrow()
    answer.writeInt16BE(35, 8)
    expect(() => checkVersions(answer)).not.toThrow()
  })
})
