// Which planted faults the worlds catch by themselves, and why they miss the others.

import { explore } from './explore.ts'
import type { Found, Task } from './explore.ts'
import { worlds } from './worlds.ts'

/** Why no world catches them. */
export const MISSED: Readonly<Record<string, string>> = {}

/** From a few histories of each world to all within its small bounds.
 *  @param directory of the engine's copy */
export async function catchByWorlds(
  directory: string,
): Promise<{ readonly found: Found | undefined; readonly histories: number }> {
  let histories = 0
  const found = await explore(
    [...tasks(1, 2), ...tasks(1, 3), ...tasks(0)],
    { workers: 1, directory },
    (_, explored) => {
      histories += explored.histories
    },
  )
  return { found, histories }
}

/** @param more departures than within the small bounds */
function tasks(more: number, chunks = Infinity): Task[] {
  return worlds.map(({ name, most }) => ({ world: name, most: Math.min(most[0] + more, most[1]), chunks }))
}
