// What we rely on inside kafkajs, a test for each: an upgrade that changes one of them fails here, by name. What its documentation
// promises is not here.

import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import kafkajs, { type ISocketFactory, type Batch, type Logger, type Mechanism } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { kafkajsHeaders } from './producer.ts'
import { API, requestHead } from './request-bytes.ts'
import { takeBatches } from './take-batches.ts'
import { FETCH_VERSION } from '../log/fetch-answer.ts'
import { readLogRecords } from '../log/read-records.ts'
import { answerBytes, batchBytes } from '../log/testing/log.ts'
import type { KafkaHeader } from '../types.ts'

const require = createRequire(import.meta.url)
/** A module inside of the package. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- modules inside have no types
const inside = <T>(path: string): T => require(`kafkajs/src/${path}.js`) as T
const sourceOf = (path: string): string => readFileSync(require.resolve(`kafkajs/src/${path}.js`), 'utf8')

const newestOf = (api: string): number =>
  Math.max(
    ...inside<{ requests: Record<string, { versions: string[] }> }>('protocol/requests/index').requests[
      api
    ]!.versions.map(Number),
  )

/** An admin that connects to a port of this machine over a socket that is looked at.
 *  @returns what its `connect` throws */
async function connectOver(look: (socket: Socket) => void): Promise<unknown> {
  await using server = createServer((peer) => peer.on('error', () => undefined).resume()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  const socketFactory: ISocketFactory = ({ host, port, onConnect }) => {
    const socket = connect({ host, port }, onConnect)
    sockets.push(socket)
    look(socket)
    return socket
  }
  const client = new kafkajs.Kafka({
    brokers: [`127.0.0.1:${port}`],
    socketFactory,
    logLevel: kafkajs.logLevel.NOTHING,
    retry: { retries: 0 },
  })
  const admin = client.admin()
  try {
    return await admin.connect().catch((error: unknown) => error)
  } finally {
    for (const socket of sockets) socket.destroy()
    await admin.disconnect()
  }
}

describe('kafkajs writes to a socket', () => {
  it('each request whole, as one buffer by one call of `write`, with a head that is understood', async () => {
    const written: unknown[] = []
    await connectOver((socket) => {
      socket.write = (...given: unknown[]) => {
        written.push(given[0])
        socket.destroy(new Error('seen'))
        return true
      }
    })
    expect(written).toHaveLength(1)
    expect(Buffer.isBuffer(written[0])).toBe(true)
    expect(requestHead(written[0] as Buffer)).toMatchObject({ api: API.apiVersions, version: 2 })
  })

  it('requests of versions whose bytes are known where they are read or changed', () => {
    expect({
      fetch: newestOf('Fetch'),
      versions: newestOf('ApiVersions'),
      join: newestOf('JoinGroup'),
      sync: newestOf('SyncGroup'),
      ends: newestOf('ListOffsets'),
      describe: newestOf('DescribeGroups'),
    }).toEqual({ fetch: FETCH_VERSION, versions: 2, join: 5, sync: 3, ends: 3, describe: 2 })
  })
})

describe('kafkajs listens to a socket', () => {
  it('by `on`, after it was made', async () => {
    const heard: string[] = []
    await connectOver((socket) => {
      const on = socket.on.bind(socket) as (event: string, listener: () => void) => Socket
      socket.on = ((event: string, listener: () => void) => (
        heard.push(event),
        on(event, listener)
      )) as typeof socket.on
      socket.once('connect', () => socket.destroy(new Error('seen')))
    })
    expect(heard).toEqual(expect.arrayContaining(['data', 'end', 'error']))
  })

  it('and keeps the code of its error, and which broker it was', async () => {
    const error = await connectOver((socket) =>
      socket.once('connect', () =>
        setImmediate(() => socket.destroy(Object.assign(new Error('no'), { code: 'OURS' }))),
      ),
    )
    const problems = causesOf(error).map((cause) => [cause['code'], typeof cause['broker']])
    expect(problems).toContainEqual(['OURS', 'string'])
  })

  it('and takes what the factory throws for a connection that failed', async () => {
    const error = await connectOver(() => {
      throw new Error('this client has ended')
    })
    expect(causesOf(error).map(({ message }) => message)).toContainEqual(
      expect.stringContaining('this client has ended'),
    )
  })
})

function causesOf(error: unknown): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = []
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    found.push(cause as unknown as Record<string, unknown>)
  return found
}

describe('kafkajs takes an answer apart', () => {
  it('and hands what stands for batches to its handler, whatever offset it asked for, with the function that sends heartbeats', async () => {
    const batches = batchBytes({ firstOffset: 40n, count: 0, lastOffsetDelta: 1, packed: Buffer.alloc(0) })
    const { answer } = takeBatches(answerBytes(1, [[{ batches }]]))
    const { decode } = inside<{ decode: (raw: Buffer) => Promise<Decoded> }>('protocol/requests/fetch/v11/response')
    const data = (await decode(answer.subarray(8))).responses[0]!.partitions[0]!
    const Batch = inside<new (topic: string, offset: string, data: object) => Batch>('consumer/batch')
    for (const offset of ['0', '41', `${2n ** 63n - 2n}`]) expect(new Batch('t', offset, data).messages).toHaveLength(1)
    expect(sourceOf('consumer/runner')).toMatch(/\bheartbeat: \(\) => this\.heartbeat\(\),/)
  })
})

interface Decoded {
  readonly responses: readonly { readonly partitions: readonly object[] }[]
}

describe('kafkajs logs', () => {
  it('that it crashes, before it closes its connections', () => {
    const source = sourceOf('consumer/index')
    const crash = source.indexOf('logger.error(`Crash: ${e.name}: ${e.message}`')
    expect(crash).toBeGreaterThan(0)
    expect(source.indexOf('await disconnect()', crash)).toBeGreaterThan(crash)
    expect(source.indexOf('emit(CRASH', crash)).toBeGreaterThan(source.indexOf('await disconnect()', crash))
  })

  it('what a broker answers with an error', () => {
    expect(sourceOf('network/connection')).toMatch(
      /logError\(`Response \$\{requestInfo\(entry\)\}`, \{\s*error: e\.message/,
    )
  })
})

describe('kafkajs encodes', () => {
  it('headers of an array that gives them all by `map`, in their order, repeated and without value', () => {
    const headers: KafkaHeader[] = [
      ['b', Buffer.from('1')],
      ['1', null],
      ['b', Buffer.from('2')],
    ]
    const encode = inside<(record: object) => { buffer: Buffer }>('protocol/recordBatch/record/v0/index')
    const { buffer: bytes } = encode({ key: null, value: Buffer.from('v'), headers: kafkajsHeaders(headers) })
    const batch = { bytes: Buffer.from(bytes), firstOffset: 0n, firstTimestamp: 0n, appendTime: undefined }
    expect(readLogRecords(batch, 1, 0)[0]!.headers).toEqual(headers)
  })
})

describe('kafkajs logs in', () => {
  it.each(['plain', 'scram256', 'scram512'])('by %s with the password of that moment', async (name) => {
    const options = { username: 'ada', password: 'first' }
    type Provider = (options: object) => Mechanism['authenticationProvider']
    const login = inside<Provider>(`broker/saslAuthenticator/${name}`)(options)
    const used: unknown[] = []
    const given: object = Object.defineProperty(options, 'password', { get: () => (used.push('asked'), 'second') })
    expect(given).toBe(options)
    const saslAuthenticate = async ({ request }: { request: { encode(): Promise<Buffer> } }): Promise<never> => {
      used.push(String(await request.encode()).includes('second'))
      throw new Error('seen')
    }
    const logger = { debug: () => {}, error: () => {} }
    const args = { host: 'one', port: 9092, logger, saslAuthenticate } as never
    expect(used).toEqual([])
    await expect(login(args).authenticate()).rejects.toThrow('seen')
    expect(used).toContain('asked')
    expect(used.at(-1)).toBe(name === 'plain')
  })

  it('again at the next request, once no more than the threshold is left of the session', () => {
    const source = sourceOf('network/connection')
    expect(source).toMatch(
      /millisSince\.add\(this\.reauthenticationThreshold\)\s*return reauthenticateAt\.greaterThanOrEqual\(this\.sessionLifetime\)/,
    )
    expect(source).toMatch(
      /if \(!this\.isAuthenticated\(\) && isAuthenticatedRequest\(request\)\) \{\s*await this\[PRIVATE\.AUTHENTICATE\]/,
    )
  })

  it('by a provider of its own, which it sets where the options have none', () => {
    expect(sourceOf('broker/saslAuthenticator/index')).toMatch(
      /if \(\s*!this\.connection\.sasl\.authenticationProvider &&[^{]*\{\s*this\.connection\.sasl\.authenticationProvider = BUILT_IN/,
    )
  })
})

describe('a consumer of kafkajs', () => {
  it('resolves a commit that it did not send, when it is not running', async () => {
    const Runner = inside<{ prototype: { commitOffsets(offsets: object): Promise<void> } }>('consumer/runner')
    const logger: Partial<Logger> = { debug: () => undefined }
    const runner = Object.assign(Object.create(Runner.prototype) as typeof Runner.prototype, {
      running: false,
      logger,
      consumerGroup: {},
    })
    expect(await runner.commitOffsets({})).toBeUndefined()
  })

  it('tells of each commit that a broker took', () => {
    expect(sourceOf('consumer/offsetManager/index')).toMatch(
      /await coordinator\.offsetCommit\(payload\)\s*this\.instrumentationEmitter\.emit\(COMMIT_OFFSETS/,
    )
  })

  it('sleeps as long as brokers may hold a fetch, where all it reads is paused', () => {
    expect(sourceOf('consumer/consumerGroup')).toMatch(/if \(!requests\.length\) \{\s*await sleep\(this\.maxWaitTime\)/)
  })

  it('names a refused login as it is named here', () => {
    const Refused = kafkajs.KafkaJSSASLAuthenticationError as unknown as new (message: string) => Error
    const { name, message } = new Refused('why')
    expect([name, message]).toEqual(['KafkaJSSASLAuthenticationError', 'why'])
  })
})

it('is known to no file but those beside this one', () => {
  const src = join(import.meta.dirname, '../..')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('/testing/'),
  )
  const named = files.filter((file) => /kafkajs/i.test(readFileSync(join(src, file), 'utf8')))
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((file) => !file.startsWith('kafka/client/'))).toEqual([])
})
