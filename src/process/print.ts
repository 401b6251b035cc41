// Prints a result, and tells by the exit code whether it was written.

import type { Ended, Io } from './io.ts'
import { writeFailure } from './output.ts'

type Outputs = Pick<Io, 'stdout' | 'stderr'>

/** A result that could not be written is none.
 *  @returns `code` when everything written has left, or the reader wants no more; else 1, or `stopped`, after a message */
export async function flushed(io: Outputs, code: Ended): Promise<Ended> {
  try {
    await io.stdout.flush()
  } catch (error) {
    const why = writeFailure(error)
    if (why !== 'EPIPE') {
      await io.stderr.write(`Standard output cannot be written: ${why}.\n`).catch(() => {})
      return code === 'stopped' ? code : 1
    }
  }
  return code
}

/** @returns 0, also when the reader wants no more of it; 1 after a message when it could not be written */
export async function print(io: Outputs, text: string): Promise<Ended> {
  // what fails here fails there too
  await io.stdout.write(text).catch(() => {})
  return flushed(io, 0)
}
