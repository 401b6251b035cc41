// Chance that is the same on every run and machine. Knows no data.

export interface Random {
  /** An integer from 0 to below `limit` (at most 2^32). */
  below(limit: number): number
  pick<T>(items: readonly T[]): T
}

/** mulberry32: small, quick and good enough to mix test data. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  function below(limit: number): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  return { below, pick: (items) => items[below(items.length)]! }
}
