// A service of the laws' own: takes upserts of what a workload makes, and writes down which member's began and were taken
// when, in their order. Knows the paths of an upsert and nothing else of the service.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { kindOf, textOf, type Version } from './workload.ts'

/** Times are those of performance.now(). */
export interface Upsert {
  /** The client id it came with: each member has its own. */
  readonly member: number
  /** Its head was read. */
  readonly beganAt: number
  /** It was in the table, and its answer about to leave; undefined: never. */
  takenAt: number | undefined
  points: readonly Version[]
  /** Neither answered nor broken off. */
  isUnderWay: boolean
}

/** fair: takes all. waits: does nothing until it is in another mood. A number: answers everything with that status. */
export type Mood = 'fair' | 'waits' | number

export interface ReceiverOptions {
  /** Milliseconds between the last byte of an upsert and its being taken. */
  readonly delayMs: () => number
  /** What the upserts of a member wait for beside that, each when it has arrived. */
  readonly held?: (member: number) => Promise<void> | undefined
  /** Whether a row's table is named as its kind. */
  readonly isRouted?: boolean
}

const PATH = /^\/v2\/client\/(\d+)\/table\/(\w+)\/data\?apikey=/

export class Receiver implements AsyncDisposable {
  /** In the order they began. */
  readonly upserts: Upsert[] = []
  /** In the order they were taken. */
  readonly taken: Upsert[] = []
  /** By id: the upsert whose version is the row, and that version. */
  readonly rows = new Map<number, { readonly version: number; readonly by: Upsert }>()
  /** What no upsert of the workload may be; empty when all is well. */
  readonly faults: string[] = []
  records = 0
  readonly #server: Server
  readonly #options: ReceiverOptions
  #mood: Mood = 'fair'
  #changed = Promise.withResolvers<void>()

  static async open(options: ReceiverOptions): Promise<Receiver> {
    const server = createServer({ keepAliveTimeout: 60_000 })
    const receiver = new Receiver(server, options)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return receiver
  }

  private constructor(server: Server, options: ReceiverOptions) {
    this.#server = server
    this.#options = options
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch((error: unknown) => {
        // cut on its way
        if (!request.complete || request.destroyed) return
        this.faults.push(String(error))
        response.writeHead(400).end('{}')
      })
    })
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  set mood(mood: Mood) {
    this.#mood = mood
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.mood = 'fair'
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, member, table] = PATH.exec(request.url!) ?? []
    if (request.method !== 'POST' || member === undefined) throw new Error(`${request.method} ${request.url}`)
    const upsert: Upsert = {
      member: Number(member),
      beganAt: performance.now(),
      takenAt: undefined,
      points: [],
      isUnderWay: true,
    }
    response.on('close', () => (upsert.isUnderWay = false))
    this.upserts.push(upsert)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    upsert.points = this.#read(Buffer.concat(chunks).toString())
    if (this.#options.isRouted && upsert.points.some(({ id }) => kindOf(id) !== table))
      this.faults.push(`rows of another kind in table ${table}`)
    await sleep(this.#options.delayMs())
    await this.#options.held?.(upsert.member)
    while (this.#mood === 'waits') await this.#changed.promise
    if (this.#mood !== 'fair') {
      response.writeHead(this.#mood, { 'content-type': 'application/json' }).end('{}')
      return
    }
    upsert.takenAt = performance.now()
    this.taken.push(upsert)
    for (const { id, version } of upsert.points) this.rows.set(id, { version, by: upsert })
    this.records += upsert.points.length
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"status":"complete"}')
  }

  #read(body: string): readonly Version[] {
    const points = JSON.parse(body) as { keys: string[]; id: number; partition: number; version: number }[]
    if (points.length > 100) this.faults.push(`${points.length} points in one upsert`)
    const versions = points.map(({ id, partition, version }) => ({ id, partition, version }))
    const expected = versions.map((point) => textOf(point).replace('{', '{"keys":["id"],'))
    // what was superseded on its way is blanks
    if (body.replaceAll(/\s+/g, '') !== `[${expected.join()}]`)
      this.faults.push('an upsert that is not what was produced')
    return versions
  }
}
