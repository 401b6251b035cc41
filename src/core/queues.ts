// Two queues: first in, first out (`Fifo`), and by time (`Timed`).

/** Empty places at the beginning before the array is shortened. */
const KEEP = 1024

/** First in, first out, in amortised constant time at both ends. */
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
    // no reference may stay: an item may hold megabytes
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

  /** The matching items in order, without taking them. */
  filter(matches: (item: T) => boolean): T[] {
    return (this.#items.slice(this.#from) as T[]).filter(matches)
  }

  /** Removes an item, wherever it stands. */
  remove(item: T): void {
    const index = this.#items.indexOf(item, this.#from)
    if (index >= 0) this.#items.splice(index, 1)
  }
}

interface Entry<T> {
  readonly at: number
  readonly order: number
  readonly item: T
}

/** A heap of items by time, earliest first; of equal times, the one put first. */
export class Timed<T> {
  readonly #heap: Entry<T>[] = []
  #puts = 0

  get size(): number {
    return this.#heap.length
  }

  /** The earliest time; Infinity when empty. */
  get nextAt(): number {
    return this.#heap[0]?.at ?? Infinity
  }

  /** The latest time; -Infinity when empty. Looks at every item. */
  get lastAt(): number {
    return this.#heap.reduce((last, { at }) => Math.max(last, at), -Infinity)
  }

  put(at: number, item: T): void {
    const heap = this.#heap
    const entry = { at, order: this.#puts++, item }
    let index = heap.push(entry) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!before(entry, heap[parent]!)) break
      heap[index] = heap[parent]!
      index = parent
    }
    heap[index] = entry
  }

  /** Removes and returns the earliest; undefined when empty. */
  take(): T | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last) return undefined
    if (heap.length > 0) this.#sink(last)
    return first.item
  }

  /** Removes the others; the order stays. */
  filter(keep: (item: T) => boolean): void {
    // a sorted array is a heap
    const kept = this.#heap.filter(({ item }) => keep(item)).toSorted((a, b) => (before(a, b) ? -1 : 1))
    this.#heap.splice(0, this.#heap.length, ...kept)
  }

  clear(): void {
    this.#heap.length = 0
  }

  /** In no particular order. */
  *[Symbol.iterator](): Generator<T> {
    for (const { item } of this.#heap) yield item
  }

  #sink(entry: Entry<T>): void {
    const heap = this.#heap
    let index = 0
    for (let child = 1; child < heap.length; child = 2 * index + 1) {
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++
      if (!before(heap[child]!, entry)) break
      heap[index] = heap[child]!
      index = child
    }
    heap[index] = entry
  }
}

function before(a: Entry<unknown>, b: Entry<unknown>): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}
