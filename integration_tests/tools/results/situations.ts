// The results of a group that is no Vitest run: a list of situations, tried by a program of its own.

import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { Results, TestResult } from './results.ts'

export interface Tried {
  readonly title: string
  /** Why it failed, if so. */
  readonly error?: unknown
}

/** Writes them where `--outputFile.json` says, if it does; other options are not looked at.
 *  @param program its path @param total of situations: those not tried count as skipped */
export async function writeResults(program: string, tried: readonly Tried[], total: number): Promise<void> {
  const { values } = parseArgs({ options: { 'outputFile.json': { type: 'string' } }, strict: false })
  const file = values['outputFile.json']
  if (typeof file === 'string') await writeFile(file, JSON.stringify(resultsOf(program, tried, total)))
}

export function resultsOf(name: string, tried: readonly Tried[], total: number): Results {
  const ran = tried.map(({ title, error }): TestResult => {
    if (error === undefined) return { status: 'passed', fullName: title }
    return { status: 'failed', fullName: title, failureMessages: [textOf(error)] }
  })
  const missing = Math.max(0, total - tried.length)
  const skipped = Array.from({ length: missing }, (): TestResult => ({ status: 'skipped', fullName: 'not tried' }))
  const status = tried.some(({ error }) => error !== undefined) ? 'failed' : 'passed'
  return { testResults: [{ name, status, message: '', assertionResults: [...ran, ...skipped] }] }
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
