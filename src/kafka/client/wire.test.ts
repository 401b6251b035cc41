// Sockets to a local server: what is seen of requests, what is held, what is cut.

import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { askUncommitted } from './request-bytes.ts'
import { requestOf, versionsBytes } from './testing/requests.ts'
import { KafkajsWire, type WireOptions } from './wire.ts'
import { FETCH_VERSION } from '../log/fetch-answer.ts'
import { FetchBudget, LARGE } from '../log/fetch-budget.ts'
import { answerBytes, int64 } from '../log/testing/log.ts'

/** A request for group `g`. */
function request(api: number, ...body: number[]): Buffer {
  const version = api === 1 ? FETCH_VERSION : 5
  const rest = [0, api, 0, version, 0, 0, 0, 1, 0, 1, 0x63, 0, 1, 0x67, ...body]
  return Buffer.from([0, 0, 0, rest.length, ...rest])
}
const join = request(11, 0, 0, 0, 9, 0, 0, 0, 9, 0, 2, 0x6d, 0x31, 0xff, 0xff)
const heartbeat = request(12)
const sync = request(14, 0, 0, 0, 7, 0, 2, 0x6d, 0x31)

let server: Server
let received: Buffer
let peers: Socket[]

beforeEach(async () => {
  received = Buffer.alloc(0)
  peers = []
  server = createServer((peer) => {
    peers.push(peer)
    peer.on('data', (data) => (received = Buffer.concat([received, data])))
    peer.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  for (const peer of peers) peer.destroy()
  server.close()
})

async function open(
  options: WireOptions,
  wire = new KafkajsWire(options),
): Promise<{ wire: KafkajsWire; socket: Socket }> {
  const { port } = server.address() as AddressInfo
  const socket = wire.socketFactory({ host: '127.0.0.1', port, ssl: undefined as never, onConnect: () => undefined })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return { wire, socket }
}

/** Collects what kafkajs is given. */
function answersTo(socket: Socket): Buffer[] {
  const answers: Buffer[] = []
  socket.on('data', (answer: Buffer) => void answers.push(answer))
  return answers
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('KafkajsWire', () => {
  it('tells what goes out, and lets it pass', async () => {
    const seen: unknown[] = []
    const { wire, socket } = await open({
      join: (memberId) => void seen.push(memberId),
      heartbeat: () => void seen.push('heartbeat'),
      sync: (...given) => void seen.push(given),
      leave: () => void seen.push('leave'),
    })
    const all = [heartbeat, sync, join, request(13), request(15), Buffer.from('authentication')]
    for (const one of all) socket.write(one)
    await until(() => received.length === Buffer.concat(all).length)
    expect(received).toEqual(Buffer.concat(all))
    expect(seen).toEqual(['heartbeat', [7, 'm1'], 'm1', 'leave'])
    wire[Symbol.dispose]()
  })

  it('sends a request of our own over the connection of another, and finds its answer', async () => {
    const { wire, socket } = await open({})
    const heard: Buffer[] = []
    socket.on('data', (answer: Buffer) => heard.push(answer))
    await expect(wire.exchange(15, request(3))).rejects.toThrow('closed')
    socket.write(request(15))
    const answer = wire.exchange(15, request(3))
    const second = wire.exchange(15, request(3))
    await until(() => received.length === 3 * request(3).length)
    const ids = [1, 2].map((index) => received.readInt32BE(index * request(3).length + 8))
    expect(ids).toEqual([-1, -2])
    const answers = ids.map((id) => Buffer.of(0, 0, 0, 6, 0xff, 0xff, 0xff, 0x100 + id, 7, 7))
    // in pieces, the later one first
    const [peer] = peers
    peer!.write(Buffer.concat([answers[1]!, answers[0]!.subarray(0, 5)]))
    expect(await second).toEqual(answers[1])
    peer!.write(answers[0]!.subarray(5))
    expect(await answer).toEqual(answers[0])
    const third = wire.exchange(15, request(3))
    wire[Symbol.dispose]()
    await expect(third).rejects.toThrow('closed')
  })

  it('holds a join while everything else passes', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const { wire, socket } = await open({ join: () => promise })
    socket.write(join)
    socket.write(heartbeat)
    await until(() => received.length === heartbeat.length)
    expect(received).toEqual(heartbeat)
    resolve(true)
    await until(() => received.length === heartbeat.length + join.length)
    expect(received).toEqual(Buffer.concat([heartbeat, join]))
    wire[Symbol.dispose]()
  })

  it('never sends a join that must not go, nor one whose connection is gone', async () => {
    const { wire, socket } = await open({ join: async () => false })
    socket.write(join)
    socket.write(heartbeat)
    await until(() => received.length > 0)
    expect(received).toEqual(heartbeat)
    wire[Symbol.dispose]()
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const late = await open({ join: () => promise })
    const closed = new Promise((end) => late.socket.once('close', end))
    late.socket.write(join)
    late.wire[Symbol.dispose]()
    resolve(true)
    await closed
    expect(received).toEqual(heartbeat)
  })

  it('tells that the connection of a join closed, and of no other', async () => {
    let broken = 0
    const { socket } = await open({ joinBroken: () => broken++ })
    const other = await open({ joinBroken: () => broken++ })
    socket.write(join)
    other.socket.write(heartbeat)
    await until(() => received.length === join.length + heartbeat.length)
    for (const peer of peers) peer.destroy()
    await Promise.all([once(socket, 'close'), once(other.socket, 'close')])
    expect(broken).toBe(1)
  })

  it('does not take the end of an earlier connection for that of the join, and listens once', async () => {
    let broken = 0
    const { wire, socket } = await open({ joinBroken: () => broken++ })
    const before = socket.listenerCount('close')
    for (let times = 0; times < 5; times++) socket.write(join)
    expect(socket.listenerCount('close')).toBe(before)
    const { socket: other } = await open({}, wire)
    other.write(join)
    socket.destroy()
    await once(socket, 'close')
    expect(broken).toBe(0)
    other.destroy()
    await once(other, 'close')
    expect(broken).toBe(1)
  })

  it('knows since when a broker owes an answer to a fetch', async () => {
    let now = 1000
    const { wire, socket } = await open({ now: () => now })
    socket.write(heartbeat)
    expect(wire.unansweredSince).toBeUndefined()
    socket.write(request(1))
    now = 2000
    expect(wire.unansweredSince).toBe(1000)
    await until(() => peers.length === 1)
    peers[0]!.write('anything')
    await until(() => wire.unansweredSince === undefined)
    socket.write(request(1))
    expect(wire.unansweredSince).toBe(2000)
    peers[0]!.destroy()
    await until(() => wire.unansweredSince === undefined)
    wire[Symbol.dispose]()
  })

  it('ends a connection to a broker that is too old, before the client is told of its versions', async () => {
    const { wire, socket } = await open({})
    const answers = answersTo(socket)
    const failed = once(socket, 'error')
    socket.write(request(18))
    await until(() => peers.length === 1)
    peers[0]!.write(versionsBytes([1, 0, 10]))
    expect(await failed).toMatchObject([{ code: 'OLD_BROKER' }])
    expect(answers).toEqual([])
    wire[Symbol.dispose]()
  })

  it('knows for how long a login is good, where the broker says so', async () => {
    const { wire, socket } = await open({})
    const answers = answersTo(socket)
    const login = async (version: number, sessionMs: bigint): Promise<number | undefined> => {
      const asked = request(36)
      asked.writeInt16BE(version, 6)
      socket.write(asked)
      await until(() => peers.length === 1)
      const life = version === 0 ? [] : [...int64(sessionMs)]
      // correlation id, no error, no words, no bytes
      const body = [0, 0, 0, 1, 0, 0, 0xff, 0xff, 0, 0, 0, 0, ...life]
      const before = answers.length
      peers[0]!.write(Buffer.from([0, 0, 0, body.length, ...body]))
      await until(() => answers.length > before)
      return wire.sessionMs
    }
    expect(wire.sessionMs).toBe(undefined)
    expect(await login(1, 4_000n)).toBe(4_000)
    expect(await login(1, 0n)).toBe(undefined)
    expect(await login(1, 3_600_000n)).toBe(3_600_000)
    expect(await login(0, 1n)).toBe(undefined)
    wire[Symbol.dispose]()
  })

  it('ends a connection over which records are asked for by another version', async () => {
    const { wire, socket } = await open({})
    const failed = once(socket, 'error')
    const fetch = request(1)
    fetch.writeInt16BE(FETCH_VERSION + 1, 6)
    socket.write(fetch)
    expect(String((await failed)[0])).toContain('by version 12')
    expect(received.length).toBe(0)
    wire[Symbol.dispose]()
  })

  it('connects to no other broker than the one it is for', () => {
    const wire = new KafkajsWire({ onlyBroker: '127.0.0.1:1' })
    const other = { host: '127.0.0.1', port: 2, ssl: undefined as never, onConnect: () => undefined }
    expect(() => wire.socketFactory(other)).toThrow('another broker')
  })

  it('asks for ends of partitions with the records of open transactions, where these count', async () => {
    for (const countsOpenTransactions of [true, false]) {
      const { wire, socket } = await open({ countsOpenTransactions })
      const before = received.length
      const asking = requestOf(2, 3, 'c', Buffer.from([255, 255, 255, 255]), Buffer.of(1), Buffer.alloc(4))
      const asked = Buffer.from(asking)
      if (countsOpenTransactions) askUncommitted(asked)
      socket.write(asking)
      await until(() => received.length === before + asked.length)
      expect(received.subarray(before)).toEqual(asked)
      wire[Symbol.dispose]()
    }
  })

  it('holds a fetch back for a moment after one that was answered at once with nothing, and nothing else', async () => {
    const { wire, socket } = await open({ now: () => 1000 })
    const fetch = request(1)
    const answers = answersTo(socket)
    await until(() => peers.length === 1)
    const askedAgain = async (batches: Buffer): Promise<Buffer> => {
      socket.write(fetch)
      await until(() => received.length === fetch.length)
      const before = answers.length
      peers[0]!.write(answerBytes(1, [[{ batches }]]))
      await until(() => answers.length > before)
      received = Buffer.alloc(0)
      socket.write(fetch)
      socket.write(heartbeat)
      await until(() => received.length === fetch.length + heartbeat.length)
      const both = received
      received = Buffer.alloc(0)
      return both
    }
    expect(await askedAgain(Buffer.alloc(70))).toEqual(Buffer.concat([fetch, heartbeat]))
    expect(await askedAgain(Buffer.alloc(0))).toEqual(Buffer.concat([heartbeat, fetch]))
    wire[Symbol.dispose]()
  })

  it('keeps no room for an answer whose connection closed within it', async () => {
    const budget = new FetchBudget()
    const { wire, socket } = await open({ budget })
    answersTo(socket)
    await until(() => peers.length === 1)
    socket.write(request(1))
    peers[0]!.write(answerBytes(1, [[{ batches: Buffer.alloc(LARGE + 1) }]]).subarray(0, 1000))
    await until(() => budget.held > 0)
    expect(budget.held).toBeGreaterThan(LARGE)
    wire[Symbol.dispose]()
    await until(() => budget.held === 0)
  })

  it('gives answers on when they are whole, and ends the connection with one that is not understood', async () => {
    const { socket } = await open({})
    const answers: Buffer[] = []
    socket.on('data', (answer: Buffer) => {
      if (answer.length === 4) throw new RangeError('too short')
      answers.push(answer)
    })
    const failed = once(socket, 'error')
    await until(() => peers.length === 1)
    for (const byte of [0, 0, 0, 2, 7, 8]) peers[0]!.write(Buffer.of(byte))
    await until(() => answers.length > 0)
    expect(answers).toEqual([Buffer.from([0, 0, 0, 2, 7, 8])])
    peers[0]!.write(Buffer.alloc(8))
    await expect(failed).resolves.toEqual([expect.objectContaining({ message: expect.stringMatching(/too short$/) })])
    expect(answers).toHaveLength(1)
  })

  it('cuts everything with an error, so that kafkajs notices, and lets nothing be opened again', async () => {
    const { wire, socket } = await open({})
    const failed = once(socket, 'error')
    wire[Symbol.dispose]()
    await expect(failed).resolves.toEqual([expect.objectContaining({ message: expect.stringContaining('ended') })])
    const again = (): Socket =>
      wire.socketFactory({ host: '127.0.0.1', port: 1, ssl: undefined as never, onConnect: () => undefined })
    expect(again).toThrow('ended')
  })
})
