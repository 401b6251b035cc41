// Patterns as one graph that is walked a character at a time: a node is what has been read of a form so far.
// Knows neither texts nor secrets.

import type { Pattern, Step } from './secret-patterns.ts'

/** A beginning of a form, as far as it has been read in one text: up to `at`. */
export interface Thread {
  node: Node
  start: number
  at: number
  /** Whose text. */
  readonly owner: object
}

/** A way on, in a chain of them. */
export interface Edge {
  readonly code: number
  readonly target: Node
  readonly other: Edge | undefined
}

export class Node {
  /** undefined: nothing goes on here. */
  edge: Edge | undefined
  /** Whether so much of the form is too much to be shown where the text is cut off. */
  readonly isTelling: boolean
  /** Whether all of the form has been read. */
  isEnd = false
  /** Whether several ways of the same length may lead here. */
  isJunction = false
  /** Whether it is neither of both, as most are. */
  isPlain = true
  /** Who came here last, for those who look for it. */
  latest: Thread | undefined

  constructor(isTelling: boolean) {
    this.isTelling = isTelling
  }
}

export class SecretGraph {
  readonly #starts = new Map<number, Node[]>()

  constructor(patterns: readonly Pattern[]) {
    for (const pattern of patterns) {
      for (let edge = built(pattern).edge; edge; edge = edge.other) {
        const others = this.#starts.get(edge.code)
        if (others) others.push(edge.target)
        else this.#starts.set(edge.code, [edge.target])
      }
    }
  }

  /** Where the forms that begin with this code lead; undefined: none does. */
  startsWith(code: number): readonly Node[] | undefined {
    return this.#starts.get(code)
  }
}

/** The node before the first step. */
function built({ steps, telling }: Pattern): Node {
  const first = new Node(false)
  let last = first
  for (const [index, step] of steps.entries()) {
    const next = new Node(index + 1 >= telling)
    connect(last, step, next)
    if (step.repeats) connect(next, step, next)
    next.isJunction = step.repeats || step.ways.length > 1
    next.isPlain = !next.isJunction
    last = next
  }
  last.isEnd = true
  last.isPlain = false
  return first
}

function connect(from: Node, { ways }: Step, to: Node): void {
  for (const way of ways) {
    let node = from
    for (const [index, code] of way.entries()) {
      const target = index + 1 === way.length ? to : new Node(from.isTelling)
      node.edge = { code, target, other: node.edge }
      node = target
    }
  }
}
