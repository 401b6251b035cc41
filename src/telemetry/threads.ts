// The beginnings of secrets in a text that is read place by place: each goes on, ends or breaks off with what is read next.
// Knows no text and no spelling.

import type { Node, SecretGraph, Thread } from './secret-graph.ts'
import type { Spans } from './spans.ts'

/** One step a beginning and a reading, and no node is stood at twice in one place: time is linear. */
export class Threads {
  readonly #spans: Spans
  /** The place that is read, and those that go on there. */
  #at = 0
  #now: Thread[] = []
  /** Those that go on at the next place. */
  #next: Thread[] = []
  /** Those that go on behind it, by the place. */
  readonly #later = new Map<number, Thread[]>()

  /** @param spans what is found is added */
  constructor(spans: Spans) {
    this.#spans = spans
  }

  /** Whether any goes on at this place. */
  get any(): boolean {
    return this.#now.length > 0
  }

  /** Whether one of them has come so far that what was read of it must not be shown. */
  get anyTelling(): boolean {
    return this.#now.some(({ node }) => node.isTelling)
  }

  /** The first place that may yet turn out to belong to a secret; this one if there is none before it. */
  earliest(): number {
    let first = this.#at
    for (const threads of [this.#now, ...this.#later.values()])
      for (const { start } of threads) if (start < first) first = start
    return first
  }

  /** `code` may be read from this place to `end`. What stands there as it is comes last. */
  read(graph: SecretGraph, code: number, end: number): void {
    const isLast = end === this.#at + 1
    const { last } = this.#spans
    for (const thread of this.#now) {
      const { node, start } = thread
      // what begins in the midst of a secret is broken by taking that out
      if (last !== undefined && start > last.start && start < last.end) continue
      let free = isLast ? thread : undefined
      for (let edge = node.edge; edge !== undefined; edge = edge.other) {
        const { target } = edge
        if (edge.code !== code) continue
        if (free !== undefined && target.isPlain) {
          free.node = target
          this.#next.push(free)
        } else this.#arrive(target, start, end, free)
        free = undefined
      }
    }
    if (last !== undefined && this.#at < last.end) return
    for (const node of graph.startsWith(code) ?? []) this.#arrive(node, this.#at, end, undefined)
  }

  /** All that is telling ends at `end`, where its text is cut off. */
  cutOff(end: number): void {
    for (const { node, start } of this.#now) if (node.isTelling) this.#spans.add(start, end)
  }

  /** Goes to the next place. */
  advance(): void {
    const empty = this.#now
    empty.length = 0
    this.#now = this.#next
    this.#next = empty
    this.#at++
    if (this.#later.size > 0) this.#join(this.#later.get(this.#at))
  }

  /** Goes to a later place: nothing goes on before it. */
  skipTo(place: number): void {
    this.#at = place
  }

  clear(): void {
    this.#now.length = 0
    this.#later.clear()
  }

  /** @param free a thread that is not needed any more */
  #arrive(node: Node, start: number, end: number, free: Thread | undefined): void {
    if (node.isEnd) this.#spans.add(start, end)
    if (node.edge === undefined) return
    const isNext = end === this.#at + 1
    const isAlone = isNext && !node.isJunction
    if (!isAlone && this.#meets(node, start, end)) return
    const thread = free ?? { node, start, at: end, owner: this }
    thread.node = node
    thread.at = end
    if (!isAlone) node.latest = thread
    if (isNext) this.#next.push(thread)
    else this.#waitingAt(end).push(thread)
  }

  /** Whether another one stands at this node already. */
  #meets(node: Node, start: number, end: number): boolean {
    const { latest } = node
    if (latest === undefined || latest.node !== node || latest.at !== end || latest.owner !== this) return false
    if (start < latest.start) latest.start = start
    return true
  }

  #waitingAt(place: number): Thread[] {
    const threads = this.#later.get(place) ?? []
    if (threads.length === 0) this.#later.set(place, threads)
    return threads
  }

  #join(waiting: readonly Thread[] | undefined): void {
    if (waiting === undefined) return
    this.#later.delete(this.#at)
    for (const thread of this.#now) {
      thread.at = this.#at
      thread.node.latest = thread
    }
    for (const thread of waiting) {
      const { node, start } = thread
      if (node.latest === thread || !this.#meets(node, start, this.#at)) this.#now.push(thread)
    }
  }
}
