// `npm run bench -- peers`: this connector beside other ways to fill the service, one machine, one job: speed, and damage under
// each kind of harm. Leaves bench/peers/results.json, from which `npm run generate` writes the tables of docs and README.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startBroker } from '../../integration_tests/kafka/broker.ts'
import { KafkaClient } from '../../integration_tests/kafka/client.ts'
import { partsFolder } from '../../integration_tests/tools/test-parts/part.ts'
import { startServer } from '../start-server.ts'
import type { DoNothingServer } from '../start-server.ts'
import { median } from '../statistics.ts'
import { makeJob, positionOf } from './job.ts'
import { measure } from './measure.ts'
import { findPeers, OURS } from './peers.ts'
import type { Peer } from './peers.ts'
import type { DamageRow, PeerResults, SpeedRow } from './results.ts'
import { HARMS, HarmfulService } from './service.ts'
import type { Harm } from './service.ts'
import { topicPeers, topicSpeeds } from './topics.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    peer: { type: 'string', multiple: true },
    harm: { type: 'string', multiple: true },
    output: { type: 'string', default: here('results.json') },
    program: { type: 'string', default: here('../../dist/main.js') },
  },
})
const { quick, program } = values
/** How often what failed is started again from its last checkpoint, as a platform does, and how long all of that may take. */
const [MAX_RUNS, RUN_MS] = [20, quick ? 180_000 : 300_000]
const LATENCIES = quick ? [0, 50] : [0, 50, 200]
const ROUNDS = quick ? 1 : 3
const CHANGES = quick ? 20_000 : 60_000

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error(signal)))
const folder = mkdtempSync(join(tmpdir(), 'analytics-service-peers-'))
try {
  await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function main(): Promise<void> {
  await using broker = await startBroker({ quickStart: false, heap: '512m', signal: stop.signal })
  await using client = await KafkaClient.connect(broker.bootstrap)
  const all = [
    ...(await findPeers(partsFolder(process.env), program)),
    ...topicPeers(client, broker.bootstrap, program),
  ]
  const peers = all.filter(({ name }) => values.peer?.includes(name) ?? true)
  const [speed, start]: [SpeedRow[], Record<string, number>] = [[], {}]
  if (values.harm === undefined) {
    await using server = await startServer()
    for (const peer of peers.filter(({ isTopic }) => !isTopic)) {
      const runs = await inRounds(5, () => speedOf(peer, server, 0, 1))
      start[peer.name] = median(runs.map(({ rate }) => 1 / rate))
      for (const latencyMs of LATENCIES) {
        const records =
          latencyMs === 0 && peer.isSnapshot
            ? 50_000
            : latencyMs === 0 || peer.name === OURS
              ? 200_000
              : latencyMs === 50
                ? 20_000
                : 5000
        speed.push(middle(await inRounds(ROUNDS, () => speedOf(peer, server, latencyMs, records))))
      }
    }
    const isTopicWanted = peers.some(({ isTopic }) => isTopic)
    for (const latencyMs of isTopicWanted ? LATENCIES : [])
      speed.push(...(await topicSpeeds(broker.bootstrap, program, latencyMs, ROUNDS, stop.signal)))
  }
  const damage: DamageRow[] = []
  for (const harm of (Object.keys(HARMS) as Harm[]).filter((it) => values.harm?.includes(it) ?? true))
    for (const peer of peers) damage.push(await damageOf(peer, harm))
  const about = peers.map(({ name, settings, objection }) => ({ name, settings, objection }))
  const machine = `${cpus().length} cores, Node ${process.version.slice(1)}`
  const date = new Date().toISOString().slice(0, 10)
  const results: PeerResults = { date, machine, isQuick: quick, peers: about, speed, start, damage }
  writeFileSync(values.output, `${JSON.stringify(results, null, 2)}\n`)
  console.log(`${values.output}; npm run generate writes the tables from bench/peers/results.json`)
}

async function inRounds<T>(rounds: number, once: () => Promise<T>): Promise<T[]> {
  const all: T[] = []
  while (all.length < rounds) all.push(await once())
  return all
}

/** Throws when not everything arrives. */
async function speedOf(peer: Peer, server: DoNothingServer, latencyMs: number, records: number): Promise<SpeedRow> {
  await server.reset({ latencyMs, countPoints: true })
  const run = await measure(
    await peer.start(makeJob(records, 'unique'), server.url, folderOf(peer), 0),
    () => {},
    stop.signal,
  )
  stop.signal.throwIfAborted()
  const { points, requests } = await server.stats()
  if (run.code !== 0 || points < records) throw new Error(`${peer.name}: ${points} of ${records}, ${run.said}`)
  console.error(`${latencyMs} ms, ${peer.name}, ${records}: ${run.seconds.toFixed(1)} s`)
  const cpuMicroseconds = (run.cpuSeconds * 1e6) / records
  const about = { peer: peer.name, latencyMs, records, requests }
  return { ...about, rate: records / run.seconds, cpuMicroseconds, peakMegabytes: run.peakBytes / 1e6 }
}

function middle(rows: readonly SpeedRow[]): SpeedRow {
  const of = (name: 'rate' | 'cpuMicroseconds' | 'peakMegabytes' | 'requests'): number =>
    median(rows.map((it) => it[name]))
  const [rate, cpuMicroseconds] = [of('rate'), of('cpuMicroseconds')]
  return { ...rows[0]!, rate, cpuMicroseconds, peakMegabytes: of('peakMegabytes'), requests: of('requests') }
}

async function damageOf(peer: Peer, harm: Harm): Promise<DamageRow> {
  const job = makeJob(CHANGES, peer.isTopic ? 'all' : 'half')
  await using service = await HarmfulService.start(job, harm)
  let [after, runs, isWhole, wasKilled] = [0, 0, false, false]
  const began = performance.now()
  while (!isWhole && runs < MAX_RUNS && performance.now() - began < RUN_MS) {
    runs++
    const kill = new AbortController()
    const { committed, ...start } = await peer.start(job, service.url, folderOf(peer), after)
    service.stored = (points) => {
      if (harm !== 'kill' || wasKilled || points < CHANGES / (peer.isSnapshot ? 4 : 2)) return
      wasKilled = true
      kill.abort()
    }
    const reading = (async () => {
      while (committed !== undefined && !kill.signal.aborted) {
        const before = await committed()
        service.checkpoint(before)
        isWhole = before.length === CHANGES
        if (isWhole) kill.abort()
        else await wait(250, undefined, { signal: kill.signal }).catch(() => {})
      }
    })()
    const line = (text: string): void => {
      const position = positionOf(text)
      if (position === undefined) return
      service.checkpoint(job.changes.slice(0, position))
      after = Math.max(after, position)
    }
    const late = AbortSignal.timeout(Math.ceil(RUN_MS - (performance.now() - began)))
    const { code } = await measure(start, line, AbortSignal.any([kill.signal, late, stop.signal]))
    kill.abort()
    await reading
    stop.signal.throwIfAborted()
    isWhole ||= code === 0
  }
  const seconds = (performance.now() - began) / 1000
  const row = { peer: peer.name, harm, records: CHANGES, ended: isWhole, runs, seconds, ...(await service.damage()) }
  console.error(JSON.stringify(row))
  return row
}

function folderOf(peer: Peer): string {
  return mkdtempSync(join(folder, `${peer.name.replaceAll(' ', '-')}-`))
}

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}
