// `npm run bench -- peers`: this connector beside other ways to fill the service, one machine, one job: speed, and damage under
// each kind of harm. Leaves bench/peers/results.json, from which `npm run generate` writes docs/benchmarks.md.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { partsFolder } from '../../integration_tests/tools/test-parts/part.ts'
import { startServer } from '../start-server.ts'
import { median } from '../statistics.ts'
import { makeJob, positionOf } from './job.ts'
import { measure } from './measure.ts'
import { findPeers } from './peers.ts'
import type { Peer } from './peers.ts'
import { tablesOf } from './report.ts'
import type { DamageRow, PeerResults, SpeedRow } from './report.ts'
import { HarmfulService } from './service.ts'
import type { Harm } from './service.ts'

const HARMS: readonly Harm[] = ['none', '500', '429', 'reset', 'late', 'kill', 'limit']
/** How often what failed is started again from its last checkpoint, as a platform does. */
const MAX_RUNS = 40
const RUN_MS = 300_000

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    peer: { type: 'string', multiple: true },
    harm: { type: 'string', multiple: true },
    output: { type: 'string', default: here('results.json') },
    program: { type: 'string', default: here('../../dist/main.js') },
  },
})
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error(signal)))
const folder = mkdtempSync(join(tmpdir(), 'analytics-service-peers-'))
try {
  await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const { there, absent } = await findPeers(partsFolder(process.env), values.program)
  if (absent.length > 0) throw new Error(`not there: ${absent.join(', ')}: npm run fetch:test-parts -- peer`)
  const peers = there.filter(({ name }) => values.peer?.includes(name) ?? true)
  const speed: SpeedRow[] = []
  const damage: DamageRow[] = []
  const latencies = values.quick ? [0, 50] : [0, 50, 200]
  if (values.harm === undefined) for (const latencyMs of latencies) speed.push(...(await speedsOf(peers, latencyMs)))
  for (const harm of HARMS.filter((it) => values.harm?.includes(it) ?? true))
    for (const peer of peers) damage.push(await damageOf(peer, harm))
  const about = peers.map(({ name, settings, objection }) => ({ name, settings, objection }))
  const machine = `${cpus().length} cores, Node ${process.version}, ${execFileSync('python3', ['--version']).toString().trim()}`
  const date = new Date().toISOString().slice(0, 10)
  const results: PeerResults = { date, machine, isQuick: values.quick, peers: about, speed, damage }
  writeFileSync(values.output, `${JSON.stringify(results, null, 2)}\n`)
  console.log(tablesOf(results))
}

async function speedsOf(peers: readonly Peer[], latencyMs: number): Promise<SpeedRow[]> {
  await using server = await startServer()
  const rows: SpeedRow[] = []
  for (let round = 0; round < (values.quick ? 1 : 3); round++) {
    for (const peer of peers) {
      const records = latencyMs === 0 || peer.name === 'this connector' ? 200_000 : latencyMs === 50 ? 20_000 : 5000
      await server.reset({ latencyMs, countPoints: true })
      const start = peer.start(makeJob(records, false), server.url, folderOf(peer), 0)
      const run = await measure(start, () => {}, stop.signal)
      stop.signal.throwIfAborted()
      const { points, requests } = await server.stats()
      if (run.code !== 0 || points < records) throw new Error(`${peer.name}: ${points} of ${records}, ${run.said}`)
      const [rate, cpuMicroseconds] = [records / run.seconds, (run.cpuSeconds * 1e6) / records]
      const about = { peer: peer.name, latencyMs, records, requests }
      rows.push({ ...about, rate, cpuMicroseconds, peakMegabytes: run.peakBytes / 1e6 })
      console.error(`${latencyMs} ms, round ${round + 1}, ${peer.name}: ${run.seconds.toFixed(1)} s`)
    }
  }
  return Array.from(Map.groupBy(rows, ({ peer }) => peer).values(), (all) => {
    const middle = (name: 'rate' | 'cpuMicroseconds' | 'peakMegabytes' | 'requests') =>
      median(all.map((it) => it[name]))
    const [rate, cpuMicroseconds] = [middle('rate'), middle('cpuMicroseconds')]
    return { ...all[0]!, rate, cpuMicroseconds, peakMegabytes: middle('peakMegabytes'), requests: middle('requests') }
  })
}

async function damageOf(peer: Peer, harm: Harm): Promise<DamageRow> {
  const job = makeJob(values.quick ? 20_000 : 60_000, true)
  await using service = await HarmfulService.start(job, harm)
  let [after, runs, isWhole, wasKilled] = [0, 0, false, false]
  const began = performance.now()
  while (!isWhole && runs < MAX_RUNS && performance.now() - began < RUN_MS) {
    runs++
    const kill = new AbortController()
    const timer = setInterval(() => {
      const isHalf = harm === 'kill' && !wasKilled && service.points >= job.changes.length / (peer.isSnapshot ? 4 : 2)
      if (isHalf) wasKilled = true
      if (isHalf || performance.now() - began > RUN_MS) kill.abort()
    }, 5)
    const line = (text: string): void => {
      const position = positionOf(text)
      if (position === undefined) return
      service.checkpoint(position)
      after = Math.max(after, position)
    }
    const start = peer.start(job, service.url, folderOf(peer), after)
    const { code } = await measure(start, line, AbortSignal.any([kill.signal, stop.signal]))
    clearInterval(timer)
    stop.signal.throwIfAborted()
    isWhole = code === 0
  }
  const seconds = (performance.now() - began) / 1000
  const row = { peer: peer.name, harm, ended: isWhole, runs, seconds, ...(await service.damage()) }
  console.error(`${harm}, ${peer.name}: ${JSON.stringify(row)}`)
  return row
}

function folderOf(peer: Peer): string {
  return mkdtempSync(join(folder, `${peer.name.replaceAll(' ', '-')}-`))
}

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}
