// A group of tests that is no Vitest run: situations, tried by a program of its own, which prints a line for each and the counts at
// the end. What went wrong beside any of them counts as a situation that failed.

import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { Results, TestResult } from './results.ts'

/** This machine lacks something, so the situation counts as skipped; the message says what. */
export class CanNotTry extends Error {}

export class Attempts {
  readonly #from = performance.now()
  readonly #tried: TestResult[] = []
  /** Aborted when the program is asked to end. */
  readonly signal: AbortSignal

  constructor() {
    const stopped = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())
    this.signal = stopped.signal
  }

  /** How many were tried to the end. */
  get count(): number {
    return this.#tried.length
  }

  /** Does `work` and prints what came of it. @returns its result; `undefined` when it failed or could not be tried */
  async try<T>(title: string, work: () => Promise<T>): Promise<{ readonly value: T } | undefined> {
    const since = performance.now()
    try {
      const value = await work()
      this.#tried.push({ status: 'passed', fullName: title })
      console.log(`ok      ${title} (${seconds(since)})`)
      return { value }
    } catch (error) {
      if (error instanceof CanNotTry) console.log(`skipped ${title}: ${error.message}`)
      else this.failed(title, error, ` (${seconds(since)})`)
      return undefined
    }
  }

  failed(title: string, error: unknown, more = ''): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    this.#tried.push({ status: 'failed', fullName: title, failureMessages: [text] })
    console.log(`not ok  ${title}${more}\n${text}`)
  }

  /** Prints the sum as the last line, writes the results where `--outputFile.json` says, if it does (other options are not looked
   *  at), and sets the exit code. @param program its path @param total of situations: those not tried count as skipped
   *  @param reason why none was tried, if so */
  async end(program: string, total: number, reason?: string): Promise<void> {
    const skipped = Array.from({ length: total - this.count }, (): TestResult => {
      return { status: 'skipped', fullName: 'not tried' }
    })
    const failed = this.#tried.filter(({ status }) => status === 'failed').length
    const { values } = parseArgs({ options: { 'outputFile.json': { type: 'string' } }, strict: false })
    const file = values['outputFile.json']
    const [status, assertionResults] = [failed > 0 ? 'failed' : 'passed', [...this.#tried, ...skipped]] as const
    const results: Results = { testResults: [{ name: program, status, message: '', assertionResults }] }
    if (typeof file === 'string') await writeFile(file, JSON.stringify(results))
    const sum = `${this.count - failed} passed, ${failed} failed, ${skipped.length} skipped`
    console.log(reason === undefined ? `        ${seconds(this.#from)}\n${sum}` : `skipped: ${reason}: ${sum}`)
    if (failed > 0 || this.signal.aborted) process.exitCode = 1
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`
}
