// A part that is a Python environment with exactly the packages of a requirements file, and no code run to build any.

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Part } from './part.ts'

const run = promisify(execFile)

const NAMES = ['python3', 'python3.12', 'python3.11', 'python3.10']
/** What the packages ask for; an environment needs both modules. */
const PROBE = `
import sys, venv, ensurepip
assert (3, 10) <= sys.version_info < (3, 13)
print(sys.executable)`

/** @param requirements a file that pins every package with its digests, the ones they need included */
export function pythonEnvironment(name: string, requirements: URL): Part {
  return {
    name,
    recipe: () => readFile(requirements, 'utf8'),
    obstacle: async (signal) =>
      (await findPython(signal)) === undefined
        ? 'it needs Python 3.10, 3.11 or 3.12 with its venv module, and there is none'
        : undefined,
    async make(folder, signal) {
      const python = (await findPython(signal))!
      const inside = join(folder, 'bin', 'python')
      const pip = ['-m', 'pip', '--quiet', '--no-input', '--disable-pip-version-check']
      const pinned = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '--requirement', requirements.pathname]
      await said(run(python, ['-m', 'venv', folder], { signal }))
      await said(run(inside, [...pip, 'install', ...pinned], { signal }))
      // that nothing is missing from the file
      await said(run(inside, [...pip, 'check'], { signal }))
    },
    works: (folder) =>
      run(join(folder, 'bin', 'python'), ['-c', '']).then(
        () => true,
        () => false,
      ),
  }
}

/** @returns the path of the first Python that will do; `undefined` when there is none */
async function findPython(signal: AbortSignal): Promise<string | undefined> {
  for (const name of NAMES) {
    try {
      return (await run(name, ['-c', PROBE], { signal })).stdout.trim()
    } catch {
      signal.throwIfAborted()
    }
  }
  return undefined
}

/** The end of what a failed command said, instead of its whole command line. */
async function said(running: Promise<unknown>): Promise<void> {
  try {
    await running
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
    const words = `${stdout}${stderr}`.trim().split('\n').slice(-5).join('\n')
    throw new Error(words === '' ? message : words, { cause: error })
  }
}
