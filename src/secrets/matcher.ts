// Masks secrets in a text that arrives in pieces. What may be the beginning of a secret is held back until more text arrives.
// The forms of secrets are in patterns.ts.

import { isEscape, escapedAt } from './escapes.ts'
import { States, Spans } from './states.ts'
import type { SecretGraph } from './states.ts'

const MASK = '******'

/** How a program marks that it cut a text off; `…` also as UTF-8 read byte by byte. */
const ELLIPSIS = /['"`]? ?(?:\.\.\.|\u2026|\u00e2\u0080\u00a6)/y
const ELLIPSIS_BEGUN = /['"`]? ?(?:\.{0,2}|\u00e2\u0080?)$/y
const ELLIPSIS_FIRST = new Set(Array.from('\'"` .\u2026\u00e2', (sign) => sign.charCodeAt(0)))

/** Linear in the length of the text, whatever the secret. Places count from the start of the whole text. */
export class SecretMatcher {
  readonly #graphNow: () => SecretGraph | undefined
  #graph: SecretGraph | undefined
  /** Held back. */
  #text = ''
  #from = 0
  /** The next place to read. */
  #at = 0
  #spans = new Spans()
  #states: States | undefined

  /** @param graphNow the current automaton; undefined: there are no secrets yet */
  constructor(graphNow: () => SecretGraph | undefined) {
    this.#graphNow = graphNow
  }

  /** @returns what can be shown already */
  push(text: string): string {
    this.#text += text
    const states = this.#read(false)
    return this.#release(states === undefined ? this.#from + this.#text.length : this.#spans.before(states.earliest()))
  }

  /** Ends this text; another one may begin.
   *  @returns the rest of it */
  end(): string {
    if (this.#text === '') return ''
    this.#read(true)?.cutOff(this.#at)
    this.#states = undefined
    return this.#release(this.#from + this.#text.length)
  }

  /** @returns undefined: there are no secrets yet */
  #read(isWhole: boolean): States | undefined {
    const graph = this.#graphNow()
    if (graph === undefined) return undefined
    const states = this.#statesOf(graph)
    const text = this.#text
    for (let place = this.#at - this.#from; place < text.length; place++) {
      const unit = text.charCodeAt(place)
      const goOn = states.any
      if (goOn || isEscape(unit) || graph.starts.has(unit)) {
        if (goOn && ELLIPSIS_FIRST.has(unit) && !this.#lookForEllipsis(states, place, isWhole)) break
        if (isEscape(unit) && !this.#readEscapes(states, place, isWhole)) break
        states.read(unit, this.#from + place + 1)
      }
      this.#at++
      states.advance()
    }
    return states
  }

  /** Newly learned secrets are also looked for in what is held back. */
  #statesOf(graph: SecretGraph): States {
    if (this.#states === undefined || this.#graph !== graph) {
      this.#graph = graph
      this.#at = this.#from
      this.#spans = new Spans()
      this.#states = new States(graph, this.#spans, this.#at)
    }
    return this.#states
  }

  /** @returns false when it depends on the text that follows */
  #readEscapes(states: States, place: number, isWhole: boolean): boolean {
    const escaped = escapedAt(this.#text, place, isWhole)
    if (escaped === undefined) return false
    // the text may be cut off inside an escape
    if (isWhole && escapedAt(this.#text, place, false) === undefined) states.cutOff(this.#from + this.#text.length)
    for (const { code, end } of escaped) states.read(code, this.#from + end)
    return true
  }

  /** @returns false when only what comes next can tell */
  #lookForEllipsis(states: States, place: number, isWhole: boolean): boolean {
    ELLIPSIS_BEGUN.lastIndex = place
    if (!isWhole && ELLIPSIS_BEGUN.test(this.#text)) return false
    ELLIPSIS.lastIndex = place
    if (ELLIPSIS.test(this.#text)) states.cutOff(this.#at)
    return true
  }

  #release(end: number): string {
    const text = this.#text
    const from = this.#from
    let clean = ''
    let at = from
    for (const span of this.#spans.take(end)) {
      clean += text.slice(at - from, span.start - from) + MASK
      at = span.end
    }
    clean += text.slice(at - from, end - from)
    this.#text = text.slice(end - from)
    this.#from = end
    return clean
  }
}
