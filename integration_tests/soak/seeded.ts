// Chance for one part of a soak, from the soak's seed and the part's number: parts do not disturb each other's.

import { Random } from '../engine/random.ts'

/** Chance of its own for something that takes as much of it as time allows. */
export function forked(random: Random): Random {
  return new Random(random.below(2 ** 32))
}

export function seeded(seed: number, ...parts: readonly number[]): Random {
  const mixed = parts.reduce((state, part) => Math.imul(state ^ (part + 1), 0x85ebca6b) ^ (state >>> 13), seed + 1)
  return new Random(Math.imul(mixed, 0x9e3779b1))
}
