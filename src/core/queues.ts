// Three queues: first in, first out (`Fifo`), by an age that may change (`OldestFirst`), and by time (`Timed`).

/** Places that must be empty at the beginning of the array, at least, before it is shortened. */
const LEAST_EMPTIED = 1024

/** First in, first out, in amortised constant time at both ends. `peek` and `shift` give `undefined` when it is empty. */
export class Fifo<T> {
  /** The items begin at `#from`; places before it are empty. */
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
    } else if (this.#from >= LEAST_EMPTIED && this.#from * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#from)
      this.#from = 0
    }
    return item
  }

  /** A copy of its items, in order. */
  get all(): readonly T[] {
    return this.#items.slice(this.#from) as T[]
  }

  /** Removes an item, wherever it stands. Does nothing if it is not there. */
  remove(item: T): void {
    const index = this.#items.indexOf(item, this.#from)
    if (index >= 0) this.#items.splice(index, 1)
  }
}

/** The `place` of an item that is in no queue. */
export const NO_PLACE = -1

export interface Aged {
  /** When it arrived, in milliseconds of the engine's clock; -Infinity when it goes before all others. */
  readonly age: number
  /** Decides between items of the same age: the lower number is first. No two items have the same. */
  readonly order: number
  /** Its index in the heap, which the queue alone changes. Begins as NO_PLACE. */
  place: number
}

/** A binary heap, the oldest item first: adding, removing and moving take time in the logarithm of its size. */
export class OldestFirst<T extends Aged> {
  readonly #heap: T[] = []

  get size(): number {
    return this.#heap.length
  }

  /** The oldest item. `undefined` when empty. */
  get first(): T | undefined {
    return this.#heap[0]
  }

  /** A copy of its items, in no particular order. */
  get all(): readonly T[] {
    return this.#heap.slice()
  }

  /** Adds an item, or moves one that is in the queue already towards the front, if its age became lower. */
  put(item: T): void {
    const heap = this.#heap
    let index = item.place === NO_PLACE ? heap.length : item.place
    while (index > 0) {
      const parent = heap[(index - 1) >> 1]!
      if (!isOlder(item, parent)) break
      this.#set(index, parent)
      index = (index - 1) >> 1
    }
    this.#set(index, item)
  }

  /** Removes an item, which must have the age that it was put with. The last item of the heap takes its place, and moves from there. */
  remove(item: T): void {
    const heap = this.#heap
    const { place } = item
    const last = heap.pop()!
    item.place = NO_PLACE
    if (last === item) return
    last.place = place
    this.#sink(last)
    this.put(last)
  }

  /** Moves an item away from the front, behind all that are older. */
  #sink(item: T): void {
    const heap = this.#heap
    let index = item.place
    for (let child = 2 * index + 1; child < heap.length; child = 2 * index + 1) {
      if (child + 1 < heap.length && isOlder(heap[child + 1]!, heap[child]!)) child++
      if (!isOlder(heap[child]!, item)) break
      this.#set(index, heap[child]!)
      index = child
    }
    this.#set(index, item)
  }

  #set(index: number, item: T): void {
    this.#heap[index] = item
    item.place = index
  }
}

function isOlder(a: Aged, b: Aged): boolean {
  return a.age < b.age || (a.age === b.age && a.order < b.order)
}

interface Entry<T> extends Aged {
  readonly item: T
}

/** A queue of items by time, earliest first; of equal times, the one put first. */
export class Timed<T> {
  readonly #entries = new OldestFirst<Entry<T>>()
  #puts = 0

  get size(): number {
    return this.#entries.size
  }

  /** The earliest time; Infinity when empty. */
  get nextAt(): number {
    return this.#entries.first?.age ?? Infinity
  }

  /** The latest time; -Infinity when empty. Looks at every item. */
  get lastAt(): number {
    return this.#entries.all.reduce((last, { age }) => Math.max(last, age), -Infinity)
  }

  put(at: number, item: T): void {
    this.#entries.put({ age: at, order: this.#puts++, place: NO_PLACE, item })
  }

  /** Removes and returns the earliest. `undefined` when empty. */
  take(): T | undefined {
    const { first } = this.#entries
    if (first) this.#entries.remove(first)
    return first?.item
  }

  /** Removes the items for which `keep` is false; the order of the others stays. */
  filter(keep: (item: T) => boolean): void {
    for (const entry of this.#entries.all) if (!keep(entry.item)) this.#entries.remove(entry)
  }

  /** Yields items in no particular order. */
  *[Symbol.iterator](): Generator<T> {
    for (const { item } of this.#entries.all) yield item
  }
}
