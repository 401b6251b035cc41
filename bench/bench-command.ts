// What the benches' commands share: options, signals, the scenarios in turn, the end of the report with its exit code. Knows
// no scenario and no bar.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Verdict } from './judge.ts'
import { tableOfVerdicts } from './report.ts'

export interface BenchAbout {
  /** As it is typed. */
  readonly command: string
  /** What `--only` takes. */
  readonly names: readonly string[]
  /** What is sent, in the plural. */
  readonly sent: string
  /** What is asked of a scenario before any bar. */
  readonly complete: string
  /** Measured where no other is named: a file's path. */
  readonly program: string
}

/** One run of a bench: what was asked for and what is told. */
export class BenchCommand {
  readonly quick: boolean
  /** Timed ones; the first, which is thrown away, is not among them. */
  readonly rounds: number
  /** The absolute path of the script to measure. */
  readonly program: string
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal
  readonly #about: BenchAbout
  readonly #only: readonly string[]
  readonly #began = performance.now()

  private constructor(about: BenchAbout, { only, rounds, quick, program }: Asked, signal: AbortSignal) {
    this.#about = about
    this.#only = only
    this.quick = quick
    this.rounds = rounds
    this.program = resolve(program)
    this.signal = signal
  }

  /** Reads the command line. @returns undefined where there is nothing to run: help or what is wrong was told (exit code 2) */
  static open(about: BenchAbout): BenchCommand | undefined {
    const { help, ...asked } = readOptions(about)
    const stop = new AbortController()
    process.once('SIGINT', () => stop.abort(new Error('interrupted')))
    process.once('SIGTERM', () => stop.abort(new Error('terminated')))
    const wrong = help ? helpOf(about) : findWrong(about, asked)
    if (wrong === undefined) return new BenchCommand(about, asked, stop.signal)
    process.stdout.write(wrong)
    process.exitCode = help ? 0 : 2
    return undefined
  }

  wants(name: string): boolean {
    return this.#only.length === 0 || this.#only.includes(name)
  }

  readonly progress = (line: string): void => {
    process.stderr.write(`${line}\n`)
  }

  /** Those that are wanted, in turn; one that cannot be measured is told and its verdict is `broken`.
   *  @throws the signal's reason */
  async run<Scenario extends { readonly name: string }, Row>(
    scenarios: readonly Scenario[],
    measure: (scenario: Scenario) => Promise<readonly [Row, Row]>,
    judge: (scenario: Scenario, rows: readonly [Row, Row]) => readonly Verdict[],
  ): Promise<{ rows: Row[]; verdicts: Verdict[] }> {
    const [rows, verdicts]: [Row[], Verdict[]] = [[], []]
    for (const scenario of scenarios.filter(({ name }) => this.wants(name))) {
      try {
        const both = await measure(scenario)
        rows.push(...both)
        verdicts.push(...judge(scenario, both))
      } catch (error) {
        this.signal.throwIfAborted()
        verdicts.push(this.broken(scenario.name, error))
      }
    }
    return { rows, verdicts }
  }

  /** A scenario that could not be measured counts as a missed bar in any case. */
  broken(scenario: string, error: unknown): Verdict {
    this.progress(`${scenario}: ${error instanceof Error ? error.message : String(error)}`)
    return { scenario, says: this.#about.complete, found: 'see above', bar: 'complete', pass: false, broken: true }
  }

  /** Sets the exit code: 1 when a bar is missed. */
  report(tableOfRows: string, verdicts: readonly Verdict[]): void {
    process.stdout.write(`\n${tableOfRows}\n${tableOfVerdicts(verdicts)}\n`)
    const failed = verdicts.filter((verdict) => (this.quick ? verdict.broken === true : !verdict.pass))
    const met = `${verdicts.length - failed.length} of ${verdicts.length} bars met`
    const judged = this.quick ? 'too quick to judge' : met
    const seconds = ((performance.now() - this.#began) / 1e3).toFixed(0)
    process.stdout.write(`Node ${process.version}, medians of ${this.rounds}, ${judged}, ${seconds} s in all\n`)
    process.exitCode = failed.length === 0 ? 0 : 1
  }
}

interface Asked {
  readonly only: readonly string[]
  readonly rounds: number
  readonly quick: boolean
  readonly program: string
}

function readOptions({ program }: BenchAbout): Asked & { readonly help: boolean } {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      program: { type: 'string', default: program },
      help: { type: 'boolean', default: false },
    },
  })
  return { ...values, rounds: Number(values.rounds ?? (values.quick ? 1 : 5)) }
}

function helpOf({ command, names, sent }: BenchAbout): string {
  return `${command} [options]
  --only NAME      one scenario (repeatable): ${names.join(', ')}
  --rounds N       timed rounds after the first, which is thrown away (default 5)
  --quick          a tenth of the ${sent}, one round: shows that everything runs; missed bars don't count
  --program FILE   measure this script instead of dist/main.js
`
}

function findWrong(about: BenchAbout, { only, rounds, program }: Asked): string | undefined {
  if (!Number.isInteger(rounds) || rounds < 1) return `--rounds takes a whole number from 1 on\n`
  const unknown = only.find((name) => !about.names.includes(name))
  if (unknown !== undefined) return `--only ${unknown}: there is no such scenario\n${helpOf(about)}`
  return existsSync(program) ? undefined : `${program} is not there: npm run build makes dist/main.js\n`
}
