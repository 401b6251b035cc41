// Regular expressions of small letters, digits and _ alone, matched by an automaton of our own. They meet what producers write, and
// JavaScript's own would try every way through a value, of which a short pattern may have more than can ever be tried
// (decisions.md#what-others-write-is-matched-in-bounded-time).

import type { TextPlace } from '../../json/byte-map.ts'

/** Most states of a pattern, its counted repetitions written out. */
const MOST_STATES = 2000
/** Most groups around a part of a pattern. */
const DEEPEST = 100
/** The number of the state in which a whole value is matched. */
const ACCEPT = 0

/** A pattern, for whole values. `matches` goes over the bytes of a value once, with all states that the bytes so far can lead to. */
export class PlainPattern {
  readonly #text: string
  readonly #states: States
  readonly #begin: number
  /** The step (a place in a value) in which each state was last reached. Steps count on from value to value, so nothing is cleared. */
  readonly #reached: Float64Array
  #step = 0
  /** Room for the states reached in a step, and for those of the next one. */
  readonly #now: Uint16Array
  readonly #later: Uint16Array
  /** How many states were looked at, for tests of the bound: for each byte of a value and once more, at most all states. */
  looks = 0

  private constructor(text: string, states: States, begin: number) {
    this.#text = text
    this.#states = states
    this.#begin = begin
    this.#reached = new Float64Array(states.on.length)
    this.#now = new Uint16Array(states.on.length)
    this.#later = new Uint16Array(states.on.length)
  }

  /** Reads small letters, digits, _, \d, classes and ranges of them, groups, | and repetitions, all as JavaScript does. Never throws. */
  static read(text: string): { readonly pattern: PlainPattern } | { readonly fault: 'malformed' | 'too large' } {
    const tokens = text.match(TOKENS) ?? []
    const reader = new PatternReader(tokens)
    const wholePattern = reader.alternatives()
    if (reader.isTooDeep) return { fault: 'too large' }
    // what is no token is left out of `tokens`
    if (tokens.join('') !== text || !isExpression(text)) return { fault: 'malformed' }
    const begin = wholePattern(ACCEPT)
    return reader.isFull ? { fault: 'too large' } : { pattern: new PlainPattern(text, reader.states, begin) }
  }

  /** For digests of a config. */
  toJSON(): string {
    return this.#text
  }

  /** How many states it has. */
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
      // adds the states to which those in `now` lead on by no byte
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
      // puts into `later` the states to which those in `now` lead on by this byte
      step = ++this.#step
      let laterCount = 0
      for (let index = 0; index < count; index++) {
        const state = now[index]!
        const goal = next[state]!
        if (on[state]?.[bytes[at]!] !== 1) continue
        if (reached[goal] !== step) later[laterCount++] = goal
        reached[goal] = step
      }
      if (laterCount === 0) return false
      ;[now, later, count] = [later, now, laterCount]
    }
  }
}

/** States by number; the first one is ACCEPT. */
interface States {
  /** For each state a table, with 1 for each byte by which it leads to `next`. `undefined` when it leads to `next` and `other` by none. */
  readonly on: (Uint8Array | undefined)[]
  readonly next: number[]
  readonly other: number[]
}

/** A part of a pattern, as a function that adds its states: a pattern is made into states from its end to its beginning.
 *  @param next the state that the part leads on to
 *  @returns the state that the part begins with; `next` itself if the part is empty */
type Part = (next: number) => number

/** Classes, characters, brackets of groups, |, and repetitions, of which a ? behind them changes nothing for whole values. */
const TOKENS =
  /\[(?:[a-z]-[a-z]|[0-9]-[0-9]|\\d|[a-z0-9_])+\]|\\d|[a-z0-9_]|\((?:\?:)?|[)|]|(?:[*+?]|\{\d+(?:,\d*)?\})\??/g
/** Least and most times of each repetition that is written as one character; '' where there is no most. */
const TIMES: Readonly<Record<string, readonly string[]>> = { '*': ['0', ''], '+': ['1', ''], '?': ['0', '1'] }

/** Whether the text is valid in JavaScript too: then each group is closed, and each repetition has something to repeat. */
function isExpression(text: string): boolean {
  try {
    return RegExp(text, 'u') !== undefined
  } catch {
    return false
  }
}

/** Reads tokens to parts, even of a text that is no pattern, and holds the states that the parts add. */
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

  /** Reads alternatives, up to the end of their group or of the pattern. @param depth how many groups are around them */
  alternatives(depth = 0): Part {
    // nothing more is read then
    if (depth > DEEPEST) [this.isTooDeep, this.#at] = [true, Infinity]
    const ways: Part[] = []
    let token: string | undefined
    do {
      const parts: Part[] = []
      while ((token = this.#tokens[this.#at++]) !== undefined && token !== '|' && token !== ')')
        parts.push(this.#repeated(token.startsWith('(') ? this.alternatives(depth + 1) : this.#byte(token)))
      ways.push((next) => parts.reduceRight((to, part) => part(to), next))
    } while (token === '|')
    return (next) => ways.map((way) => way(next)).reduce((one, other) => this.#add(undefined, one, other))
  }

  /** The part that is one byte: a character or any of a class. */
  #byte(token: string): Part {
    const on = new Uint8Array(256)
    for (const range of token.replaceAll(String.raw`\d`, '0-9').match(/\w-\w|\w/g) ?? [])
      on.fill(1, range.charCodeAt(0), range.charCodeAt(range.length - 1) + 1)
    return (next) => this.#add(on, next)
  }

  /** The part repeated, as often as the next token says if that is a repetition. */
  #repeated(part: Part): Part {
    const times = timesOf(this.#tokens[this.#at])
    if (!times) return part
    this.#at++
    const [least, most] = times
    return (next) => {
      // `to` is where the part leads on to, and `left` counts how often it must still come in front of that
      let [to, left] = [next, least]
      // from `loop` the part is entered again, or left for `next`; where it must come at all, one of its times is that in the loop
      if (most === Infinity) {
        const loop = this.#add(undefined, next)
        const begin = (this.states.other[loop] = part(loop))
        to = left-- === 0 ? loop : begin
      }
      // each time beyond the least may be left out
      else for (let more = least; more < most && !this.isFull; more++) to = this.#add(undefined, part(to), next)
      // an empty part, which begins where it leads on to, needs no repetition
      for (let before = -1; left > 0 && to !== before && !this.isFull; left--) [before, to] = [to, part(to)]
      return to
    }
  }

  /** Adds a state. @returns its number */
  #add(on: Uint8Array | undefined, next: number, other = next): number {
    this.states.next.push(next)
    this.states.other.push(other)
    return this.states.on.push(on) - 1
  }
}

/** The least and most times of a repetition, Infinity where there is no most. `undefined` when the token is no repetition. */
function timesOf(token = ''): readonly [number, number] | undefined {
  const counts = token.startsWith('{') ? token.slice(1, token.indexOf('}')).split(',') : TIMES[token.slice(0, 1)]
  return counts && [Number(counts[0]), Number((counts[1] ?? counts[0]) || Infinity)]
}
