// `npm run bench`: our `write` beside the ordinary destination, measured and judged. Exit code 1 when a bar is missed.

import { fileURLToPath } from 'node:url'
import { BenchCommand } from './bench-command.ts'
import { compareStartup } from './compare-startup.ts'
import { createInputs } from './inputs.ts'
import { judgeRows, judgeScenario, judgeStartup, type Verdict } from './judge.ts'
import { tableOfRows } from './report.ts'
import { runScenario, type Bench } from './run-scenario.ts'
import { SCENARIOS } from './scenarios.ts'
import { startServer } from './start-server.ts'

const STARTUP_ROUNDS = 21

const command = BenchCommand.open({
  command: 'npm run bench --',
  names: [...SCENARIOS.map(({ name }) => name), 'spec'],
  sent: 'records',
  complete: 'every record and STATE arrives',
  program: here('../dist/main.js'),
})
if (command) await main(command)

async function main(command: BenchCommand): Promise<void> {
  const { program, rounds, progress, signal } = command
  using inputs = createInputs(command.quick ? 0.1 : 1)
  await using server = await startServer()
  const bench: Bench = {
    programs: { ours: program, ordinary: here('ordinary.mjs') },
    inputs,
    server,
    rounds,
    progress,
  }
  const { rows, verdicts } = await command.run(SCENARIOS, (it) => runScenario(it, bench, signal), judgeScenario)
  verdicts.push(...judgeRows(rows))
  if (command.wants('spec')) verdicts.push(startup(command))
  command.report(tableOfRows(rows), verdicts)
}

function startup(command: BenchCommand): Verdict {
  try {
    return judgeStartup(compareStartup(command.program, STARTUP_ROUNDS))
  } catch (error) {
    return command.broken('spec', error)
  }
}

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}
