// A service with a shape (shape.ts), a process of its own. Reads upserts, and counts their points if it
// takes so many a second. Its parent gives it the shape
// and asks for what it saw.

import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createOccurrenceCounter } from '../occurrence-counter.ts'
import { createRequestFramer } from '../request-framer.ts'
import { PLAIN, type Shape, type Tenth } from './shape.ts'

let port = 0
let shape: Shape = PLAIN
let tenths: Tenth[] = []
let firstAt: number | undefined
let working = 0
let queue: (() => void)[] = []
/** When the last of the upserts that go one after another will be done. */
let freeAt = 0
let tokens = 0
let tokensAt = 0
let pausedUntil = -Infinity
let hasThrottled = false
/** Upserts of earlier shapes finish unseen. */
let epoch = 0

const sockets = new Set<Socket>()
const server = createServer({ noDelay: true }, (socket) => {
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
  socket.on('error', () => {})
  const counter = createOccurrenceCounter('"keys":')
  let points = 0
  const push = createRequestFramer({
    body(piece) {
      if (shape.pointsPerSecond !== Infinity) points += counter.feed(piece)
    },
    end({ method }) {
      if (method === 'POST') upsert(socket, points)
      else write(socket, 200, '')
      points = 0
      counter.reset()
    },
  })
  socket.on('data', (chunk: Buffer) => push(chunk))
})
server.listen(0, '127.0.0.1', () => {
  port = (server.address() as AddressInfo).port
  process.send!({ port })
})
process.on('message', (message: { shape?: Shape }) => {
  if (message.shape) {
    // Infinity does not survive the way here
    shape = {
      ...message.shape,
      capacity: message.shape.capacity ?? Infinity,
      pointsPerSecond: message.shape.pointsPerSecond ?? Infinity,
      perSecond: message.shape.perSecond ?? Infinity,
    }
    epoch++
    tenths = []
    queue = []
    firstAt = undefined
    working = 0
    freeAt = 0
    tokens = shape.burst
    tokensAt = performance.now()
    pausedUntil = -Infinity
    hasThrottled = false
    process.send!({ ready: true })
  } else process.send!({ tenths })
})
process.once('disconnect', () => {
  server.close()
  for (const socket of sockets) socket.destroy()
})

function sinceFirst(): number {
  if (firstAt === undefined) {
    firstAt = performance.now()
    if (shape.outage) setTimeout(goOut, shape.outage.fromMs, shape.outage.forMs)
  }
  return performance.now() - firstAt
}

/** Refuses connections for a while. */
function goOut(forMs: number): void {
  server.close()
  for (const socket of sockets) socket.resetAndDestroy()
  working = 0
  queue = []
  epoch++
  setTimeout(() => server.listen(port, '127.0.0.1'), forMs)
}

function tenth(): Tenth {
  const index = Math.floor(sinceFirst() / 100)
  while (tenths.length <= index) tenths.push({ delivered: 0, points: 0, waitedMs: 0, throttled: 0, early: 0 })
  return tenths[index]!
}

function upsert(socket: Socket, points: number): void {
  const now = tenth()
  if (performance.now() < pausedUntil) now.early++
  if (throttles()) {
    now.throttled++
    throttle(socket)
    return
  }
  const upserted = { socket, points, at: performance.now() }
  if (working >= shape.capacity) queue.push(() => work(upserted))
  else work(upserted)
}

function throttles(): boolean {
  if (shape.oneThrottleAtMs !== undefined && !hasThrottled && sinceFirst() >= shape.oneThrottleAtMs)
    return (hasThrottled = true)
  if (shape.perSecond === Infinity) return false
  const now = performance.now()
  tokens = Math.min(shape.burst, tokens + ((now - tokensAt) / 1000) * shape.perSecond)
  tokensAt = now
  if (tokens < 1) return true
  tokens--
  return false
}

function throttle(socket: Socket): void {
  const { retryAfter } = shape
  if (retryAfter === 'nothing') return write(socket, 429, '')
  const text =
    retryAfter.as === 'seconds'
      ? String(retryAfter.seconds)
      : // a date has whole seconds: the next one is meant at least
        new Date(Math.ceil(Date.now() / 1000) * 1000 + retryAfter.seconds * 1000).toUTCString()
  if (shape.oneThrottleAtMs !== undefined) {
    const until = retryAfter.as === 'seconds' ? Date.now() + retryAfter.seconds * 1000 : Date.parse(text)
    // what was on its way when it answered is not early
    setTimeout(() => (pausedUntil = performance.now() + until - Date.now()), 100)
  }
  write(socket, 429, `Retry-After: ${text}\r\n`)
}

function work({ socket, points, at }: { socket: Socket; points: number; at: number }): void {
  working++
  const mine = epoch
  const done = (): void => {
    if (mine !== epoch) return
    working--
    queue.shift()?.()
    const now = tenth()
    now.delivered++
    now.points += points
    now.waitedMs += performance.now() - at
    write(socket, 201, '')
  }
  const ms = workMs(points)
  if (ms === 0) done()
  else setTimeout(done, ms)
}

function workMs(points: number): number {
  if (shape.pointsPerSecond === Infinity) return shape.latencyMs
  const now = performance.now()
  freeAt = Math.max(now, freeAt) + (points / shape.pointsPerSecond) * 1000
  return freeAt - now + shape.latencyMs
}

function write(socket: Socket, status: number, header: string): void {
  if (socket.destroyed) return
  const text = `{"code":${status},"message":"as shaped"}`
  socket.write(
    `HTTP/1.1 ${status} As Shaped\r\n${header}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  )
}
