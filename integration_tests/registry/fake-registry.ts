// A small schema registry on loopback, with the interface of Confluent as far as readers and serialisers use it, and with
// faults that a test scripts. It checks no schema and knows no compatibility.

import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { RegisteredSchemas, type GivenSchema, type Registered } from './registered-schemas.ts'

export interface FakeRegistryOptions {
  /** The path it stands under: "/apis/ccompat/v7". */
  readonly prefix?: string
  /** Who does not say so gets a 401. */
  readonly login?: { readonly username: string; readonly password: string } | { readonly token: string }
  /** Whether a login is good, by the header that was sent; in place of `login`. */
  readonly accepts?: (authorization: string) => boolean
  readonly tls?: ServerOptions
}

/** What it does in place of answering. `delayMs`: first, and then the rest of it, or its own answer. */
export interface Fault {
  /** What it is for, of path and query without the prefix; absent: everything. */
  readonly path?: RegExp
  /** For so many requests; absent: until faults are cleared. */
  times?: number
  readonly delayMs?: number
  readonly answer?: {
    readonly status: number
    readonly headers?: Record<string, string>
    readonly body?: string | Buffer
  }
  /** The connection ends: before an answer, or within one. */
  readonly reset?: 'before' | 'within'
  /** Nothing ever comes. */
  readonly silent?: boolean
}

export interface LoggedRequest {
  readonly method: string
  /** With the query, without the prefix. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
}

export async function startFakeRegistry(options: FakeRegistryOptions = {}): Promise<FakeRegistry> {
  const registry = new FakeRegistry(options)
  await registry.start()
  return registry
}

export class FakeRegistry implements AsyncDisposable {
  /** All that came, in order; to be emptied at will. */
  readonly requests: LoggedRequest[] = []
  readonly schemas = new RegisteredSchemas()
  readonly #options: FakeRegistryOptions
  #faults: Fault[] = []
  #server: Server | undefined
  #port = 0

  constructor(options: FakeRegistryOptions) {
    this.#options = options
  }

  get url(): string {
    const { tls, prefix = '' } = this.#options
    return `${tls ? 'https://localhost' : 'http://127.0.0.1'}:${this.#port}${prefix}`
  }

  /** Paths that came, in order. */
  get paths(): string[] {
    return this.requests.map(({ path }) => path)
  }

  /** @param id in place of the next one */
  register(subject: string, given: GivenSchema, id?: number): Registered {
    return this.schemas.register(subject, given, id)
  }

  /** The oldest that fits a request counts. */
  fault(fault: Fault): void {
    this.#faults.push({ ...fault })
  }

  clearFaults(): void {
    this.#faults = []
  }

  /** On the port it had before. */
  async start(): Promise<void> {
    const { tls } = this.#options
    const listener = (request: IncomingMessage, response: ServerResponse): void => void this.#serve(request, response)
    const server = tls ? createHttpsServer(tls, listener) : createHttpServer(listener)
    server.on('clientError', (_, socket) => socket.destroy())
    server.listen(this.#port, '127.0.0.1')
    await once(server, 'listening')
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  /** Its port refuses connections until it is started again; schemas and faults stay. */
  async stop(): Promise<void> {
    const server = this.#server
    if (!server) return
    this.#server = undefined
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prefix = '' } = this.#options
    const url = request.url ?? ''
    const method = request.method ?? ''
    const path = url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : undefined
    this.requests.push({ method, path: path ?? url, headers: request.headers })
    const body = await text(request).catch(() => '')
    const fault = this.#faultFor(path ?? url)
    if (fault && (await this.#misbehave(fault, request, response))) return
    if (!this.#isAllowed(request)) send(response, 401, failed(401, 'Unauthorized'))
    else if (path === undefined) send(response, 404, failed(404, 'HTTP 404 Not Found'))
    else send(response, ...answerTo(this.schemas, method, path, body))
  }

  #faultFor(path: string): Fault | undefined {
    const fault = this.#faults.find(({ path: only, times = 1 }) => times > 0 && (only === undefined || only.test(path)))
    if (fault?.times !== undefined) fault.times--
    return fault
  }

  /** @returns whether that was all */
  async #misbehave(fault: Fault, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { delayMs, answer, reset, silent = false } = fault
    if (delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, delayMs))
    if (silent) return true
    if (reset === 'before') request.socket.resetAndDestroy()
    if (reset === 'within') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
      response.write('{"schema":"', () => request.socket.destroy())
    }
    if (answer) response.writeHead(answer.status, answer.headers).end(answer.body)
    return answer !== undefined || reset !== undefined
  }

  #isAllowed({ headers: { authorization } }: IncomingMessage): boolean {
    const { login, accepts } = this.#options
    if (accepts) return accepts(authorization ?? '')
    if (!login) return true
    if ('token' in login) return authorization === `Bearer ${login.token}`
    return authorization === `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`
  }
}

type Reply = readonly [status: number, body: unknown]

/** The interface of Confluent. */
function answerTo(schemas: RegisteredSchemas, method: string, url: string, body: string): Reply {
  const [path = '', query = ''] = url.split('?', 2)
  const [, room, ...rest] = path.split('/').map(decodeURIComponent)
  if (method === 'GET' && room === 'schemas') return schemaAnswer(schemas, rest)
  if (method === 'GET' && room === 'subjects') return subjectAnswer(schemas, rest)
  if (method === 'POST' && room === 'subjects')
    return registration(schemas, rest, JSON.parse(body) as GivenSchema, query)
  if (method === 'GET' && (room === 'config' || room === 'mode')) {
    return [200, room === 'config' ? { compatibilityLevel: 'NONE' } : { mode: 'READWRITE' }]
  }
  return [404, failed(404, 'HTTP 404 Not Found')]
}

function schemaAnswer(schemas: RegisteredSchemas, [kind, name = '', more]: string[]): Reply {
  if (kind === 'types' && name === '') return [200, ['JSON', 'PROTOBUF', 'AVRO']]
  if ((kind !== 'ids' && kind !== 'guids') || more !== undefined) return [404, failed(404, 'HTTP 404 Not Found')]
  const found = kind === 'ids' ? schemas.byId(Number(name)) : schemas.byGuid(name)
  if (!found) return [404, failed(40403, `Schema ${name} not found`)]
  const { schema, guid, references, ruleSet } = found
  return [200, { ...typeOf(found), schema, guid, references, ruleSet }]
}

function subjectAnswer(schemas: RegisteredSchemas, [subject, kind, name]: string[]): Reply {
  if (subject === undefined) return [200, schemas.subjects()]
  if (kind !== 'versions') return [404, failed(404, 'HTTP 404 Not Found')]
  const versions = schemas.versions(subject)
  if (!versions) return [404, failed(40401, `Subject '${subject}' not found.`)]
  if (name === undefined) return [200, versions.map(({ version }) => version)]
  const found = name === 'latest' ? versions.at(-1) : versions.find(({ version }) => version === Number(name))
  return found ? [200, shown(found)] : [404, failed(40402, `Version ${name} not found.`)]
}

function registration(
  schemas: RegisteredSchemas,
  [subject = '', kind]: string[],
  given: GivenSchema,
  query: string,
): Reply {
  const asked: GivenSchema = {
    schema: given.schema,
    schemaType: given.schemaType,
    references: given.references?.map(({ name, subject, version }) => ({ name, subject, version })),
    ruleSet: given.ruleSet ?? undefined,
  }
  if (kind === 'versions' && !query.includes('dryRun=true')) return [200, shown(schemas.register(subject, asked))]
  const found = schemas.find(subject, asked)
  return found ? [200, shown(found)] : [404, failed(40403, 'Schema not found')]
}

function shown(registered: Registered): object {
  return { ...registered, ...typeOf(registered) }
}

/** Avro goes without saying. */
function typeOf({ schemaType }: Registered): object {
  return { schemaType: schemaType === 'AVRO' ? undefined : schemaType }
}

function failed(code: number, message: string): object {
  return { error_code: code, message }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/vnd.schemaregistry.v1+json' }).end(JSON.stringify(body))
}
