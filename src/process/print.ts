// Prints a result, and tells by the exit code whether it was written.

import { codeOf, ConnectorError } from '../core/errors.ts'
import { fileFault } from '../files/file-faults.ts'
import type { Ended, Io } from './io.ts'
import { withCode } from './paint.ts'

type Outputs = Pick<Io, 'stdout' | 'stderr'>

/** A sentence that says why standard output cannot be written.
 *  @param code of the system: ENOSPC */
export function unwritten(code: string): string {
  const words = fileFault(Object.assign(new Error(code), { code }), 'write')
  return `Standard output cannot be written: ${code}${words === undefined ? '' : `, ${words}`}.`
}

/** Makes the error of a run whose standard output is broken. `undefined` when it is not, or its reader has left: a stop. */
export function unwritable(cause: Error | undefined): ConnectorError | undefined {
  if (cause === undefined) return undefined
  const why = codeOf(cause)
  return why === 'EPIPE' ? undefined : new ConnectorError('config', 'output.unwritable', unwritten(why), { cause })
}

/** Waits until a result has left: one that could not be written is none.
 *  @returns `code` when everything written has left, or the reader wants no more; else 1, or `stopped`, after a message */
export async function flushed(io: Outputs, code: Ended): Promise<Ended> {
  try {
    await io.stdout.flush()
  } catch (error) {
    const why = codeOf(error)
    if (why !== 'EPIPE') {
      await io.stderr.write(`${withCode(unwritten(why), 'output.unwritable')}\n`).catch(() => {})
      return code === 'stopped' ? code : 1
    }
  }
  return code
}

/** Prints a result.
 *  @returns 0, also when the reader wants no more of it; 1 after a message when it could not be written */
export async function print(io: Outputs, text: string): Promise<Ended> {
  // what fails here fails there too
  await io.stdout.write(text).catch(() => {})
  return flushed(io, 0)
}
