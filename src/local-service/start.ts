// Starts the Analytics Service on this machine, in this process: interface A, interface B, its sandbox, the paths under
// /_local and the page there.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { ConnectorError } from '../core/errors.ts'
import { AllowedOrigins } from './allowed-origins.ts'
import { Clients, DEMO_KEY } from './clients.ts'
import type { ClientKey } from './clients.ts'
import type { Context } from './context.ts'
import { Faults } from './faults.ts'
import { createHttpServer } from './http-server.ts'
import { LiveRequests } from './live-requests.ts'
import { loadFile } from './load-file.ts'
import type { LoadedFile } from './load-file.ts'
import { Onboarding } from './onboarding/onboarding.ts'
import type { OnboardingOptions } from './onboarding/options.ts'
import { Records } from './onboarding/records.ts'
import { Payloads } from './payloads.ts'
import { HARD_MAX_BODY } from './read-request.ts'
import { Settings } from './settings.ts'
import { MemoryStore } from './store.ts'
import type { Store, TableSize } from './store.ts'
import type { Fault, SeenUpsert } from './types.ts'

export interface LocalServiceOptions {
  /** Keys of clients; 7 with `demo-key` when absent. */
  readonly clients?: readonly ClientKey[]
  /** Loopback (127.0.0.1) when absent. */
  readonly host?: string
  /** 0, or absent: any free port. */
  readonly port?: number
  /** Bytes a body may have, 413 above; HARD_MAX_BODY when absent. */
  readonly maxBody?: number
  /** Requests a second and client, 429 above; no limit when absent. */
  readonly rateLimit?: number
  /** Milliseconds that each request of the import interface waits, evenly spread from `from` to `to`; none when absent. */
  readonly latency?: { readonly from: number; readonly to: number }
  /** The share of upserts, from 0 to 1, that end in 500, in 503, or in a reset before or after storing; 0 when absent. */
  readonly errorRate?: number
  /** Numbers from 0 to below 1, for `latency` and `errorRate`; Math.random when absent. */
  readonly random?: () => number
  /** For older client libraries: every accepted upsert 201, bodies labelled text/html
   *  (decisions.md#201-when-a-row-is-new). */
  readonly compat?: boolean
  /** Origins whose pages may use the service, `/_local` too, such as `http://localhost:3000`; none but its own when absent. */
  readonly allowOrigins?: readonly string[]
  /** The file that keeps the rows; without one they live in memory. */
  readonly data?: string
  /** Files whose points are in the first client's tables before the service answers, one after another. */
  readonly load?: readonly LoadedFile[]
  /** Aborts the start: loading ends. What has started is ended by disposing it. */
  readonly signal?: AbortSignal
  /** Interface A: who may log in, how long a token is good, what becomes of jobs. */
  readonly onboarding?: OnboardingOptions
  /** Milliseconds since 1970, for `created_at`, the rate limit, and everything that takes time in interface A. */
  readonly now?: () => number
  /** What starts this program, in hints of the page; its name when absent. */
  readonly command?: string | undefined
  /** Whether the page shows the bodies of the last requests and answers; so it does when absent. */
  readonly payloads?: boolean
  /** An upsert has arrived whole; nothing is done with it before the promise resolves. A throw becomes a 500. */
  readonly onUpsert?: (upsert: SeenUpsert) => void | Promise<void>
  /** The same upsert is about to be answered. */
  readonly onAnswered?: (upsert: SeenUpsert, status: number | 'reset') => void
}

export interface LocalService extends AsyncDisposable {
  readonly port: number
  /** The import address, without a slash at the end. */
  readonly url: string
  /** The sandbox import address. */
  readonly sandboxUrl: string
  /** Whether nobody but this machine reaches it. */
  readonly isLoopback: boolean
  /** All but those to our own paths under `/_local`. */
  readonly requests: Pick<LiveRequests, 'total' | 'points' | 'recent'>
  /** The texts of a table's rows as they were sent, first arrival first; [] when it was never pushed. `clientId` may be
   *  left out when there is one client. */
  rows(table: string, clientId?: number): readonly string[]
  tables(): readonly Omit<TableSize, 'id'>[]
  fault(fault: Fault): void
  /** Answers how many were waiting. */
  clearFaults(): number
  readonly onboarding: Onboarding
  /** Ends listening, connections and waits; what is stored is gone, unless there is a data file. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Throws a ConnectorError (config) when a client or a user is wrong, a file cannot be loaded, or the port or the data file
 *  cannot be had. */
export async function startLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  const { host = '127.0.0.1', port = 0 } = options
  const closing = new AbortController()
  using stack = new DisposableStack()
  const store = stack.use(await openStore(options.data))
  const context = contextOf({ ...options, host }, store, closing.signal)
  const { clients, faults, onboarding, now } = context
  for (const file of options.load ?? []) await loadFile(file, clients.ids()[0]!, store, now, options.signal)
  const server = createHttpServer(context)
  const address = await listening(server, host, port)
  const opened = stack.move()
  const url = `http://${reachable(address)}:${address.port}`
  return {
    port: address.port,
    url,
    sandboxUrl: `${url}/sandbox`,
    isLoopback: /^(?:::ffff:)?127\.|^::1$/.test(address.address),
    requests: context.live,
    rows(table, clientId = onlyClient(clients)) {
      const found = store.tables().find((it) => it.clientId === clientId && it.table === table)
      return Array.from(found === undefined ? [] : store.rows(found), ({ bytes }) =>
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(),
      )
    },
    tables: () => store.tables().map(({ clientId, table, rows, writtenAt }) => ({ clientId, table, rows, writtenAt })),
    fault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    onboarding,
    async [Symbol.asyncDispose]() {
      closing.abort()
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      opened.dispose()
    },
  }
}

function contextOf(
  options: LocalServiceOptions & { readonly host: string },
  store: Store,
  closing: AbortSignal,
): Context {
  const { errorRate = 0, rateLimit = null, random = Math.random, latency = null, data, now = Date.now } = options
  const records = new Records(store.entities)
  const clients = new Clients(options.clients ?? [{ id: 7, key: DEMO_KEY }], records, now)
  // A new client must not inherit rows of a removed one by its id.
  const isTaken = (id: number): boolean => clients.has(id) || store.tables().some((it) => it.clientId === id)
  return {
    clients,
    store,
    onboarding: new Onboarding(options.onboarding ?? {}, { records, clients, isTaken, now }),
    faults: new Faults(),
    settings: new Settings({ latency_ms: latency, error_rate: errorRate, rate_limit: rateLimit }, random),
    live: new LiveRequests(clients.mask),
    payloads: (options.payloads ?? true) ? new Payloads() : undefined,
    command: options.command,
    data,
    host: options.host,
    maxBody: Math.min(options.maxBody ?? HARD_MAX_BODY, HARD_MAX_BODY),
    allowedOrigins: new AllowedOrigins(options.allowOrigins ?? []),
    compat: options.compat ?? false,
    now,
    elapsed: options.now ?? (() => performance.now()),
    closing,
    onUpsert: options.onUpsert,
    onAnswered: options.onAnswered,
  }
}

/** node:sqlite is loaded only where there is a data file. */
async function openStore(data: string | undefined): Promise<Store> {
  if (data === undefined) return new MemoryStore()
  const { SqliteStore } = await import('./sqlite/sqlite-store.ts')
  return new SqliteStore(data)
}

type Server = ReturnType<typeof createHttpServer>

const NOT_LISTENING: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use: choose another, or 0 for any',
  EACCES: 'this user may not use that port: choose one from 1024 on, or 0 for any',
  EADDRNOTAVAIL: 'this machine has no such address: choose one that it has, or 0.0.0.0 for all',
  ENOTFOUND: 'no machine of that name is known: choose an address of this one, or 0.0.0.0 for all',
  EAI_AGAIN: 'its name cannot be looked up: choose an address of this machine, or 0.0.0.0 for all',
}

async function listening(server: Server, host: string, port: number): Promise<AddressInfo> {
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = (code === undefined ? undefined : NOT_LISTENING[code]) ?? String(error)
    throw new ConnectorError('config', undefined, `The local service cannot listen on ${host} port ${port}: ${why}.`, {
      cause: error,
    })
  }
  return server.address() as AddressInfo
}

/** An address that listens everywhere is reached by loopback. */
function reachable({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return family === 'IPv6' ? `[${address}]` : address
}

function onlyClient(clients: Clients): number {
  const ids = clients.ids()
  if (ids.length !== 1) throw new ConnectorError('config', undefined, `Name the client: there are ${ids.join(', ')}.`)
  return ids[0]!
}
