// Patterns as one graph that is walked a character at a time: a node is what has been read of a form so far.
// Knows neither texts nor secrets. In numbers, not objects: hundreds of beginnings may be under way at every character.

import type { Pattern, Step } from './secret-patterns.ts'

/** All of a form has been read. */
export const END = 1
/** So much of it that the rest does not matter where the text is cut off. */
export const TELLING = 2
/** Several ways of the same length may lead here. */
export const JUNCTION = 4

/** Edge 0 is none. */
export interface SecretGraph {
  /** By node: END, TELLING, JUNCTION. */
  readonly flags: Uint8Array
  /** By node: its first edge. */
  readonly edge: Int32Array
  /** By edge: the code it is for, the node it leads to, and the next edge of the same node. */
  readonly code: Int32Array
  readonly target: Int32Array
  readonly other: Int32Array
  /** By code: where the forms that begin with it lead. */
  readonly starts: ReadonlyMap<number, readonly number[]>
}

export function graphOf(patterns: readonly Pattern[]): SecretGraph {
  const draft = new Draft()
  const starts = new Map<number, number[]>()
  for (const pattern of patterns) {
    const first = draft.pattern(pattern)
    for (let edge = draft.edge[first]!; edge !== 0; edge = draft.other[edge]!) {
      const others = starts.get(draft.code[edge]!) ?? []
      others.push(draft.target[edge]!)
      starts.set(draft.code[edge]!, others)
    }
  }
  return {
    flags: Uint8Array.from(draft.flags),
    edge: Int32Array.from(draft.edge),
    code: Int32Array.from(draft.code),
    target: Int32Array.from(draft.target),
    other: Int32Array.from(draft.other),
    starts,
  }
}

class Draft {
  readonly flags: number[] = []
  readonly edge: number[] = []
  readonly code = [0]
  readonly target = [0]
  readonly other = [0]

  /** @returns the node before its first step */
  pattern({ steps, telling }: Pattern): number {
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
