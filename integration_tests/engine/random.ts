// A seeded source of chance, so that a history plays the same way twice. Knows nothing of what is drawn.

export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** [0, 1) in all 53 bits: sums of coarser fractions would not round. */
  next(): number {
    return ((this.#word() >>> 5) * 67_108_864 + (this.#word() >>> 6)) / 9_007_199_254_740_992
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low)
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  /** One of the names, as often as its weight says. */
  pick<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K {
    const entries = Object.entries(weights) as [K, number][]
    let rest = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) if ((rest -= weight) < 0) return name
    return entries[0]![0]
  }

  /** mulberry32 */
  #word(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return mixed ^ (mixed >>> 14)
  }
}
