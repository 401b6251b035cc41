// A queue whose both ends cost the same however long it is.

const KEEP = 1024

/** First in, first out; amortised constant time at both ends. */
export class Fifo<T> {
  #items: (T | undefined)[] = []
  #from = 0

  get length(): number {
    return this.#items.length - this.#from
  }

  push(item: T): void {
    this.#items.push(item)
  }

  peek(): T | undefined {
    return this.#items[this.#from]
  }

  shift(): T | undefined {
    const item = this.#items[this.#from]
    if (item === undefined) return undefined
    // held no longer: what was taken may be megabytes
    this.#items[this.#from++] = undefined
    if (this.#from === this.#items.length) {
      this.#items = []
      this.#from = 0
    } else if (this.#from >= KEEP && this.#from * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#from)
      this.#from = 0
    }
    return item
  }

  /** The matching ones, in order; they stay. */
  filter(matches: (item: T) => boolean): T[] {
    return (this.#items.slice(this.#from) as T[]).filter(matches)
  }

  /** Takes one out, wherever it is. */
  remove(item: T): void {
    const index = this.#items.indexOf(item, this.#from)
    if (index >= 0) this.#items.splice(index, 1)
  }
}
