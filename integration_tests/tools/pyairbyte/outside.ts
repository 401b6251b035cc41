// Stands where the world would be: a proxy on this machine that refuses whatever it is asked for, and notes it.

import { createServer } from 'node:http'
import { listening } from '../../../src/process/testing/listening.ts'

export interface Outside extends AsyncDisposable {
  readonly url: string
  /** Addresses that were asked for. */
  readonly asked: readonly string[]
}

export async function openOutside(): Promise<Outside> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(403).end()
  }).on('connect', ({ url }, socket) => {
    asked.push(url ?? '')
    socket.on('error', () => {})
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  const { port, [Symbol.asyncDispose]: end } = await listening(server)
  return { url: `http://127.0.0.1:${port}`, asked, [Symbol.asyncDispose]: end }
}
