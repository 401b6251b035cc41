// Regular expressions of small letters, digits and _ alone, matched by an automaton of our own. What they are matched with is what
// producers write, and JavaScript tries every way through a value, of which a short pattern may have more than can ever be tried
// (decisions.md#what-others-write-is-matched-in-bounded-time).

import type { TextPlace } from '../../json/byte-map.ts'

/** Most states of a pattern, its counted repetitions written out. */
const MOST_STATES = 2000
/** Groups in one another. */
const DEEPEST = 100
const ACCEPT = 0

/** A pattern, for whole values. `matches` walks over the bytes of a value once, with all states that the bytes so far can lead to. */
export class PlainPattern {
  readonly #text: string
  readonly #states: States
  readonly #begin: number
  /** The step that each state was last reached in; steps count on from value to value, so nothing is cleared. */
  readonly #reached: Float64Array
  #step = 0
  #now: Uint16Array
  #later: Uint16Array
  /** States that were looked at: of a value at most all of them, once for each of its bytes and once more. */
  looks = 0

  private constructor(text: string, states: States, begin: number) {
    this.#text = text
    this.#states = states
    this.#begin = begin
    this.#reached = new Float64Array(states.on.length)
    this.#now = new Uint16Array(states.on.length)
    this.#later = new Uint16Array(states.on.length)
  }

  /** Takes small letters, digits, _, \d, classes and ranges of them, groups, | and repetitions, as JavaScript does. Never throws. */
  static read(text: string): { readonly pattern: PlainPattern } | { readonly fault: 'malformed' | 'too large' } {
    const tokens = text.match(TOKENS) ?? []
    const reader = new PatternReader(tokens)
    const whole = reader.ways()
    if (reader.isTooDeep) return { fault: 'too large' }
    if (tokens.join('') !== text || !isExpression(text)) return { fault: 'malformed' }
    const begin = whole(ACCEPT)
    return reader.isFull ? { fault: 'too large' } : { pattern: new PlainPattern(text, reader.states, begin) }
  }

  toJSON(): string {
    return this.#text
  }

  get size(): number {
    return this.#reached.length
  }

  /** Whether it matches all of bytes[from, to). Allocates nothing. */
  matches({ bytes, from, to }: TextPlace): boolean {
    const { on, next, other } = this.#states
    const reached = this.#reached
    let [now, later, count, step] = [this.#now, this.#later, 1, ++this.#step]
    now[0] = this.#begin
    reached[this.#begin] = step
    for (let at = from; ; at++) {
      for (let index = 0; index < count; index++) {
        const state = now[index]!
        if (on[state] !== undefined) continue
        for (let way = 0, goal = next[state]!; way < 2; way++, goal = other[state]!) {
          if (reached[goal] !== step) now[count++] = goal
          reached[goal] = step
        }
      }
      this.looks += count
      if (at === to) return reached[ACCEPT] === step
      step = ++this.#step
      let found = 0
      for (let index = 0; index < count; index++) {
        const state = now[index]!
        const goal = next[state]!
        if (on[state]?.[bytes[at]!] !== 1) continue
        if (reached[goal] !== step) later[found++] = goal
        reached[goal] = step
      }
      if (found === 0) return false
      ;[now, later, count] = [later, now, found]
    }
  }
}

/** States by number; the first one accepts. */
interface States {
  /** Bytes by which each state leads on to `next`, 1 at each. `undefined` when it leads on by no byte, to `next` and to `other`. */
  readonly on: (Uint8Array | undefined)[]
  readonly next: number[]
  readonly other: number[]
}

/** Makes the states of a part of a pattern, in front of `next`.
 *  @returns where the part begins; `next` itself if it is empty */
type Part = (next: number) => number

const TOKENS =
  /\[(?:[a-z]-[a-z]|[0-9]-[0-9]|\\d|[a-z0-9_])+\]|\\d|[a-z0-9_]|\((?:\?:)?|[)|]|(?:[*+?]|\{\d+(?:,\d*)?\})\??/g
const TIMES: Readonly<Record<string, readonly string[]>> = { '*': ['0', ''], '+': ['1', ''], '?': ['0', '1'] }

/** Whether JavaScript takes the text: groups are closed, and what is repeated is there. */
function isExpression(text: string): boolean {
  try {
    return RegExp(text, 'u') !== undefined
  } catch {
    return false
  }
}

/** Turns tokens into parts, whatever they are; and the parts of an expression, from the last to the first, into states. */
class PatternReader {
  readonly states: States = { on: [new Uint8Array(256)], next: [ACCEPT], other: [ACCEPT] }
  isTooDeep = false
  readonly #tokens: readonly string[]
  #at = 0

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  get isFull(): boolean {
    return this.states.on.length > MOST_STATES
  }

  /** Reads alternatives, up to the end of a group, or of all. @param depth groups around them */
  ways(depth = 0): Part {
    if (depth > DEEPEST) [this.isTooDeep, this.#at] = [true, Infinity]
    const ways: Part[] = []
    let token: string | undefined
    do {
      const parts: Part[] = []
      while ((token = this.#tokens[this.#at++]) !== undefined && token !== '|' && token !== ')')
        parts.push(this.#repeated(token.startsWith('(') ? this.ways(depth + 1) : this.#byte(token)))
      ways.push((next) => parts.reduceRight((to, part) => part(to), next))
    } while (token === '|')
    return (next) => ways.map((way) => way(next)).reduce((one, other) => this.#add(undefined, one, other))
  }

  #byte(token: string): Part {
    const on = new Uint8Array(256)
    for (const range of token.replaceAll(String.raw`\d`, '0-9').match(/\w-\w|\w/g) ?? [])
      on.fill(1, range.charCodeAt(0), range.charCodeAt(range.length - 1) + 1)
    return (next) => this.#add(on, next)
  }

  #repeated(part: Part): Part {
    const times = timesOf(this.#tokens[this.#at])
    if (!times) return part
    this.#at++
    const [least, most] = times
    return (next) => {
      let [to, left] = [next, least]
      // from `loop` the part is entered again, or left
      if (most === Infinity) {
        const loop = this.#add(undefined, next)
        const begin = (this.states.other[loop] = part(loop))
        to = left-- === 0 ? loop : begin
      } else for (let more = least; more < most && !this.isFull; more++) to = this.#add(undefined, part(to), next)
      // an empty part, whose begin is its end, needs no repetition
      for (let before = -1; left > 0 && to !== before && !this.isFull; left--) [before, to] = [to, part(to)]
      return to
    }
  }

  #add(on: Uint8Array | undefined, next: number, other = next): number {
    this.states.next.push(next)
    this.states.other.push(other)
    return this.states.on.push(on) - 1
  }
}

/** How often at least and at most, Infinity where there is no most. `undefined` when the token is no repetition. */
function timesOf(token = ''): readonly [number, number] | undefined {
  const counts = token.startsWith('{') ? token.slice(1, token.indexOf('}')).split(',') : TIMES[token.slice(0, 1)]
  return counts && [Number(counts[0]), Number((counts[1] ?? counts[0]) || Infinity)]
}
