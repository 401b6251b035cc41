// A copy of the checkout in which faults are planted one after another, and the unit and spec tests that run there. Its packages
// are links, but what Vitest keeps beside them is the copy's own.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { failedFiles, failuresOf, type Results } from '../tools/results/results.ts'

export type Verdict =
  | { readonly how: 'caught'; readonly file: string; readonly test: string }
  | { readonly how: 'timed out' | 'not caught' | 'not imported' }

/** Of a folder that is somebody else's to remove. */
export class PlantedTree {
  readonly #folder: string
  readonly #root: string
  readonly #signal: AbortSignal
  /** Of tests that fail without any fault. */
  #leftOut: readonly string[] = []

  /** @param folder empty
   *  @param files what is copied, from the root */
  static async grow(root: string, folder: string, files: readonly string[], signal: AbortSignal): Promise<PlantedTree> {
    const tree = new PlantedTree(folder, signal)
    await Promise.all([tree.#root, join(folder, 'tmp')].map((path) => mkdir(path)))
    for (const file of files) await cp(join(root, file), join(tree.#root, file), { verbatimSymlinks: true })
    await mkdir(join(tree.#root, 'node_modules'))
    const packages = (await readdir(join(root, 'node_modules'))).filter((name) => !name.startsWith('.vite'))
    for (const name of packages) await symlink(join(root, 'node_modules', name), join(tree.#root, 'node_modules', name))
    return tree
  }

  private constructor(folder: string, signal: AbortSignal) {
    this.#folder = folder
    this.#root = join(folder, 'tree')
    this.#signal = signal
  }

  /** Without any fault. Whatever fails is left out from now on, for it would catch every fault.
   *  @returns files of tests that failed, from the root
   *  @throws when Vitest itself does not run */
  async prove(files: readonly string[]): Promise<readonly string[]> {
    const results = await this.#test(['related', '--run', ...files], this.#signal)
    this.#leftOut = failedFiles(results).map(({ name }) => relative(this.#root, name))
    return this.#leftOut
  }

  /** The file is as it was afterwards. @param limitMs for the tests; what takes longer counts as caught */
  async judge(file: string, planted: string, limitMs: number): Promise<Verdict> {
    const path = join(this.#root, file)
    const source = await readFile(path, 'utf8')
    const limit = AbortSignal.timeout(limitMs)
    try {
      await writeFile(path, planted)
      // the tests beside a file find most of its faults, and are quick
      const beside = await this.#testsBeside(file)
      const commands = [...(beside.length > 0 ? [['run', ...beside]] : []), ['related', '--run', file]]
      let count = 0
      for (const command of commands) {
        const { testResults } = await this.#test([...command, '--bail=1'], AbortSignal.any([limit, this.#signal]))
        count += testResults.length
        const failedOnes = failedFiles({ testResults })
        // what was cut short by the first failure counts as failed too, without saying what of it
        const failed = failedOnes.find(({ assertionResults }) => assertionResults.some(isFailed)) ?? failedOnes[0]
        if (failed) return { how: 'caught', file: relative(this.#root, failed.name), test: failuresOf(failed)[0]! }
      }
      return { how: count === 0 ? 'not imported' : 'not caught' }
    } catch (error) {
      if (this.#signal.aborted || !limit.aborted) throw error
      return { how: 'timed out' }
    } finally {
      await writeFile(path, source)
    }
  }

  async #testsBeside(file: string): Promise<string[]> {
    const start = basename(file, 'ts')
    const names = (await readdir(join(this.#root, dirname(file)))).filter((name) => name.startsWith(start))
    const tests = names.filter((name) => name.endsWith('.test.ts')).map((name) => `${dirname(file)}/${name}`)
    return tests.filter((name) => !this.#leftOut.includes(name))
  }

  /** @throws the signal's reason, after everything that was started is gone; or what Vitest said when it has no results */
  async #test(command: readonly string[], signal: AbortSignal): Promise<Results> {
    signal.throwIfAborted()
    const output = join(this.#folder, 'results.json')
    await rm(output, { force: true })
    const options = ['--project=unit', '--project=spec', '--passWithNoTests']
    const leftOut = this.#leftOut.map((file) => `--exclude=${file}`)
    const reporter = ['--reporter=json', `--outputFile=${output}`]
    const vitest = join(this.#root, 'node_modules/vitest/vitest.mjs')
    const child = spawn(process.execPath, [vitest, ...command, ...options, ...leftOut, ...reporter], {
      cwd: this.#root,
      env: { ...process.env, TMPDIR: join(this.#folder, 'tmp'), NO_COLOR: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
      // a group of its own: so processes of tests go too, and a fault cannot end us
      detached: true,
    })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4096)))
    const kill = (): void => killGroup(child.pid)
    signal.addEventListener('abort', kill, { once: true })
    await once(child, 'exit')
    signal.removeEventListener('abort', kill)
    kill()
    signal.throwIfAborted()
    try {
      return JSON.parse(await readFile(output, 'utf8')) as Results
    } catch {
      throw new Error(`Vitest wrote no results.\n${said}`)
    }
  }
}

function isFailed({ status }: { readonly status: string }): boolean {
  return status === 'failed'
}

/** What tests left behind, too. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // none is left
  }
}
