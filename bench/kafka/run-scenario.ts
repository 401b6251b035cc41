// Runs both programs on a scenario in turn, round by round, and takes the medians. Knows no bars.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DoNothingServer } from '../start-server.ts'
import { median } from '../statistics.ts'
import type { BenchTopics } from './bench-topics.ts'
import type { KafkaRow } from './kafka-row.ts'
import { measureGroup } from './measure-group.ts'
import type { GroupMeasurement } from './measure-group.ts'
import type { KafkaScenario, Program } from './scenarios.ts'

export interface KafkaBench {
  /** The script of each program; it is given `stream --config F`. */
  readonly programs: Readonly<Record<Program, string>>
  readonly topics: BenchTopics
  readonly server: DoNothingServer
  /** Timed rounds, after the one that is thrown away. */
  readonly rounds: number
  readonly progress: (line: string) => void
}

const PROGRAMS = ['ordinary', 'ours'] as const

/** A row for each program. Every round is read by a group of its own, from the topic's beginning.
 *  @throws when a program fails, or points or committed offsets are missing in any round */
export async function runKafkaScenario(
  scenario: KafkaScenario,
  bench: KafkaBench,
  signal: AbortSignal,
): Promise<[KafkaRow, KafkaRow]> {
  const timed: Record<Program, GroupMeasurement[]> = { ordinary: [], ours: [] }
  for (let round = 0; round <= bench.rounds; round++) {
    const seconds: string[] = []
    for (const program of PROGRAMS) {
      const measured = await runOnce(scenario, program, bench, signal)
      if (round > 0) timed[program].push(measured)
      seconds.push(`${program} ${measured.seconds.toFixed(2)} s`)
    }
    const label = round === 0 ? 'first round, not timed' : `round ${round} of ${bench.rounds}`
    bench.progress(`${scenario.name}, ${label}: ${seconds.join(' · ')}`)
  }
  return [toRow(scenario, 'ordinary', timed.ordinary), toRow(scenario, 'ours', timed.ours)]
}

async function runOnce(
  { partitions, members, latencyMs, messages }: KafkaScenario,
  program: Program,
  { topics, server, programs }: KafkaBench,
  signal: AbortSignal,
): Promise<GroupMeasurement> {
  signal.throwIfAborted()
  const points = messages[program]
  const topic = await topics.filled(points, partitions, signal)
  const group = `bench-${randomUUID()}`
  const folder = mkdtempSync(join(tmpdir(), 'analytics-service-kafka-bench-'))
  try {
    const config = join(folder, 'stream.json')
    writeFileSync(config, configText(server.url, topics.bootstrap, topic, group))
    await server.reset({ latencyMs, countPoints: true })
    const command = [programs[program], 'stream', '--config', config]
    const measured = await measureGroup({ command, members, points }, server, signal)
    await topics.checkRead(topic, group)
    return measured
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function configText(url: string, bootstrap: string, topic: string, group: string): string {
  return JSON.stringify({
    import_url: url,
    client_id: 7,
    api_key: '${API_KEY}',
    kafka: { brokers: bootstrap.split(','), group },
    topics: [{ topic, table: 'orders', keys: ['id'] }],
  })
}

function toRow(scenario: KafkaScenario, program: Program, rounds: readonly GroupMeasurement[]): KafkaRow {
  const middle = (of: (round: GroupMeasurement) => number): number => median(rounds.map(of))
  const messages = scenario.messages[program]
  return {
    scenario: scenario.name,
    program,
    members: scenario.members,
    messages,
    rate: middle(({ seconds }) => messages / seconds),
    steadyRate: middle(({ steadyPoints, steadySeconds }) => steadyPoints / steadySeconds),
    seconds: middle(({ seconds }) => seconds),
    cpuSeconds: middle(({ cpuSeconds }) => cpuSeconds),
    peakRssBytes: middle(({ peakRssBytes }) => peakRssBytes),
    requests: middle(({ stats }) => stats.requests),
    again: middle(({ stats }) => stats.points - messages),
    serverBusy: middle(({ stats, seconds }) => stats.serverCpuSeconds / seconds),
  }
}
