// `serve`: the local Analytics Service until it is told to end. Decides what becomes of its options; knows no argv and no
// process.

import { seededRandom } from '../../local-service/seeded-random.ts'
import { startLocalService } from '../../local-service/start.ts'
import { greeting } from './serve-greeting.ts'
import type { ServeValues } from './serve-options.ts'

export interface ServeIo {
  /** To stdout. */
  write(text: string): void | Promise<void>
  /** From 0 to below 1: what chance begins with when no seed is given. */
  random(): number
  /** Is the output a terminal: then headings are bold. */
  readonly isTty: boolean
  /** Of the terminal; undefined: it is none, and no line is broken. */
  readonly columns?: number | undefined
}

/** Serves until `signal` aborts, then closes every connection and answers the exit code 0. Throws a ConnectorError
 *  (config) when a file is wrong or the address cannot be had; nothing is printed before it listens. */
export async function serve(values: ServeValues, io: ServeIo, signal: AbortSignal): Promise<number> {
  const { seed = Math.floor(io.random() * 2 ** 32), ...wanted } = values
  try {
    await using service = await startLocalService({ ...wanted, random: seededRandom(seed), signal })
    await io.write(greeting(service, values, seed, io))
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  } catch (error) {
    // It was told to end while it was loading.
    if (!(signal.aborted && error instanceof Error && error.name === 'AbortError')) throw error
  }
  return 0
}
