// What listens where the service should be: servers of every wrong kind, on 127.0.0.1. Knows no case.

import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTcpServer, type Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { listening, type Listening } from '../../src/process/testing/listening.ts'
import { certificate } from './certificates.ts'

/** @param kind `rubbish`, `silent`, `page`, `redirect`, `status N`, `odd TEXT` (a status HTTP has not), `lengths` (two), `switching`, `proxy N`, `tls`, `tls NAME` of a certificate; `tls client`
 *  wants a client certificate. undefined: there is no such kind */
export async function startStranger(kind: string): Promise<Listening | undefined> {
  const [word = '', detail = ''] = kind.split(' ')
  const server = KINDS[word]?.(detail)
  if (server === undefined) return undefined
  server.on('tlsClientError', () => {})
  return await listening(server)
}

const PAGE = '<!DOCTYPE html><html><head><title>Sign in to Example Net</title></head><body>…</body></html>'

function answering(head: string): Server {
  return createTcpServer((socket) => socket.on('data', () => socket.write(`HTTP/1.1 ${head}\r\n\r\n{}`)))
}

const KINDS: Readonly<Record<string, (detail: string) => Server>> = {
  rubbish: () => createTcpServer((socket) => socket.resume().write('SSH-2.0-OpenSSH_9.6\r\n')),
  odd: (detail) => answering(`${detail} Odd\r\ncontent-length: 2`),
  lengths: () => answering('200 OK\r\ncontent-length: 2\r\ncontent-length: 2'),
  switching: () => answering('101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c'),
  silent: () => createTcpServer((socket) => socket.resume()),
  page: () =>
    createHttpServer((_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)),
  redirect: () =>
    createHttpServer(
      (_, response) => void response.writeHead(301, { location: 'https://moved.example.com/import' }).end(),
    ),
  status: (detail) => createHttpServer((_, response) => void response.writeHead(Number(detail)).end()),
  proxy: (detail) =>
    createHttpServer().on('connect', (_: unknown, socket: Duplex) => {
      socket.on('error', () => {})
      socket.end(`HTTP/1.1 ${detail} No\r\ncontent-length: 0\r\n\r\n`)
    }),
  tls: (detail) => {
    const asks = detail === 'client'
    const { certificate: cert, key } = certificate(detail === '' || asks ? 'trusted' : detail)
    const wanted = asks ? { requestCert: true, ca: certificate('client').certificate } : {}
    return createHttpsServer({ cert, key, ...wanted }, (_, response) => response.end('{}'))
  },
}
