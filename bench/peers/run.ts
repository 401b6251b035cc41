// `npm run bench -- peers`: this connector beside other ways to fill the service, one machine, one job: speed, and damage under
// each kind of harm. Leaves bench/peers/results.json, from which `npm run generate` writes the tables of docs and README.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startBroker } from '../../integration_tests/kafka/broker.ts'
import { KafkaClient } from '../../integration_tests/kafka/client.ts'
import { partsFolder } from '../../integration_tests/tools/test-parts/part.ts'
import { startServer, type DoNothingServer } from '../start-server.ts'
import { median } from '../statistics.ts'
import { makeJob, positionOf, type Change } from './job.ts'
import { measure, type Measured } from './measure.ts'
import { findPeers, type Peer, type Start } from './peers.ts'
import { HARMS, HarmfulService, type Harm } from './service.ts'
import { topicPeers } from './topics.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    peer: { type: 'string', multiple: true },
    harm: { type: 'string', multiple: true },
    output: { type: 'string', default: join(import.meta.dirname, 'results.json') },
    program: { type: 'string', default: join(import.meta.dirname, '../../dist/main.js') },
  },
})
const { quick, program } = values
const LATENCIES = quick ? [0, 50] : [0, 50, 200]
const [ROUNDS, CHANGES] = quick ? [1, 20_000] : [3, 60_000]
/** How often what failed is started again from its last checkpoint, as a platform does, and how long all of that may take. */
const [MAX_RUNS, RUN_MS] = [20, quick ? 130_000 : 300_000]

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error(signal)))
const folder = mkdtempSync(join(tmpdir(), 'analytics-service-peers-'))
try {
  writeFileSync(values.output, `${JSON.stringify(await compare(), null, 2)}\n`)
  console.log(`${values.output}; npm run generate writes the tables from bench/peers/results.json`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

export type DamageRow = Awaited<ReturnType<typeof damageOf>>
/** What is in results.json. */
export type PeerResults = Awaited<ReturnType<typeof compare>>

async function compare() {
  await using broker = await startBroker({ quickStart: false, heap: '512m', signal: stop.signal })
  await using client = await KafkaClient.connect(broker.bootstrap)
  await using server = await startServer()
  const found = [
    ...(await findPeers(partsFolder(process.env), program)),
    ...topicPeers(client, broker.bootstrap, program),
  ]
  const peers = found.filter(({ name }) => values.peer?.includes(name) ?? true)
  const harms = (Object.keys(HARMS) as Harm[]).filter((it) => values.harm?.includes(it) ?? true)
  const [speed, damage]: [Awaited<ReturnType<typeof speedOf>>[], DamageRow[]] = [[], []]
  const start: Record<string, number> = {}
  for (const peer of values.harm === undefined ? peers : []) {
    if (!peer.isTopic) start[peer.name] = 1 / (await speedOf(peer, server, 0, 1, 3)).rate
    for (const latencyMs of LATENCIES)
      speed.push(await speedOf(peer, server, latencyMs, peer.records[latencyMs] ?? 5000, ROUNDS))
  }
  for (const harm of harms) for (const peer of peers) damage.push(await damageOf(peer, harm))
  const about = peers.map(({ name, settings, objection }) => ({ name, settings, objection }))
  const machine = `${cpus().length} cores, Node ${process.versions.node}`
  const date = new Date().toISOString().slice(0, 10)
  // `start`: seconds of a whole run with one record
  return { date, machine, isQuick: quick, peers: about, speed, start, damage }
}

/** The median of each measure. Throws when not everything arrives. */
async function speedOf(peer: Peer, server: DoNothingServer, latencyMs: number, records: number, rounds: number) {
  const runs: (Measured & { requests: number })[] = []
  while (runs.length < rounds) {
    await server.reset({ latencyMs, countPoints: true })
    const start = await peer.start(makeJob(records, 'unique'), server.url, folderOf(peer), 0)
    const run = await runOnce(start, records, () => {}, new AbortController())
    const { points, requests } = await server.stats()
    if (!run.isWhole || points < records) throw new Error(`${peer.name}: ${points} of ${records}, ${run.said}`)
    console.error(`${latencyMs} ms, ${peer.name}, ${records}: ${run.seconds.toFixed(1)} s`)
    runs.push({ ...run, requests })
  }
  const of = (name: 'seconds' | 'cpuSeconds' | 'peakBytes' | 'requests'): number => median(runs.map((it) => it[name]))
  const used = { cpuMicroseconds: (of('cpuSeconds') * 1e6) / records, peakMegabytes: of('peakBytes') / 1e6 }
  // the start is in the rate, and of a topic the wait until all is committed
  return { peer: peer.name, latencyMs, records, rate: records / of('seconds'), ...used, requests: of('requests') }
}

/** `ended`: a run ended well, or all of a topic was committed; of how many `runs`, each from the last checkpoint on. */
async function damageOf(peer: Peer, harm: Harm) {
  const job = makeJob(CHANGES, peer.isTopic ? 'all' : 'half')
  await using service = await HarmfulService.start(job, harm)
  let [after, runs, ended, wasKilled] = [0, 0, false, false]
  const [began, late] = [performance.now(), AbortSignal.timeout(RUN_MS)]
  for (; !ended && runs < MAX_RUNS && !late.aborted; runs++) {
    const kill = new AbortController()
    late.addEventListener('abort', () => kill.abort())
    service.stored = (points) => {
      if (harm !== 'kill' || wasKilled || points < CHANGES / (peer.isSnapshot ? 4 : 2)) return
      wasKilled = true
      kill.abort()
    }
    const line = (text: string): void => {
      const position = positionOf(text) ?? 0
      service.checkpoint(job.changes.slice(0, position))
      after = Math.max(after, position)
    }
    const { committed, ...start } = await peer.start(job, service.url, folderOf(peer), after)
    const checked = async (): Promise<readonly Change[]> => {
      const changes = (await committed?.()) ?? []
      service.checkpoint(changes)
      return changes
    }
    const run = await runOnce({ ...start, ...(committed && { committed: checked }) }, CHANGES, line, kill)
    ended = run.isWhole
  }
  const seconds = (performance.now() - began) / 1000
  const row = { peer: peer.name, harm, records: CHANGES, ended, runs, seconds, ...(await service.damage()) }
  console.error(JSON.stringify(row))
  return row
}

/** Until it ends, or all of its topic is committed. */
async function runOnce(start: Start, records: number, line: (text: string) => void, kill: AbortController) {
  let isWhole = false
  const read = async (committed: NonNullable<Start['committed']>): Promise<void> => {
    for (; !isWhole && !kill.signal.aborted; await wait(100)) isWhole = (await committed()).length === records
    kill.abort()
  }
  const reading = start.committed && read(start.committed)
  const run = await measure(start, line, AbortSignal.any([kill.signal, stop.signal]))
  kill.abort()
  await reading
  stop.signal.throwIfAborted()
  // a consumer that gave up ends with 0 too
  return { ...run, isWhole: start.committed === undefined ? run.code === 0 : isWhole }
}

function folderOf(peer: Peer): string {
  return mkdtempSync(join(folder, `${peer.name.replaceAll(' ', '-')}-`))
}
