// Text that was asked for, to standard output. Knows nothing of what it says.

import type { Ended, Io } from '../../process/io.ts'

type Outputs = Pick<Io, 'stdout' | 'stderr'>

/** @returns 0, also when the reader wants no more of it; 1 after a message when it could not be written */
export async function print(io: Outputs, text: string): Promise<Ended> {
  try {
    await io.stdout.write(text)
    await io.stdout.flush()
    return 0
  } catch (error) {
    return unwritten(io, error, 0)
  }
}

/** @param code what it would be: a reader that wants no more changes nothing
 *  @returns 1, or `stopped` if it was, after a message when standard output is broken otherwise */
export async function unwritten(io: Outputs, error: unknown, code: Ended): Promise<Ended> {
  const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  if (why === 'EPIPE') return code
  await io.stderr.write(`Standard output cannot be written: ${why}.\n`).catch(() => {})
  return code === 'stopped' ? code : 1
}
