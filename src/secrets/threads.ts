// The beginnings of secrets in a text that is read place by place: each goes on, ends or breaks off with what is read next.
// Knows no text and no spelling.

import { END, JUNCTION, TELLING } from './secret-graph.ts'
import type { SecretGraph } from './secret-graph.ts'
import type { Spans } from './spans.ts'

const NONE = { start: 0, end: 0 }
const SPECIAL = END | JUNCTION

/** One step a beginning and a reading, and no node is stood at twice in one place: time is linear. */
export class Threads {
  readonly #graph: SecretGraph
  readonly #spans: Spans
  /** The place that is read, and those that go on there. */
  #at: number
  #now: ThreadList
  /** Those that go on at the next place. */
  #next: ThreadList
  /** Those that go on behind it, by the place: node and start in turn. */
  readonly #later = new Map<number, number[]>()

  /** @param spans what is found is added
   *  @param at where reading begins */
  constructor(graph: SecretGraph, spans: Spans, at: number) {
    this.#graph = graph
    this.#spans = spans
    this.#at = at
    this.#now = new ThreadList(graph.flags.length)
    this.#next = new ThreadList(graph.flags.length)
  }

  /** Whether any goes on at this place. */
  get any(): boolean {
    return this.#now.count > 0
  }

  /** The first place that may yet turn out to belong to a secret; this one if there is none before it. */
  earliest(): number {
    let first = this.#at
    const see = (start: number): void => {
      if (start < first && !this.#isBroken(start)) first = start
    }
    for (let index = 0; index < this.#now.count; index++) see(this.#now.starts[index]!)
    for (const waiting of this.#later.values())
      for (let index = 1; index < waiting.length; index += 2) see(waiting[index]!)
    return first
  }

  /** `code` may be read from this place to `end`. */
  read(code: number, end: number): void {
    const { edge, other, code: codes, target, flags } = this.#graph
    const { nodes, starts, count } = this.#now
    const next = this.#next
    const isNext = end === this.#at + 1
    const broken = this.#spans.last ?? NONE
    const { start: from, end: to } = broken
    for (let index = 0; index < count; index++) {
      const start = starts[index]!
      if (start > from && start < to) continue
      for (let way = edge[nodes[index]!]!; way !== 0; way = other[way]!) {
        if (codes[way] !== code) continue
        const node = target[way]!
        if (isNext && (flags[node]! & SPECIAL) === 0) next.add(node, start)
        else this.#arrive(node, start, end)
      }
    }
    const first = this.#graph.starts.get(code)
    if (first === undefined || this.#isBroken(this.#at)) return
    for (const node of first) this.#arrive(node, this.#at, end)
  }

  /** All that is telling ends at `end`, where its text is cut off. */
  cutOff(end: number): void {
    const { nodes, starts, count } = this.#now
    for (let index = 0; index < count; index++) {
      if (this.#graph.flags[nodes[index]!]! & TELLING) this.#spans.add(starts[index]!, end)
    }
  }

  /** Goes to the next place. */
  advance(): void {
    const empty = this.#now
    this.#now = this.#next
    this.#next = empty
    empty.clear()
    this.#at++
    if (this.#later.size > 0) this.#join()
  }

  /** What begins in the midst of a secret is broken by taking that out. */
  #isBroken(start: number): boolean {
    const { last } = this.#spans
    return last !== undefined && start > last.start && start < last.end
  }

  #arrive(node: number, start: number, end: number): void {
    const flags = this.#graph.flags[node]!
    if (flags & END) this.#spans.add(start, end)
    if (this.#graph.edge[node] === 0) return
    if (end !== this.#at + 1) this.#wait(node, start, end)
    else if (flags & JUNCTION) this.#next.addOnce(node, start)
    else this.#next.add(node, start)
  }

  #wait(node: number, start: number, place: number): void {
    const waiting = this.#later.get(place)
    if (waiting === undefined) this.#later.set(place, [node, start])
    else waiting.push(node, start)
  }

  #join(): void {
    const waiting = this.#later.get(this.#at)
    if (waiting === undefined) return
    this.#later.delete(this.#at)
    this.#now.know()
    for (let index = 0; index < waiting.length; index += 2) this.#now.addOnce(waiting[index]!, waiting[index + 1]!)
  }
}

// Beginnings of secrets that go on at one place, as numbers.

/** `nodes[i]` has been reached from `starts[i]`, for each i below `count`. */
class ThreadList {
  nodes = new Int32Array(16)
  starts = new Float64Array(16)
  count = 0
  readonly #size: number
  /** By node, when it is needed: where in the list it may stand. */
  #indices: Int32Array | undefined

  /** @param size nodes there are */
  constructor(size: number) {
    this.#size = size
  }

  add(node: number, start: number): void {
    if (this.count === this.nodes.length) this.#grow()
    this.nodes[this.count] = node
    this.starts[this.count++] = start
  }

  /** A node that is known stands in the list once, from its earliest start. */
  addOnce(node: number, start: number): void {
    this.#indices ??= new Int32Array(this.#size)
    const index = this.#indices[node]!
    if (index < this.count && this.nodes[index] === node) {
      if (start < this.starts[index]!) this.starts[index] = start
      return
    }
    this.#indices[node] = this.count
    this.add(node, start)
  }

  /** Knows all that are in it. */
  know(): void {
    if (this.count === 0) return
    this.#indices ??= new Int32Array(this.#size)
    for (let index = 0; index < this.count; index++) this.#indices[this.nodes[index]!] = index
  }

  clear(): void {
    this.count = 0
  }

  #grow(): void {
    const nodes = new Int32Array(this.nodes.length * 2)
    const starts = new Float64Array(this.starts.length * 2)
    nodes.set(this.nodes)
    starts.set(this.starts)
    this.nodes = nodes
    this.starts = starts
  }
}
