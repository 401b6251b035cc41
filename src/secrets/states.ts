// Which secrets may be under way at each place of a text: the forms of all secrets as one graph, walked a character at a time.
// A node is what has been read of a form so far. In numbers, not objects: hundreds of forms may be under way at once.

import type { Pattern, Step } from './patterns.ts'

/** All of a form has been read. */
const END = 1
/** So much of it that the rest does not matter where the text is cut off. */
const TELLING = 2

export class SecretGraph {
  /** By node: END, TELLING. */
  readonly flags: number[] = []
  /** By node: its first edge. Edge 0 is none. */
  readonly edge: number[] = []
  /** By edge: the code it is for, the node it leads to, and the next edge of the same node. */
  readonly code = [0]
  readonly target = [0]
  readonly other = [0]
  /** By code: where the forms that begin with it lead. */
  readonly starts = new Map<number, number[]>()

  constructor(patterns: readonly Pattern[]) {
    for (const pattern of patterns) {
      const first = this.#pattern(pattern)
      for (let edge = this.edge[first]!; edge !== 0; edge = this.other[edge]!) {
        const others = this.starts.get(this.code[edge]!) ?? []
        others.push(this.target[edge]!)
        this.starts.set(this.code[edge]!, others)
      }
    }
  }

  /** @returns the node before its first step */
  #pattern({ steps, telling }: Pattern): number {
    const first = this.#node(0)
    let last = first
    for (const [index, step] of steps.entries()) {
      const next = this.#node(index + 1 >= telling ? TELLING : 0)
      this.#connect(last, step, next)
      this.#connect(next, { ways: step.then?.map((code) => [code]) ?? [] }, next)
      last = next
    }
    this.flags[last]! |= END
    return first
  }

  #node(flags: number): number {
    this.edge.push(0)
    return this.flags.push(flags) - 1
  }

  #connect(from: number, { ways }: Step, to: number): void {
    for (const way of ways) {
      let node = from
      for (const [index, code] of way.entries()) {
        const target = index + 1 === way.length ? to : this.#node(this.flags[from]! & TELLING)
        this.other.push(this.edge[node]!)
        this.target.push(target)
        this.edge[node] = this.code.push(code) - 1
        node = target
      }
    }
  }
}

/** What may be under way while a text is read place by place: at each place the nodes that were reached, each from the earliest
 *  start. No node is stood at twice in one place: time is linear. */
export class States {
  readonly #graph: SecretGraph
  readonly #spans: Spans
  /** The place that is read, and the states there: start by node. */
  #at: number
  #now: ReadonlyMap<number, number> = NONE
  /** Those of later places, by the place. */
  readonly #later = new Map<number, Map<number, number>>()

  /** @param spans what is found is added
   *  @param at where reading begins */
  constructor(graph: SecretGraph, spans: Spans, at: number) {
    this.#graph = graph
    this.#spans = spans
    this.#at = at
  }

  /** Whether there is any at this place. */
  get any(): boolean {
    return this.#now.size > 0
  }

  /** The first place that may yet turn out to belong to a secret; this one if there is none before it. */
  earliest(): number {
    let first = this.#at
    for (const states of [this.#now, ...this.#later.values()])
      for (const start of states.values()) if (start < first && !this.#isBroken(start)) first = start
    return first
  }

  /** `code` may be read from this place to `end`. */
  read(code: number, end: number): void {
    const { edge, other, code: codes, target, starts } = this.#graph
    for (const [node, start] of this.#now) {
      if (this.#isBroken(start)) continue
      for (let way = edge[node]!; way !== 0; way = other[way]!) {
        if (codes[way] === code) this.#arrive(target[way]!, start, end)
      }
    }
    const first = starts.get(code)
    if (first === undefined || this.#isBroken(this.#at)) return
    for (const node of first) this.#arrive(node, this.#at, end)
  }

  /** All that is telling ends at `end`, where its text is cut off. */
  cutOff(end: number): void {
    for (const [node, start] of this.#now) if (this.#graph.flags[node]! & TELLING) this.#spans.add(start, end)
  }

  /** Goes to the next place. */
  advance(): void {
    this.#at++
    this.#now = this.#later.get(this.#at) ?? NONE
    this.#later.delete(this.#at)
  }

  /** What begins in the midst of a secret is broken by taking that out. */
  #isBroken(start: number): boolean {
    const { last } = this.#spans
    return last !== undefined && start > last.start && start < last.end
  }

  #arrive(node: number, start: number, end: number): void {
    if (this.#graph.flags[node]! & END) this.#spans.add(start, end)
    if (this.#graph.edge[node] === 0) return
    const states = this.#later.get(end) ?? new Map<number, number>()
    this.#later.set(end, states)
    states.set(node, Math.min(start, states.get(node) ?? start))
  }
}

const NONE: ReadonlyMap<number, number> = new Map()

/** Parts of the text that are secrets, apart and in order: one that overlaps earlier ones becomes one with them. */
interface Span {
  readonly start: number
  readonly end: number
}

export class Spans {
  #all: Span[] = []
  #last: Span | undefined

  /** The latest, also when it has been taken. */
  get last(): Span | undefined {
    return this.#last
  }

  /** No earlier one may end behind `end`, unless it overlaps this one. */
  add(start: number, end: number): void {
    let span = { start, end }
    for (let last = this.#all.at(-1); last && start < last.end && end > last.start; last = this.#all.at(-1)) {
      span = { start: Math.min(span.start, last.start), end: Math.max(span.end, last.end) }
      this.#all.pop()
    }
    this.#all.push(span)
    this.#last = span
  }

  /** Where the one begins that `place` is inside of; else `place`. */
  before(place: number): number {
    const last = this.#all.at(-1)
    return last && last.start < place && last.end > place ? last.start : place
  }

  /** Takes out those that end at `place` or before. */
  take(place: number): Span[] {
    const taken = this.#all.filter(({ end }) => end <= place)
    this.#all = this.#all.slice(taken.length)
    return taken
  }
}
