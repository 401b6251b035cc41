// Prints the result of a command on standard output, and tells by the exit code whether it could be written.

import { codeOf, ConnectorError } from '../core/errors.ts'
import { fileFault } from '../files/file-faults.ts'
import type { Ended, Io } from './io.ts'
import { withCode } from './paint.ts'

type Outputs = Pick<Io, 'stdout' | 'stderr'>

/** A sentence that says why standard output cannot be written. @param code the system's, such as ENOSPC */
export function brokenOutputText(code: string): string {
  const words = fileFault(Object.assign(new Error(code), { code }), 'write')
  return `Standard output cannot be written: ${code}${words === undefined ? '' : `, ${words}`}.`
}

/** Makes the error of a run whose standard output failed. `undefined` when it did not, or only its reader has left, which is a stop. */
export function brokenOutputError(failure: Error | undefined): ConnectorError | undefined {
  if (failure === undefined) return undefined
  const why = codeOf(failure)
  if (why === 'EPIPE') return undefined
  return new ConnectorError('config', 'output.unwritable', brokenOutputText(why), { cause: failure })
}

/** Waits until the result of a command has left. If it could not be written, says so on standard error.
 *  @param code that of the command
 *  @returns `code` when everything has left, or the reader wants no more, or it is `stopped`; else 1 */
export async function flushed(io: Outputs, code: Ended): Promise<Ended> {
  try {
    await io.stdout.flush()
    return code
  } catch (error) {
    const why = codeOf(error)
    if (why === 'EPIPE') return code
    await io.stderr.write(`${withCode(brokenOutputText(why), 'output.unwritable')}\n`).catch(() => {})
    return code === 'stopped' ? code : 1
  }
}

/** Prints a result. @returns 0, also when the reader wants no more of it; 1 after a message when it could not be written */
export async function print(io: Outputs, text: string): Promise<Ended> {
  // `flushed` meets the same failure, and reports it
  await io.stdout.write(text).catch(() => {})
  return flushed(io, 0)
}
