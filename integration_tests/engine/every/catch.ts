// Which planted faults the worlds catch by themselves, and why they miss the others.

import { explore } from './explore.ts'
import type { Found } from './explore.ts'
import { worlds } from './worlds.ts'

/** Why no world catches them. */
export const MISSED: Readonly<Record<string, string>> = {}

/** The plainest histories of all worlds first, then all within the small bounds.
 *  @param directory of the engine's copy */
export async function catchByWorlds(
  directory: string,
): Promise<{ readonly found: Found | undefined; readonly histories: number }> {
  const plain = worlds.map(({ name }) => ({ world: name, most: 0 }))
  const small = worlds.filter(({ most }) => most[0] > 0).map(({ name, most }) => ({ world: name, most: most[0] }))
  let histories = 0
  const found = await explore([...plain, ...small], { workers: 1, directory }, (_, explored) => {
    histories += explored.histories
  })
  return { found, histories }
}
