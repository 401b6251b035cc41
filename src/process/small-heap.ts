// Keeps V8's heap small. The objects of a run are few and short-lived, so more room gives no speed. V8 does not know that, and by its own
// rules memory depends on how long a run goes on (bench: peak RSS at 5 x the input), and on whether it ever stood still:
// - It doubles the young generation again and again.
// - It shrinks the young generation of a process that idles to a quarter or less. When an outage is over, objects of requests in flight
//   then count as old too soon, and the old generation fills up with garbage (bench: rss-stalled).
// - It lets the old generation grow to several times what is in use before it collects it.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from '../core/types.ts'

/** The young generation may be doubled while it has fewer bytes than this, so it ends between this and twice as much. */
const ENOUGH_BYTES = 5 * 1024 * 1024
/** How often its size is looked at: more often while it may grow, to stop that in time. */
const LOOK_WHILE_SMALL_MS = 25
const LOOK_MS = 250
/** The old generation is collected when it has grown by this many percent (V8: and by 8 MB at least). */
const GROWING_PERCENT = 50

/** Keeps the young generation from growing until `keepHeapSmall` lets it. To be called before a run reads its files: a catalog of
 *  thousands of streams is read in one go, and would take tens of megabytes that are never given back. */
export function holdHeap(): void {
  // V8 reads these flags each time it resizes the heap; a version that does not know one ignores it
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`)
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Keeps the heap small until `signal` aborts: lets the young generation double while it is small, and holds it there. */
export async function keepHeapSmall(clock: Clock, signal: AbortSignal): Promise<void> {
  holdHeap()
  let mayGrow = false
  while (!signal.aborted) {
    const isSmall = youngBytes() < ENOUGH_BYTES
    if (mayGrow !== isSmall) setFlagsFromString(`--semi-space-growth-factor=${isSmall ? 2 : 1}`)
    mayGrow = isSmall
    await clock.wait(isSmall ? LOOK_WHILE_SMALL_MS : LOOK_MS, signal)
  }
}

/** The size of the young generation. `ENOUGH_BYTES` when V8 does not tell it, so that it is not let grow. */
function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? ENOUGH_BYTES
}

/** Makes a function that collects all garbage before it returns, buffers too, in some 10 ms for a small heap. It is for very long lines,
 *  each of which would otherwise stay in memory beside the next for a while. Does nothing where V8 gives no access to its collector. */
export function garbageCollector(): () => void {
  let collect: unknown
  return () => {
    collect ??= exposedCollector()
    // of all its kinds the one that waits until the memory of buffers is given back
    if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }
}

/** Returns V8's own function `gc`, which exists only in a new context while the flag is set. False when there is none. */
function exposedCollector(): unknown {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  return collect ?? false
}
