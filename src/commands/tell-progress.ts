// Tells how a run comes along, now and then. Knows no figures.

import type { Clock } from '../core/types.ts'
import type { WriteProgress } from '../telemetry/write-progress.ts'
import type { Say } from '../process/say.ts'

const EVERY_MS = 60_000

/** A line a minute, until `signal`: none is begun after that. While one has not left, none is added. Never throws. */
export async function tellProgress(
  progress: Pick<WriteProgress, 'line'>,
  say: Say,
  clock: Pick<Clock, 'now' | 'wait'>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.wait(EVERY_MS, signal)
    if (signal.aborted) return
    await say('INFO', progress.line(clock.now())).catch(() => {})
  }
}
