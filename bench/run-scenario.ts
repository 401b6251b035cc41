// Runs a scenario's cases in turn, round by round, and takes the medians. Knows no bars.

import { checkOutput } from './check-output.ts'
import type { Inputs } from './inputs.ts'
import { measureProgram, type Measurement } from './measure-program.ts'
import type { Row } from './row.ts'
import type { Case, Scenario } from './scenarios.ts'
import type { ServerStats } from './server-stats.ts'
import type { DoNothingServer } from './start-server.ts'
import { median } from './statistics.ts'

export interface Bench {
  /** The script of each program; it is given `write --config F --catalog F`, and some cases more. */
  readonly programs: Readonly<Record<Row['program'], string>>
  readonly inputs: Inputs
  readonly server: DoNothingServer
  /** Timed rounds, after the one that is thrown away. */
  readonly rounds: number
  readonly progress: (line: string) => void
}

type Round = Pick<Measurement, 'seconds' | 'cpuSeconds' | 'peakRssBytes'> & ServerStats

/**
 * A row for each case. The first round is not timed: the server counts the points in it, which costs time.
 * Throws when a program fails, a STATE is missing or out of order in any round, or fewer points than records arrived.
 */
export async function runScenario(scenario: Scenario, bench: Bench, signal: AbortSignal): Promise<[Row, Row]> {
  const timed = scenario.cases.map((): Round[] => [])
  for (let round = 0; round <= bench.rounds; round++) {
    const seconds: string[] = []
    for (const [index, which] of scenario.cases.entries()) {
      const result = await runOnce(which, round === 0, bench, signal)
      if (round > 0) timed[index]!.push(result)
      seconds.push(`${which.name} ${result.seconds.toFixed(2)} s`)
    }
    const label = round === 0 ? 'first round, not timed' : `round ${round} of ${bench.rounds}`
    bench.progress(`${scenario.name}, ${label}: ${seconds.join(' · ')}`)
  }
  const row = (index: 0 | 1): Row => toRow(scenario, scenario.cases[index], timed[index]!, bench.inputs)
  return [row(0), row(1)]
}

async function runOnce(which: Case, countPoints: boolean, bench: Bench, signal: AbortSignal): Promise<Round> {
  const { inputs, server } = bench
  const input = inputs.messages(which.input)
  const { latencyMs, standStillMs } = which
  await server.reset({ latencyMs, standStillMs, countPoints })
  const files = ['--config', inputs.config(server.url), '--catalog', inputs.catalog(which.mode, which.input)]
  const told =
    which.isTold === true ? ['--summary', inputs.output('summary.json'), '--report', inputs.output('report.html')] : []
  const command = [bench.programs[which.program], 'write', ...files, ...told]
  const measured = await measureProgram(command, input.files, signal)
  const stats = await server.stats()
  const wrong = checkOutput(measured.stdout, input)
  if (wrong !== undefined) throw new Error(wrong)
  if (countPoints && stats.points < input.records)
    throw new Error(`${stats.points} points arrived of ${input.records} records`)
  return { ...measured, ...stats }
}

function toRow(scenario: Scenario, which: Case, rounds: readonly Round[], inputs: Inputs): Row {
  const { records, bytes } = inputs.messages(which.input)
  const middle = (of: (round: Round) => number): number => median(rounds.map(of))
  return {
    scenario: scenario.name,
    name: which.name,
    program: which.program,
    records,
    bytes,
    seconds: middle((round) => round.seconds),
    cpuSeconds: middle((round) => round.cpuSeconds),
    peakRssBytes: middle((round) => round.peakRssBytes),
    requests: middle((round) => round.requests),
    serverBusy: middle((round) => round.serverCpuSeconds / round.seconds),
  }
}
