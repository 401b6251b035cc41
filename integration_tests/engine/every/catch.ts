// Which planted faults the worlds catch by themselves, and why they miss the others.

import { explore } from './explore.ts'
import type { Found } from './explore.ts'
import { worlds } from './worlds.ts'

const FIXED = 'permits are fixed in the worlds, and their rate is unlimited'
const FEW = 'it takes more requests at once than a small world has'

/** Why no world catches them: they are not tried. */
export const MISSED: Readonly<Record<string, string>> = {
  'the ceiling is forgotten': FIXED,
  'the rate is made up for': FIXED,
  'a learnt rate falls to nothing': FIXED,
  'what hangs holds up the rest': FIXED,
  'probes come ever further apart': FIXED,
  'full bodies wait without a timer': FIXED,
  'what is too large of a quarantined table is halved as if nothing were': FEW,
  'a table of rejects goes on as if nothing were': FEW,
  'many small bodies linger longer than a record may': FEW,
}

/** Departures and chunks at most, of all worlds: what is soon played comes first. */
const PASSES = [
  [0, 3],
  [1, 2],
  [1, 3],
  [2, 2],
  [3, 2],
] as const

/** All within the worlds' small bounds, and the passes before.
 *  @param directory of the engine's copy */
export async function catchByWorlds(
  directory: string,
): Promise<{ readonly found: Found | undefined; readonly histories: number }> {
  const early = PASSES.flatMap(([most, chunks]) =>
    worlds.map((world) => ({ world: world.name, most: Math.min(most, world.most[1]), chunks })),
  )
  const small = worlds.map(({ name, most }) => ({ world: name, most: most[0] }))
  let histories = 0
  const found = await explore([...early, ...small], { workers: 1, directory }, (_, explored) => {
    histories += explored.histories
  })
  return { found, histories }
}
