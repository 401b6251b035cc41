// A way to a service that can be cut and held, byte by byte the same otherwise. Knows nothing of what passes.

import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** open: all passes. cut: connections are reset, new ones at once. held: connections are there, and nothing passes. */
export type Way = 'open' | 'cut' | 'held'

export class TcpProxy implements AsyncDisposable {
  readonly port: number
  readonly #server: Server
  readonly #sockets: Set<Socket>
  #way: Way = 'open'

  /** @param port of 127.0.0.1, asked for at each connection */
  static async open(port: () => number): Promise<TcpProxy> {
    const sockets = new Set<Socket>()
    const server = createServer({ pauseOnConnect: true })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const proxy = new TcpProxy(server, sockets)
    server.on('connection', (near) => proxy.#join(near, port()))
    return proxy
  }

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server
    this.#sockets = sockets
    this.port = (server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  set way(way: Way) {
    this.#way = way
    for (const socket of this.#sockets) {
      if (way === 'cut') socket.resetAndDestroy()
      else if (way === 'held') socket.pause()
      else socket.resume()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.way = 'cut'
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(near: Socket, port: number): void {
    near.on('error', () => {})
    if (this.#way === 'cut') {
      near.resetAndDestroy()
      return
    }
    const far = connect(port, '127.0.0.1')
    far.on('error', () => {})
    this.#hand(near, far)
    this.#hand(far, near)
    if (this.#way === 'open') near.resume()
    else far.pause()
  }

  #hand(from: Socket, to: Socket): void {
    this.#sockets.add(from)
    from.on('data', (chunk) => {
      if (to.destroyed || to.write(chunk)) return
      from.pause()
      to.once('drain', () => this.#way === 'open' && from.resume())
    })
    from.on('end', () => to.end())
    from.on('close', () => {
      this.#sockets.delete(from)
      to.destroy()
    })
  }
}
