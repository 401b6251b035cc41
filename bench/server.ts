// The do-nothing server, a process of its own: reads upserts, skips their bodies and says they were stored. It cannot be the
// limit, so it parses nothing. Started by hand: `node bench/server.ts --port 8080 --latency-ms 50`.

import { createServer, type AddressInfo, type Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { createOccurrenceCounter } from './occurrence-counter.ts'
import { createRequestFramer, type RequestHead } from './request-framer.ts'
import { RESET_PATH, STATS_PATH, type ServerSettings, type ServerStats } from './server-stats.ts'

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, 'latency-ms': { type: 'string', default: '0' } },
})

/** The upsert from which on it may stand still: those who send have found their pace. */
const STANDS_STILL_AT = 1000

const CREATED = answer('201 Created', {
  code: 201,
  message: 'Data added.',
  status: 'complete',
  created_at: '2026-01-01 00:00:00',
})
const OK = answer('200 OK', { code: 200, message: 'OK' })
const NOT_FOUND = answer('404 Not Found', { code: 404, message: 'Not Found', reasons: ['this server does nothing'] })

let settings: ServerSettings = { latencyMs: Number(values['latency-ms']), countPoints: false }
let goesOnAt = -Infinity
let [requests, bytes, points, connections] = [0, 0, 0, 0]
let cpuAtReset = process.threadCpuUsage()

const sockets = new Set<Socket>()
const server = createServer({ noDelay: true }, serve)
server.listen(Number(values.port), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  if (process.send) process.send({ port })
  else process.stdout.write(`http://127.0.0.1:${port}\n`)
})
process.once('disconnect', close)
process.once('SIGINT', close)
process.once('SIGTERM', close)

function serve(socket: Socket): void {
  connections++
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
  // A client that is killed resets its connections: 'close' follows.
  socket.on('error', () => {})
  const keys = createOccurrenceCounter('"keys"')
  const push = createRequestFramer({
    body(piece) {
      bytes += piece.length
      if (settings.countPoints) points += keys.feed(piece)
    },
    end(head) {
      keys.reset()
      respond(socket, head)
    },
  })
  socket.on('data', (chunk: Buffer) => {
    try {
      push(chunk)
    } catch (error) {
      const text = answer('400 Bad Request', { code: 400, message: 'Bad Request', reasons: [String(error)] })
      socket.end(text, () => socket.destroy())
    }
  })
}

function respond(socket: Socket, { method, target }: RequestHead): void {
  if (method === 'POST' && !target.startsWith('/_bench/')) {
    requests++
    if (requests === STANDS_STILL_AT) goesOnAt = performance.now() + (settings.standStillMs ?? 0)
    const wait = Math.max(settings.latencyMs, Math.ceil(goesOnAt - performance.now()))
    if (wait <= 0) socket.write(CREATED)
    // Node keeps timers of one duration in one list: they are cheap and fire in order. Connections keep the process, answers that
    // nobody waits for don't.
    else setTimeout(() => socket.write(CREATED), wait).unref()
  } else socket.write(other(new URL(target, 'http://127.0.0.1')))
}

function other({ pathname, searchParams }: URL): Buffer {
  if (pathname === '/' || pathname.endsWith('/authenticate')) return OK
  if (pathname === STATS_PATH) return answer('200 OK', stats())
  if (pathname !== RESET_PATH) return NOT_FOUND
  settings = {
    latencyMs: Number(searchParams.get('latency_ms') ?? 0),
    countPoints: searchParams.get('count_points') === 'true',
    standStillMs: Number(searchParams.get('stand_still_ms') ?? 0),
  }
  requests = bytes = points = connections = 0
  goesOnAt = -Infinity
  cpuAtReset = process.threadCpuUsage()
  return answer('200 OK', stats())
}

function stats(): ServerStats {
  const { user, system } = process.threadCpuUsage(cpuAtReset)
  return { requests, bytes, points, connections, serverCpuSeconds: (user + system) / 1e6 }
}

function answer(status: string, body: object): Buffer {
  const text = JSON.stringify(body)
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`
  return Buffer.from(head + text)
}

function close(): void {
  server.close()
  for (const socket of sockets) socket.destroy()
}
