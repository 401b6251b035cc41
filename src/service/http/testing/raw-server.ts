// For tests: a server that speaks bytes, so that it can break HTTP wherever a test wants it to.

import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** Disposing of it ends every connection. */
export interface RawServer extends AsyncDisposable {
  readonly port: number
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>
  /** Connections there ever were. */
  accepted(): number
  /** Resolves when the last connection is closed by its other end. */
  close(): Promise<void>
}

interface More {
  readonly onConnection?: (socket: Socket) => void
  readonly tls?: TlsOptions
}

/** Listens on 127.0.0.1. `onRequest` gets each request once it is whole, and which of its connection it is, from 1. */
export async function startRawServer(
  onRequest: (socket: Socket, request: string, nth: number) => void,
  { onConnection, tls }: More = {},
): Promise<RawServer> {
  const sockets = new Set<Socket>()
  let accepted = 0
  const onSocket = (socket: Socket): void => {
    accepted++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    frame(socket, onRequest)
    onConnection?.(socket)
  }
  const server = tls === undefined ? createTcpServer(onSocket) : createTlsServer(tls, onSocket)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async (): Promise<void> => {
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    accepted: () => accepted,
    close,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await close()
    },
  }
}

function frame(socket: Socket, onRequest: (socket: Socket, request: string, nth: number) => void): void {
  let seen: Buffer = Buffer.alloc(0)
  let nth = 0
  socket.on('data', (chunk: Buffer) => {
    seen = Buffer.concat([seen, chunk])
    const end = seen.indexOf('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(seen.toString('latin1', 0, Math.max(end, 0)))?.[1] ?? 0)
    if (end === -1 || seen.length < end + 4 + length) return
    const request = seen.toString('utf8')
    seen = Buffer.alloc(0)
    onRequest(socket, request, ++nth)
  })
}
