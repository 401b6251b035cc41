// `npm run bench`: our `write` beside the ordinary destination, measured and judged. Exit code 1 when a bar is missed.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { compareStartup } from './compare-startup.ts'
import { createInputs } from './inputs.ts'
import { judgeRows, judgeScenario, judgeStartup, type Verdict } from './judge.ts'
import { tableOfRows, tableOfVerdicts } from './report.ts'
import type { Row } from './row.ts'
import { runScenario, type Bench } from './run-scenario.ts'
import { SCENARIOS } from './scenarios.ts'
import { startServer } from './start-server.ts'

const HELP = `npm run bench -- [options]
  --only NAME      one scenario (repeatable): ${[...SCENARIOS.map(({ name }) => name), 'spec'].join(', ')}
  --rounds N       timed rounds after the first, which is thrown away (default 5)
  --quick          a tenth of the records, one round: shows that everything runs; missed bars don't count
  --program FILE   measure this script instead of dist/main.js
`
const STARTUP_ROUNDS = 21

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    program: { type: 'string', default: here('../dist/main.js') },
    help: { type: 'boolean', default: false },
  },
})

const stop = new AbortController()
process.once('SIGINT', () => stop.abort(new Error('interrupted')))
process.once('SIGTERM', () => stop.abort(new Error('terminated')))

const wrong = values.help ? HELP : findWrong()
if (wrong === undefined) await main()
else {
  process.stdout.write(wrong)
  process.exitCode = values.help ? 0 : 2
}

async function main(): Promise<void> {
  const began = performance.now()
  using inputs = createInputs(values.quick ? 0.1 : 1)
  await using server = await startServer()
  const [rows, verdicts]: [Row[], Verdict[]] = [[], []]
  const bench: Bench = {
    programs: { ours: resolve(values.program), ordinary: here('ordinary.mjs') },
    inputs,
    server,
    rounds: rounds(),
    progress: (line) => process.stderr.write(`${line}\n`),
  }
  for (const scenario of SCENARIOS.filter(({ name }) => wanted(name))) {
    try {
      const [first, second] = await runScenario(scenario, bench, stop.signal)
      rows.push(first, second)
      verdicts.push(...judgeScenario(scenario, [first, second]))
    } catch (error) {
      stop.signal.throwIfAborted()
      verdicts.push(broken(scenario.name, error))
    }
  }
  verdicts.push(...judgeRows(rows))
  if (wanted('spec')) verdicts.push(startup(bench.programs.ours))
  report(rows, verdicts, (performance.now() - began) / 1e3)
}

function startup(script: string): Verdict {
  try {
    return judgeStartup(compareStartup(script, STARTUP_ROUNDS))
  } catch (error) {
    return broken('spec', error)
  }
}

/** A scenario that could not be measured counts as a missed bar in any case. */
function broken(scenario: string, error: unknown): Verdict {
  process.stderr.write(`${scenario}: ${error instanceof Error ? error.message : String(error)}\n`)
  return {
    scenario,
    says: 'every record and STATE arrives',
    found: 'see above',
    bar: 'complete',
    pass: false,
    broken: true,
  }
}

function report(rows: readonly Row[], verdicts: readonly Verdict[], seconds: number): void {
  process.stdout.write(`\n${tableOfRows(rows)}\n${tableOfVerdicts(verdicts)}\n`)
  const failed = verdicts.filter((verdict) => (values.quick ? verdict.broken === true : !verdict.pass))
  const judged = values.quick
    ? 'too quick to judge'
    : `${verdicts.length - failed.length} of ${verdicts.length} bars met`
  process.stdout.write(`Node ${process.version}, medians of ${rounds()}, ${judged}, ${seconds.toFixed(0)} s in all\n`)
  process.exitCode = failed.length === 0 ? 0 : 1
}

function findWrong(): string | undefined {
  if (!Number.isInteger(rounds()) || rounds() < 1) return `--rounds takes a whole number from 1 on\n`
  const unknown = values.only.find((name) => name !== 'spec' && !SCENARIOS.some((scenario) => scenario.name === name))
  if (unknown !== undefined) return `--only ${unknown}: there is no such scenario\n${HELP}`
  return existsSync(values.program) ? undefined : `${values.program} is not there: npm run build makes dist/main.js\n`
}

function rounds(): number {
  return Number(values.rounds ?? (values.quick ? 1 : 5))
}

function wanted(name: string): boolean {
  return values.only.length === 0 || values.only.includes(name)
}

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}
