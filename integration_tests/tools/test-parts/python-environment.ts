// A part that is a Python environment with exactly the packages of a requirements file, and no code run to build any.

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPython, WANTED_PYTHON } from './find-python.ts'
import type { Part } from './part.ts'

const run = promisify(execFile)

/** @param requirements a file that pins every package with its digests, the ones they need included @param env PATH and pip's */
export function pythonEnvironment(name: string, requirements: URL, env: NodeJS.ProcessEnv = process.env): Part {
  return {
    name,
    recipe: () => readFile(requirements, 'utf8'),
    obstacle: async (signal) =>
      (await findPython(signal, env)) === undefined ? `it needs ${WANTED_PYTHON}, and there is none` : undefined,
    async make(folder, signal) {
      const python = (await findPython(signal, env))!
      const inside = join(folder, 'bin', 'python')
      const pip = ['-m', 'pip', '--quiet', '--no-input', '--disable-pip-version-check']
      const pinned = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '--requirement', requirements.pathname]
      await said(run(python, ['-m', 'venv', folder], { signal, env }))
      await said(run(inside, [...pip, 'install', ...pinned], { signal, env }))
      // that nothing is missing from the file
      await said(run(inside, [...pip, 'check'], { signal, env }))
    },
    works: (folder) =>
      run(join(folder, 'bin', 'python'), ['-c', '']).then(
        () => true,
        () => false,
      ),
  }
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
