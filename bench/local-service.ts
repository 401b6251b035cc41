// How many points a second the local service takes on one core: it runs in a process of its own and its CPU time is
// counted; this process is the load. Bar: 50,000. Run: node bench/local-service.ts [points]

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { startLocalService } from '../src/local-service/start.ts'

const BAR = 50_000
const POINTS_PER_REQUEST = 100
const CONNECTIONS = 16

interface Report {
  readonly port: number
  readonly cpuMicroseconds: number
  readonly points: number
}

if (process.send === undefined) await load(Number(process.argv[2] ?? 2_000_000))
else await serve()

/** The child: reports at its start and whenever it is asked; ends with its parent. */
async function serve(): Promise<void> {
  const service = await startLocalService()
  const report = (): void => {
    const { user, system } = process.cpuUsage()
    process.send!({ port: service.port, cpuMicroseconds: user + system, points: service.requests.points })
  }
  process.on('message', report)
  process.on('disconnect', () => void service[Symbol.asyncDispose]())
  report()
}

async function load(points: number): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url))
  const { port } = await reported(child)
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1, allowH2: false })
  // Every fourth request replaces what an earlier one brought.
  const bodies = Array.from({ length: 2_000 }, (_, index) =>
    bodyFrom((index % 4 === 3 ? 0 : index) * POINTS_PER_REQUEST),
  )
  const requests = Math.ceil(points / POINTS_PER_REQUEST)
  await post(pool, bodies, Math.min(requests, 1_000))
  const before = await asked(child)
  const started = performance.now()
  await post(pool, bodies, requests)
  const seconds = (performance.now() - started) / 1000
  const after = await asked(child)
  child.disconnect()
  await pool.close()
  const taken = after.points - before.points
  const perCore = taken / ((after.cpuMicroseconds - before.cpuMicroseconds) / 1e6)
  const rate = (value: number): string => Math.round(value).toLocaleString('en')
  console.log(`${rate(taken)} points of ${bodies[0]!.length / POINTS_PER_REQUEST} bytes in ${seconds.toFixed(1)} s`)
  console.log(`${rate(taken / seconds)} points a second; ${rate(perCore)} a second of its CPU (bar: ${rate(BAR)})`)
  if (perCore < BAR) process.exitCode = 1
}

async function post(pool: Pool, bodies: readonly Buffer[], requests: number): Promise<void> {
  const path = '/v2/client/7/table/bench/data?apikey=demo-key'
  const headers = { 'content-type': 'application/json' }
  let next = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (next < requests) {
        const body = bodies[next++ % bodies.length]!
        const answer = await pool.request({ method: 'POST', path, headers, body })
        await answer.body.dump()
        if (answer.statusCode >= 300) throw new Error(`the local service answered ${answer.statusCode}`)
      }
    }),
  )
}

function bodyFrom(firstId: number): Buffer {
  const points = Array.from({ length: POINTS_PER_REQUEST }, (_, index) => ({
    keys: ['id'],
    id: firstId + index,
    name: `customer ${firstId + index}`,
    email: `customer-${firstId + index}@example.com`,
    updated_at: '2024-05-06T07:08:09.123456Z',
    amount: 12.5,
    active: true,
    note: 'lorem ipsum dolor sit amet, consetetur elitr',
  }))
  return Buffer.from(JSON.stringify(points))
}

async function asked(child: ReturnType<typeof fork>): Promise<Report> {
  child.send('report')
  return reported(child)
}

async function reported(child: ReturnType<typeof fork>): Promise<Report> {
  const [report] = (await once(child, 'message')) as [Report]
  return report
}
