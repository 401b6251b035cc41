// Finds a Python that PyAirbyte and its sources run on. Knows nothing of what is installed with it.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const NAMES = ['python3', 'python3.12', 'python3.11', 'python3.10']
/** What the packages ask for; an environment needs both modules. */
const PROBE = `
import sys, venv, ensurepip
assert (3, 10) <= sys.version_info < (3, 13)
print(sys.executable)`

export const WANTED_PYTHON = 'Python 3.10, 3.11 or 3.12 with its venv module'

/** @param env PATH @returns the path of the first one that will do; undefined when there is none */
export async function findPython(signal: AbortSignal, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const name of NAMES) {
    try {
      const { stdout } = await promisify(execFile)(name, ['-c', PROBE], { signal, env })
      return stdout.trim()
    } catch {
      signal.throwIfAborted()
    }
  }
  return undefined
}
