/** A cache of the `most` entries that were used last: `get` and `set` use one. Values are never `undefined`. */
export class Recent<K, V> {
  readonly #most: number
  /** The most recently used is the last. */
  readonly #entries = new Map<K, V>()

  constructor(most: number) {
    this.#most = most
  }

  /** Entries, the most recently used last. */
  entries(): Iterable<readonly [K, V]> {
    return this.#entries
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: K, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > this.#most) this.delete(this.#entries.keys().next().value!)
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }
}
