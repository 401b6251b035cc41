// Runs a group of tests by its command, and once more, by itself, each file that failed. Knows no group.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { failedFiles, failuresOf, latest, withErrors, type Flaky, type OtherError, type Results } from './results.ts'

const ERRORS_REPORTER = fileURLToPath(new URL('errors-reporter.ts', import.meta.url))

/** What a failed file is run by: the command with its path, or the whole command again. */
export type Again = 'by file' | 'whole'

export interface GroupRun {
  readonly ok: boolean
  /** Of each file its last; undefined when the command wrote none. */
  readonly results: Results | undefined
  readonly flaky: readonly Flaky[]
}

export interface GroupOptions {
  /** Takes options of Vitest and paths behind it. */
  readonly command: readonly string[]
  /** Paths that choose some of its files; all when absent. */
  readonly only?: readonly string[]
  /** Absent when what failed is not to be run again. */
  readonly again?: Again
  /** Of the checkout, where the command is run. */
  readonly root: string
  /** Gets a line for a person. */
  readonly say: (line: string) => void
  /** Ends what runs. */
  readonly signal: AbortSignal
}

/** What the command says is seen at once. */
export async function runGroup({ command, only = [], again, root, say, signal }: GroupOptions): Promise<GroupRun> {
  const first = await runOnce([...command, ...only], root, signal)
  const failed = first.results === undefined ? [] : failedFiles(first.results)
  // an error of no file, or a fault of the command itself: nothing says that it would not come again
  const isMore = first.errors.some(({ file }) => file === undefined) || failed.length === 0
  if (first.ok || again === undefined || isMore) return { ok: first.ok, results: first.results, flaky: [] }
  let [ok, results] = [true, first.results!]
  const flaky: Flaky[] = []
  for (const file of failed) {
    if (signal.aborted) return { ok: false, results, flaky }
    const path = relative(root, file.name)
    say(`── once more, by itself: ${path}`)
    const second = await runOnce(again === 'whole' ? command : [...command, path], root, signal)
    if (second.results !== undefined) results = latest(results, second.results)
    if (second.ok && second.results !== undefined) flaky.push({ name: path, failed: failuresOf(file) })
    else ok = false
  }
  return { ok, results, flaky }
}

interface Once {
  readonly ok: boolean
  readonly results: Results | undefined
  readonly errors: readonly OtherError[]
}

async function runOnce([program, ...args]: readonly string[], cwd: string, signal: AbortSignal): Promise<Once> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'results-'))
  const [json, other] = [join(folder.path, 'results.json'), join(folder.path, 'errors.json')]
  const reporters = ['default', 'json', ERRORS_REPORTER].map((name) => `--reporter=${name}`)
  const child = spawn(program!, [...args, ...reporters, `--outputFile.json=${json}`], {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, RESULTS_ERRORS: other },
  })
  const stop = (): boolean => child.kill()
  signal.addEventListener('abort', stop)
  const [code] = (await once(child, 'close')) as [number | null]
  signal.removeEventListener('abort', stop)
  const results = await read<Results>(json)
  const errors = (await read<OtherError[]>(other)) ?? []
  return { ok: code === 0, results: results?.testResults && withErrors(results, errors), errors }
}

async function read<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T
  } catch {
    return undefined
  }
}
