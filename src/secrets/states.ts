// A nondeterministic finite automaton for all forms of all secrets, advanced one character at a time. A node is a prefix of a form.
// Numbers instead of objects, because hundreds of states may be active at once.

import type { Pattern, Step } from './patterns.ts'

/** The end of a form. */
const END = 1
/** Enough of a form to be masked where the text is cut off. */
const TELLING = 2

export class SecretGraph {
  /** By node: END, TELLING. */
  readonly flags: number[] = []
  /** By node: its first edge; 0 means it has none. */
  readonly edge: number[] = []
  /** By edge: the code it is for, the node it leads to, and the next edge of the same node. */
  readonly code = [0]
  readonly target = [0]
  readonly other = [0]
  /** By code: the nodes reached by forms that begin with it. */
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
      this.#connect(next, { ways: step.trailing?.map((code) => [code]) ?? [] }, next)
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

/** The active states of the automaton: for each place, the nodes reached and the earliest start of each. A node is kept once per
 *  place, so the time is linear. */
export class States {
  readonly #graph: SecretGraph
  readonly #spans: Spans
  /** The current place, and its states: start by node. */
  #at: number
  #now: ReadonlyMap<number, number> = NONE
  /** Those of later places, by the place. */
  readonly #later = new Map<number, Map<number, number>>()

  /** @param spans gets what is found
   *  @param at the first place */
  constructor(graph: SecretGraph, spans: Spans, at: number) {
    this.#graph = graph
    this.#spans = spans
    this.#at = at
  }

  /** Whether a state is active at this place. */
  get any(): boolean {
    return this.#now.size > 0
  }

  /** The earliest place that may still belong to a secret; the current one if there is no earlier one. */
  earliest(): number {
    let first = this.#at
    for (const states of [this.#now, ...this.#later.values()])
      for (const start of states.values()) if (start < first && !this.#isBroken(start)) first = start
    return first
  }

  /** The text from this place to `end` may stand for `code`. */
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

  /** The text is cut off at `end`: masks every form of which enough was read. */
  cutOff(end: number): void {
    for (const [node, start] of this.#now) if (this.#graph.flags[node]! & TELLING) this.#spans.add(start, end)
  }

  /** Goes to the next place. */
  advance(): void {
    this.#at++
    this.#now = this.#later.get(this.#at) ?? NONE
    this.#later.delete(this.#at)
  }

  /** Whether it begins inside a secret that was found: masking that one breaks it. */
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

/** Parts of the text that are secrets, in order and disjoint: overlapping ones are merged. */
interface Span {
  readonly start: number
  readonly end: number
}

export class Spans {
  #all: Span[] = []
  #last: Span | undefined

  /** The last one added, even after it was taken. */
  get last(): Span | undefined {
    return this.#last
  }

  /** Spans come in the order of their ends, except for overlapping ones. */
  add(start: number, end: number): void {
    let span = { start, end }
    for (let last = this.#all.at(-1); last && start < last.end && end > last.start; last = this.#all.at(-1)) {
      span = { start: Math.min(span.start, last.start), end: Math.max(span.end, last.end) }
      this.#all.pop()
    }
    this.#all.push(span)
    this.#last = span
  }

  /** The start of the span that contains `place`; else `place`. */
  before(place: number): number {
    const last = this.#all.at(-1)
    return last && last.start < place && last.end > place ? last.start : place
  }

  /** Removes and returns those that end at `place` or before. */
  take(place: number): Span[] {
    const taken = this.#all.filter(({ end }) => end <= place)
    this.#all = this.#all.slice(taken.length)
    return taken
  }
}
