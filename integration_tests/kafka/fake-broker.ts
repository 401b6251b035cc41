// A broker of one topic, and of one member of any group, that answers fetches with whatever a test gives it. Knows just enough
// of the protocol, in its oldest versions, for a consumer to join and fetch.

import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { int32, int64 } from '../../src/kafka/log/testing/log.ts'

export interface FakeFetch {
  readonly correlationId: number
  /** By partition. */
  readonly offsets: ReadonlyMap<number, bigint>
  readonly socket: Socket
}

export interface FakeLog {
  readonly batches: Buffer
  readonly error?: number
  readonly aborted?: readonly (readonly [producerId: bigint, firstOffset: bigint])[]
  readonly high?: bigint
  /** In place of the length of `batches`. */
  readonly size?: number
}

interface Reader {
  readonly bytes: Buffer
  at: number
}

type Reply = (request: Reader) => Buffer | undefined

const FETCH = 1
const LOGIN_FAILED = 58
const HIGH = 1000n
const WAIT_MS = 50
/** Oldest and newest version of each api. */
const VERSIONS: Readonly<Record<number, readonly [number, number]>> = {
  1: [11, 11],
  2: [1, 1],
  3: [1, 1],
  8: [2, 2],
  9: [1, 1],
  10: [0, 0],
  11: [1, 1],
  12: [0, 0],
  13: [0, 0],
  14: [0, 0],
  17: [1, 1],
  18: [0, 0],
  36: [0, 0],
}

/** Disposed it closes every connection. */
export class FakeBroker implements AsyncDisposable {
  readonly topic = 'topic-0'
  /** Every fetch there was. */
  fetches = 0
  /** What it was told at logins. */
  logins = ''
  /** Why it refuses a login, by what it was told; undefined: it does not. */
  refusal: (told: string) => string | undefined = () => undefined
  /** Oldest and newest version of fetches. */
  fetchVersions: readonly [number, number] = VERSIONS[FETCH]!
  /** Where it sends its clients on to: host and port. Itself, unless told otherwise. */
  advertised: readonly [host: string, port: number] | undefined
  readonly #partitions: number
  readonly #answer: (fetch: FakeFetch, broker: FakeBroker) => void
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer((socket) => this.#serve(socket))

  private constructor(partitions: number, answer: (fetch: FakeFetch, broker: FakeBroker) => void) {
    this.#partitions = partitions
    this.#answer = answer
  }

  /** @param answer writes what answers a fetch to its socket */
  static async start(answer: (fetch: FakeFetch, broker: FakeBroker) => void, partitions = 1): Promise<FakeBroker> {
    const broker = new FakeBroker(partitions, answer)
    broker.#server.listen(0, '127.0.0.1')
    await once(broker.#server, 'listening')
    return broker
  }

  get bootstrap(): string {
    return `127.0.0.1:${this.port}`
  }

  /** A whole answer. */
  answer(fetch: Pick<FakeFetch, 'correlationId'>, logs: ReadonlyMap<number, FakeLog>): Buffer {
    const parts = [
      int32(fetch.correlationId),
      int32(0),
      int16(0),
      int32(0),
      int32(1),
      text(this.topic),
      int32(logs.size),
    ]
    for (const [partition, { batches, error = 0, aborted = [], high = HIGH, size }] of logs) {
      parts.push(int32(partition), int16(error), int64(high), int64(high), int64(0n), int32(aborted.length))
      for (const [producerId, firstOffset] of aborted) parts.push(int64(producerId), int64(firstOffset))
      parts.push(int32(-1), int32(size ?? batches.length), batches)
    }
    return sized(Buffer.concat(parts))
  }

  /** As if there were nothing new: after a while. */
  wait({ correlationId, socket, offsets }: FakeFetch): void {
    const logs = new Map([...offsets.keys()].map((partition) => [partition, { batches: Buffer.alloc(0) }]))
    setTimeout(() => socket.write(this.answer({ correlationId }, logs)), WAIT_MS)
  }

  /** Ends every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  get #node(): Buffer[] {
    const [host, port] = this.advertised ?? ['127.0.0.1', this.port]
    return [int32(1), text(host), int32(port)]
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => {})
    let had: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      had = Buffer.concat([had, chunk])
      while (had.length >= 4 && had.length >= 4 + had.readInt32BE(0)) {
        const end = 4 + had.readInt32BE(0)
        this.#request(socket, had.subarray(4, end))
        had = had.subarray(end)
      }
    })
  }

  #request(socket: Socket, bytes: Buffer): void {
    const reader = { bytes, at: 8 }
    readText(reader)
    const [api, correlationId] = [bytes.readInt16BE(0), bytes.readInt32BE(4)]
    if (api === FETCH) {
      this.fetches++
      this.#answer({ correlationId, socket, offsets: readFetch(reader) }, this)
      return
    }
    const reply = this.#replies[api]?.(reader)
    if (reply) socket.write(sized(Buffer.concat([int32(correlationId), reply])))
  }

  readonly #replies: Readonly<Record<number, Reply>> = {
    2: (request) => {
      request.at += 4
      return this.#perPartition(request, 12, (reader, partition) => {
        const isLatest = reader.bytes.readBigInt64BE(reader.at - 8) === -1n
        return [int32(partition), int16(0), int64(-1n), int64(isLatest ? HIGH : 0n)]
      })
    },
    3: () => {
      const partitions = Array.from({ length: this.#partitions }, (_, partition) =>
        Buffer.concat([int16(0), int32(partition), int32(1), int32(1), int32(1), int32(1), int32(1)]),
      )
      const broker = [int32(1), ...this.#node, int16(-1), int32(1)]
      const topic = [int32(1), int16(0), text(this.topic), Buffer.of(0), int32(partitions.length), ...partitions]
      return Buffer.concat([...broker, ...topic])
    },
    8: () => Buffer.concat([int32(0)]),
    9: (request) => {
      readText(request)
      return this.#perPartition(request, 4, (_, partition) => [int32(partition), int64(-1n), text(''), int16(0)])
    },
    10: () => Buffer.concat([int16(0), ...this.#node]),
    11: (request) => {
      readText(request)
      request.at += 8
      readText(request)
      readText(request)
      request.at += 4
      const protocol = readText(request)
      const metadata = readBytes(request)
      const head = [int16(0), int32(1), text(protocol), text('me'), text('me')]
      return Buffer.concat([...head, int32(1), text('me'), int32(metadata.length), metadata])
    },
    12: () => int16(0),
    13: () => int16(0),
    14: (request) => {
      readText(request)
      request.at += 4
      readText(request)
      request.at += 4
      readText(request)
      const assignment = readBytes(request)
      return Buffer.concat([int16(0), int32(assignment.length), assignment])
    },
    17: () => Buffer.concat([int16(0), int32(2), text('PLAIN'), text('OAUTHBEARER')]),
    36: (request) => {
      const told = readBytes(request).toString()
      this.logins += told
      const why = this.refusal(told)
      return Buffer.concat([int16(why === undefined ? 0 : LOGIN_FAILED), text(why ?? ''), int32(0)])
    },
    18: () =>
      Buffer.concat([
        int16(0),
        int32(Object.keys(VERSIONS).length),
        ...Object.entries(VERSIONS).flatMap(([api, versions]) =>
          [Number(api), ...(Number(api) === FETCH ? this.fetchVersions : versions)].map(int16),
        ),
      ]),
  }

  /** @param size of a partition in the request */
  #perPartition(request: Reader, size: number, of: (request: Reader, partition: number) => readonly Buffer[]): Buffer {
    const parts: Buffer[] = []
    const topics = readInt32(request)
    for (let topic = 0; topic < topics; topic++) {
      const name = readText(request)
      const count = readInt32(request)
      parts.push(text(name), int32(count))
      for (let index = 0; index < count; index++) {
        const partition = request.bytes.readInt32BE(request.at)
        request.at += size
        parts.push(...of(request, partition))
      }
    }
    return Buffer.concat([int32(topics), ...parts])
  }
}

function readFetch(request: Reader): Map<number, bigint> {
  const offsets = new Map<number, bigint>()
  request.at += 4 + 4 + 4 + 4 + 1 + 4 + 4
  for (let topics = readInt32(request); topics > 0; topics--) {
    readText(request)
    for (let partitions = readInt32(request); partitions > 0; partitions--) {
      const partition = readInt32(request)
      offsets.set(partition, request.bytes.readBigInt64BE(request.at + 4))
      request.at += 4 + 8 + 8 + 4
    }
  }
  return offsets
}

function readText(reader: Reader): string {
  const size = Math.max(0, reader.bytes.readInt16BE(reader.at))
  const found = reader.bytes.toString('utf8', reader.at + 2, reader.at + 2 + size)
  reader.at += 2 + size
  return found
}

function readBytes(reader: Reader): Buffer {
  const size = readInt32(reader)
  reader.at += size
  return reader.bytes.subarray(reader.at - size, reader.at)
}

function readInt32(reader: Reader): number {
  reader.at += 4
  return reader.bytes.readInt32BE(reader.at - 4)
}

function sized(bytes: Buffer): Buffer {
  return Buffer.concat([int32(bytes.length), bytes])
}

function text(value: string): Buffer {
  return Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)])
}

function int16(value: number): Buffer {
  const two = Buffer.alloc(2)
  two.writeInt16BE(value)
  return two
}
