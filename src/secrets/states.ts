// Which secrets may be under way at each place of a text: the forms of all secrets as one graph, walked a character at a time.
// A node is what has been read of a form so far. In numbers, not objects: hundreds of forms may be under way at once.

import type { Pattern, Step } from './patterns.ts'

/** All of a form has been read. */
const END = 1
/** So much of it that the rest does not matter where the text is cut off. */
const TELLING = 2
/** Several ways of the same length may lead here. */
const JUNCTION = 4
const SPECIAL = END | JUNCTION

export class SecretGraph {
  /** By node: END, TELLING, JUNCTION. */
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
      const isJunction = step.repeats || step.ways.length > 1
      const next = this.#node((isJunction ? JUNCTION : 0) | (index + 1 >= telling ? TELLING : 0))
      this.#connect(last, step, next)
      if (step.repeats) this.#connect(next, step, next)
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

/** What may be under way while a text is read place by place: a state is a node and where its form begins. One step a state
 *  and character, and no node is stood at twice in one place: time is linear. */
export class States {
  readonly #graph: SecretGraph
  readonly #spans: Spans
  /** The place that is read, and the states there. */
  #at: number
  #now: StateList
  /** Those of the next place. */
  #next: StateList
  /** Those of later places, by the place: node and start in turn. */
  readonly #later = new Map<number, number[]>()

  /** @param spans what is found is added
   *  @param at where reading begins */
  constructor(graph: SecretGraph, spans: Spans, at: number) {
    this.#graph = graph
    this.#spans = spans
    this.#at = at
    this.#now = new StateList(graph.flags.length)
    this.#next = new StateList(graph.flags.length)
  }

  /** Whether there is any at this place. */
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
    const { start: from, end: to } = this.#spans.last ?? { start: 0, end: 0 }
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
    empty.count = 0
    this.#at++
    const waiting = this.#later.get(this.#at)
    if (waiting === undefined) return
    this.#later.delete(this.#at)
    this.#now.index()
    for (let index = 0; index < waiting.length; index += 2) this.#now.addOnce(waiting[index]!, waiting[index + 1]!)
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
    if (end !== this.#at + 1) {
      const waiting = this.#later.get(end)
      if (waiting === undefined) this.#later.set(end, [node, start])
      else waiting.push(node, start)
    } else if (flags & JUNCTION) this.#next.addOnce(node, start)
    else this.#next.add(node, start)
  }
}

/** The states of one place: `nodes[i]` has been reached from `starts[i]`, for each i below `count`. */
class StateList {
  readonly nodes: number[] = []
  readonly starts: number[] = []
  count = 0
  readonly #size: number
  /** By node, made when it is needed: where in the list it may stand. */
  #indices: Int32Array | undefined

  /** @param size nodes there are */
  constructor(size: number) {
    this.#size = size
  }

  add(node: number, start: number): void {
    this.nodes[this.count] = node
    this.starts[this.count++] = start
  }

  /** A node that is indexed stands in the list once, from its earliest start. */
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

  /** Indexes all that are in it. */
  index(): void {
    if (this.count > 0) this.#indices ??= new Int32Array(this.#size)
    for (let index = 0; index < this.count; index++) this.#indices![this.nodes[index]!] = index
  }
}

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
