// Tells what the end of a run waits for, when it takes long. Knows no figures.

import type { Clock } from '../core/types.ts'
import type { WriteProgress } from '../telemetry/write-progress.ts'
import type { Say } from '../process/say.ts'

const TICK_MS = 1000
const SILENT_MS = 2000
const EVERY_MS = 10_000

/** A line when the run reads no more for 2 s, and again every 10 s, until `signal`: none is begun after that. While one has not
 *  left, none is added. Never throws. */
export async function tellEnding(
  progress: Pick<WriteProgress, 'ending'>,
  say: Say,
  clock: Pick<Clock, 'now' | 'wait'>,
  signal: AbortSignal,
): Promise<void> {
  let since: number | undefined
  let told = -Infinity
  for (;;) {
    await clock.wait(TICK_MS, signal)
    if (signal.aborted) return
    const now = clock.now()
    const line = progress.ending(now)
    if (line === undefined) continue
    since ??= now
    if (now - since < SILENT_MS || now - told < EVERY_MS) continue
    told = now
    await say('INFO', line).catch(() => {})
  }
}
