// When offsets are committed while a stream runs: so often, and sooner when much is settled. Knows no partitions.

import type { Clock } from '../../core/types.ts'

/** Settled records that are committed without waiting for the time: a kill while much is caught up with repeats few. */
export const MANY = 1000
/** Between two commits at least, however much is settled; each costs the brokers a write. */
const APART_MS = 100

export interface Committed {
  /** Records settled since the last commit began. */
  readonly uncommitted: number
  /** Commits what is settled, nothing where nothing is. Never throws. */
  commit(): Promise<void>
}

/** One commit after another, until `signal`. */
export async function commitSteadily(
  source: Committed,
  everyMs: number,
  clock: Pick<Clock, 'now' | 'wait'>,
  signal: AbortSignal,
): Promise<void> {
  for (let last = clock.now(); !signal.aborted;) {
    await clock.wait(Math.min(APART_MS, Math.max(1, last + everyMs - clock.now())), signal)
    const now = clock.now()
    if (signal.aborted || (source.uncommitted < MANY && now - last < everyMs)) continue
    last = now
    await source.commit()
  }
}
