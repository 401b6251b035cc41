// Stands where the world would be: a proxy on this machine that refuses whatever it is asked for, and notes it.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export class Outside implements AsyncDisposable {
  /** Addresses that were asked for. */
  readonly asked: string[] = []
  readonly #server = createServer((request, response) => {
    this.asked.push(request.url ?? '')
    response.writeHead(403).end()
  })

  private constructor() {
    this.#server.on('connect', ({ url }, socket) => {
      this.asked.push(url ?? '')
      socket.on('error', () => {})
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    })
  }

  static async open(): Promise<Outside> {
    const outside = new Outside()
    outside.#server.listen(0, '127.0.0.1')
    await once(outside.#server, 'listening')
    return outside
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }
}
