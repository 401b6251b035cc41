// Takes secrets out of a text that comes in pieces, cut anywhere: what may be the beginning of one is held back until the
// rest tells. Knows no form of a secret (secret-patterns.ts) and no stream.

import type { SecretGraph } from './secret-graph.ts'
import { Spans } from './spans.ts'
import { isEscape, spelledAt } from './spelled.ts'
import { Threads } from './threads.ts'

const MASK = '******'

/** How a program shows that it leaves the rest out; `…` also as UTF-8, a character a byte. */
const ELLIPSIS = /['"`]? ?(?:\.\.\.|\u2026|\u00e2\u0080\u00a6)/y
const ELLIPSIS_BEGUN = /['"`]? ?(?:\.{0,2}|\u00e2\u0080?)$/y
const ELLIPSIS_FIRST = new Set(Array.from('\'"` .\u2026\u00e2', (sign) => sign.charCodeAt(0)))

/** Its time is linear in the text, whatever the secret. Places count from the beginning of all text. */
export class Sieve {
  readonly #graphNow: () => SecretGraph | undefined
  #graph: SecretGraph | undefined
  /** What has not been let through. */
  #text = ''
  #from = 0
  /** Next to be read. */
  #at = 0
  #spans = new Spans()
  #threads: Threads | undefined

  /** @param graphNow what to look for from now on; undefined: nothing */
  constructor(graphNow: () => SecretGraph | undefined) {
    this.#graphNow = graphNow
  }

  /** @returns what can be let through */
  push(text: string): string {
    this.#text += text
    const threads = this.#read(false)
    return this.#release(
      threads === undefined ? this.#from + this.#text.length : this.#spans.before(threads.earliest()),
    )
  }

  /** The text ends here; another one may begin.
   *  @returns the rest */
  end(): string {
    if (this.#text === '') return ''
    this.#read(true)?.cutOff(this.#at)
    this.#threads = undefined
    return this.#release(this.#from + this.#text.length)
  }

  /** @returns undefined: there is nothing to look for */
  #read(isWhole: boolean): Threads | undefined {
    const graph = this.#graphNow()
    if (graph === undefined) return undefined
    const threads = this.#threadsOf(graph)
    const text = this.#text
    for (let place = this.#at - this.#from; place < text.length; place++) {
      const unit = text.charCodeAt(place)
      const goOn = threads.any
      if (goOn || isEscape(unit) || graph.starts.has(unit)) {
        if (goOn && ELLIPSIS_FIRST.has(unit) && !this.#lookForEllipsis(threads, place, isWhole)) break
        if (isEscape(unit) && !this.#readEscapes(threads, place, isWhole)) break
        threads.read(unit, this.#from + place + 1)
      }
      this.#at++
      threads.advance()
    }
    return threads
  }

  /** Secrets that have been learnt since are looked for in what is held back too. */
  #threadsOf(graph: SecretGraph): Threads {
    if (this.#threads === undefined || this.#graph !== graph) {
      this.#graph = graph
      this.#at = this.#from
      this.#spans = new Spans()
      this.#threads = new Threads(graph, this.#spans, this.#at)
    }
    return this.#threads
  }

  /** @returns false when only what comes next can tell */
  #readEscapes(threads: Threads, place: number, isWhole: boolean): boolean {
    const spelled = spelledAt(this.#text, place, isWhole)
    if (spelled === undefined) return false
    // the text may be cut off in the midst of it
    if (isWhole && spelledAt(this.#text, place, false) === undefined) threads.cutOff(this.#from + this.#text.length)
    for (const { code, end } of spelled) threads.read(code, this.#from + end)
    return true
  }

  /** @returns false when only what comes next can tell */
  #lookForEllipsis(threads: Threads, place: number, isWhole: boolean): boolean {
    ELLIPSIS_BEGUN.lastIndex = place
    if (!isWhole && ELLIPSIS_BEGUN.test(this.#text)) return false
    ELLIPSIS.lastIndex = place
    if (ELLIPSIS.test(this.#text)) threads.cutOff(this.#at)
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
