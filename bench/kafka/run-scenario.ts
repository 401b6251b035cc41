// Runs both programs on a scenario in turn, round by round, and takes the medians. Knows no bars.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DoNothingServer } from '../start-server.ts'
import { median } from '../statistics.ts'
import type { BenchTopics } from './bench-topics.ts'
import type { KafkaRow } from './kafka-row.ts'
import { KINDS } from './message.ts'
import { measureGroup, type GroupMeasurement } from './measure-group.ts'
import type { KafkaScenario, Program } from './scenarios.ts'

export interface KafkaBench {
  /** The script of each; it is given `stream --config F`. */
  readonly programs: Readonly<Record<'ordinary' | 'ours', string>>
  readonly topics: BenchTopics
  readonly server: DoNothingServer
  /** Timed rounds, after the one that is thrown away. */
  readonly rounds: number
  readonly progress: (line: string) => void
}

/** A row for each program. Every round is read by a group of its own, from the topic's beginning.
 *  @throws when a program fails, or points or committed offsets are missing in any round */
export async function runKafkaScenario(
  scenario: KafkaScenario,
  bench: KafkaBench,
  signal: AbortSignal,
): Promise<[KafkaRow, KafkaRow]> {
  const { beside } = scenario
  const timed: Record<Program, GroupMeasurement[]> = { ordinary: [], unrouted: [], ours: [] }
  for (let round = 0; round <= bench.rounds; round++) {
    const seconds: string[] = []
    for (const program of [beside, 'ours'] as const) {
      const measured = await runOnce(scenario, program, bench, signal)
      if (round > 0) timed[program].push(measured)
      seconds.push(`${program} ${measured.seconds.toFixed(2)} s`)
    }
    const label = round === 0 ? 'first round, not timed' : `round ${round} of ${bench.rounds}`
    bench.progress(`${scenario.name}, ${label}: ${seconds.join(' · ')}`)
  }
  return [toRow(scenario, beside, timed[beside]), toRow(scenario, 'ours', timed.ours)]
}

async function runOnce(
  scenario: KafkaScenario,
  program: Program,
  { topics, server, programs }: KafkaBench,
  signal: AbortSignal,
): Promise<GroupMeasurement> {
  signal.throwIfAborted()
  const { partitions, members, latencyMs } = scenario
  const points = messagesOf(scenario, program)
  const topic = await topics.filled(points, partitions, signal)
  const group = `bench-${randomUUID()}`
  const folder = mkdtempSync(join(tmpdir(), 'analytics-service-kafka-bench-'))
  try {
    const config = join(folder, 'stream.json')
    writeFileSync(config, configText(server.url, topics.bootstrap, { topic, ...destination(scenario, program) }, group))
    await server.reset({ latencyMs, countPoints: true })
    const command = [programs[program === 'ordinary' ? program : 'ours'], 'stream', '--config', config]
    const measured = await measureGroup({ command, members, points }, server, signal)
    await topics.checkRead(topic, group)
    return measured
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function configText(url: string, bootstrap: string, entry: object, group: string): string {
  return JSON.stringify({
    import_url: url,
    client_id: 7,
    api_key: '${API_KEY}',
    kafka: { brokers: bootstrap.split(','), group },
    topics: [{ ...entry, keys: ['id'] }],
  })
}

function messagesOf({ messages }: KafkaScenario, program: Program): number {
  return messages[program === 'ours' ? 'ours' : 'beside']
}

/** Options of the topic's entry. */
function destination({ tables = 1 }: KafkaScenario, program: Program): object {
  if (program !== 'ours' || tables === 1) return { table: 'orders' }
  const kinds = Array.from({ length: KINDS }, (_, kind) => [`k${kind}`, { table: `orders_${kind % tables}` }])
  return { route: { by: { field: 'kind' }, tables: Object.fromEntries(kinds) } }
}

function toRow(scenario: KafkaScenario, program: Program, rounds: readonly GroupMeasurement[]): KafkaRow {
  const middle = (of: (round: GroupMeasurement) => number): number => median(rounds.map(of))
  const messages = messagesOf(scenario, program)
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
