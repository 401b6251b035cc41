// Waits for what other processes bring about. Knows nothing of them.

import { setTimeout as sleep } from 'node:timers/promises'

/** Generous: a limit for what never comes, not for what is slow. */
const PATIENCE_MS = 150_000
const LOOK_MS = 25

/** Asks again and again until it is so.
 *  @param isTrue a throw is a no
 *  @throws with what is told when it never comes true */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  otherwise: () => string,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const from = performance.now()
  let problem = ''
  for (;;) {
    try {
      if (await isTrue()) return
      problem = ''
    } catch (error) {
      problem = `\n${String(error)}`
    }
    if (performance.now() - from > patienceMs) throw new Error(`${otherwise()}${problem}`)
    await sleep(LOOK_MS)
  }
}
