// A service that can be taken away in every way there is, and given back at the same address. Knows no table.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { freePorts } from '../kafka/free-port.ts'

/** refused: nobody listens. tls: connections end as they begin, with TLS or without. hanging: requests are taken, and none
 *  is answered. once: every second request gets a 503. throttled: 429. */
export type Mood = 'up' | 'refused' | 'tls' | 'hanging' | 'away' | 'once' | 'throttled'

const { trusted } = JSON.parse(
  readFileSync(new URL('../../src/service/http/certificates.test.json', import.meta.url), 'utf8'),
) as { trusted: { certificate: string; key: string } }

/** To trust it, if it speaks TLS. */
export const AUTHORITY = trusted.certificate

export class TakeableService implements AsyncDisposable {
  readonly url: string
  readonly port: number
  /** When each request arrived, whatever became of it. */
  readonly arrived: number[] = []
  readonly #isEncrypted: boolean
  readonly #sockets = new Set<Socket>()
  readonly #hanging = new Set<ServerResponse>()
  #server: Server
  #mood: Mood = 'up'

  static async open(isEncrypted = false): Promise<TakeableService> {
    const service = new TakeableService(isEncrypted, (await freePorts(1))[0]!)
    await service.#listen()
    return service
  }

  private constructor(isEncrypted: boolean, port: number) {
    this.#isEncrypted = isEncrypted
    this.port = port
    this.url = isEncrypted ? `https://localhost:${port}` : `http://127.0.0.1:${port}`
    this.#server = this.#make()
  }

  get place(): string {
    return new URL(this.url).host
  }

  async turn(mood: Mood): Promise<void> {
    const isAnswering = this.#mood === 'hanging' && mood === 'up'
    this.#mood = mood
    if (isAnswering) {
      // a connection that was reset instead would be another reason to be unavailable
      for (const response of this.#hanging) this.#answer(response)
      this.#hanging.clear()
      return
    }
    await this.#close()
    this.#server = this.#make()
    if (mood !== 'refused') await this.#listen()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
  }

  #make(): Server {
    const answer: RequestListener = (request, response) => {
      request.resume()
      request.on('end', () => {
        this.arrived.push(performance.now())
        this.#answer(response)
      })
    }
    const server =
      this.#mood === 'tls'
        ? createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
        : this.#isEncrypted
          ? createTlsServer({ cert: trusted.certificate, key: trusted.key }, answer)
          : createServer(answer)
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => this.#sockets.delete(socket))
    })
    return server
  }

  #answer(response: ServerResponse): void {
    const isEven = this.arrived.length % 2 === 0
    if (this.#mood === 'hanging') this.#hanging.add(response)
    else if (this.#mood === 'away' || (this.#mood === 'once' && isEven)) response.writeHead(503).end()
    else if (this.#mood === 'throttled') response.writeHead(429).end()
    else response.writeHead(201).end('{"code":201}')
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async #close(): Promise<void> {
    this.#hanging.clear()
    if (!this.#server.listening) return
    this.#server.close()
    for (const socket of this.#sockets) socket.resetAndDestroy()
    await once(this.#server, 'close')
  }
}
