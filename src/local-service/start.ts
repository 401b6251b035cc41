// Starts the local Analytics Service in this process: interface A (onboarding), interface B (imports) with its sandbox, the paths under
// /_local and the page there.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { ConnectorError, NO_CODE } from '../core/errors.ts'
import type { Clients } from './clients.ts'
import { contextOf, type LocalServiceOptions } from './context.ts'
import { createHttpServer } from './http-server.ts'
import type { LiveRequests } from './live-requests.ts'
import { loadFile } from './load-file.ts'
import { MemoryStore, type Store, type TableSize } from './store.ts'
import type { Fault } from './types.ts'

export type LocalService = Awaited<ReturnType<typeof startLocalService>>

/** Starts a local service. Throws a ConnectorError (config) when a client, a user, a file to load, the data file or the port is wrong. */
export async function startLocalService(options: LocalServiceOptions = {}) {
  const { host = '127.0.0.1', port = 0 } = options
  const closing = new AbortController()
  using closedIfStartFails = new DisposableStack()
  const store = closedIfStartFails.use(await openStore(options.data))
  const context = contextOf({ ...options, host }, store, closing.signal)
  const { clients, faults, onboarding, now } = context
  for (const file of options.load ?? []) await loadFile(file, clients.ids()[0]!, store, now, options.signal)
  const server = createHttpServer(context)
  const address = await listening(server, host, port)
  const closedAtTheEnd = closedIfStartFails.move()
  const url = `http://${hostToReach(address)}:${address.port}`
  return {
    port: address.port,
    /** The import address, without a slash at the end. */
    url,
    /** The sandbox import address. */
    sandboxUrl: `${url}/sandbox`,
    /** Whether only this machine reaches it. */
    isLoopback: /^(?:::ffff:)?127\.|^::1$/.test(address.address),
    /** The requests so far, without those to paths under `/_local`. */
    requests: context.live as Pick<LiveRequests, 'total' | 'points' | 'recent'>,
    /** The texts of a table's rows as they were sent, first arrival first; [] when it was never pushed. `clientId` may be
     *  left out when there is one client. */
    rows(table: string, clientId = onlyClient(clients)): readonly string[] {
      const known = store.tables().find((it) => it.clientId === clientId && it.table === table)
      return Array.from(known === undefined ? [] : store.rows(known), ({ bytes }) =>
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(),
      )
    },
    tables: (): readonly Omit<TableSize, 'id'>[] =>
      store.tables().map(({ clientId, table, rows, writtenAt }) => ({ clientId, table, rows, writtenAt })),
    fault: (fault: Fault): void => faults.add(fault),
    /** Ends all faults. @returns how many were waiting */
    clearFaults: (): number => faults.clear(),
    onboarding,
    /** Stops listening, and ends connections and waits. What is stored is lost, unless there is a data file. */
    async [Symbol.asyncDispose]() {
      closing.abort()
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      closedAtTheEnd.dispose()
    },
  }
}

/** node:sqlite is loaded only where there is a data file. */
async function openStore(data: string | undefined): Promise<Store> {
  if (data === undefined) return new MemoryStore()
  const { SqliteStore } = await import('./sqlite/sqlite-store.ts')
  return new SqliteStore(data)
}

type Server = ReturnType<typeof createHttpServer>

/** Words for error codes of `listen`: what is wrong, and what to do. */
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
    throw new ConnectorError('config', NO_CODE, `The local service cannot listen on ${host} port ${port}: ${why}.`, {
      cause: error,
    })
  }
  return server.address() as AddressInfo
}

/** The host of the service's address. A service that listens on all addresses of the machine is reached by loopback. */
function hostToReach({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return family === 'IPv6' ? `[${address}]` : address
}

/** The id of the one client. Throws a ConnectorError when there are several. */
function onlyClient(clients: Clients): number {
  const ids = clients.ids()
  if (ids.length !== 1) throw new ConnectorError('config', NO_CODE, `Name the client: there are ${ids.join(', ')}.`)
  return ids[0]!
}
