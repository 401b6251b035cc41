// What becomes of an end that standard output could not tell: standard error says so. Knows nothing of the run.

import { unwritten } from '../help/print.ts'
import type { Ended, Io } from '../../process/io.ts'

/** Waits until everything written has left.
 *  @returns `ended`, or 1 after a message when standard output failed otherwise than by a reader that left */
export async function told(io: Pick<Io, 'stdout' | 'stderr'>, ended: Ended): Promise<Ended> {
  try {
    await io.stdout.flush()
    return ended
  } catch (error) {
    return unwritten(io, error, ended)
  }
}

/** As `told`, of a run that ends when nobody can read its log: it says that nothing is lost. */
export async function toldOfRun(io: Pick<Io, 'stdout' | 'stderr' | 'toldToStop'>, ended: Ended): Promise<Ended> {
  const code = await told(io, ended)
  if (code !== 'stopped' || io.toldToStop?.aborted !== false) return code
  const words = 'stream has stopped, for nobody can read its log any more: standard output is closed, or full.'
  await io.stderr.write(`${words} What was settled is committed.\n`).catch(() => {})
  return code
}
