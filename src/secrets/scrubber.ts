// Masks secrets in text, in the forms in which servers and libraries write them (docs/guarantees.md#secrets lists them). A line of
// our own that is JSON stays JSON.

import { escapeObeyed } from '../json/strings.ts'
import { SecretMatcher } from './matcher.ts'
import { patternsOf } from './patterns.ts'
import { SecretGraph } from './states.ts'

/** Holds the secrets and masks them in every text that leaves the process. Secrets are added as they become known; a process has one
 *  scrubber.
 *
 *  Each occurrence becomes six stars: literal, percent-encoded, with escapes of JSON, JavaScript, C or HTML, read as
 *  Latin-1, each of these again and again and for any choice of characters; in base64 and base64url, also inside a longer
 *  text; as hexadecimal or decimal bytes; and half of it, or 8 characters, where the text is cut off. */
export class Scrubber {
  /** Debug output that waits until a secret is known. */
  readonly debug = new HeldDebug()
  readonly #secrets = new Set<string>()
  #graph: SecretGraph | undefined

  constructor(secrets: readonly string[] = []) {
    this.learn(secrets)
  }

  learn(secrets: readonly string[]): void {
    const before = this.#secrets.size
    for (const secret of secrets) this.#secrets.add(secret)
    if (this.#secrets.size === before) return
    const patterns = [...this.#secrets].flatMap(patternsOf)
    this.#graph = patterns.length === 0 ? undefined : new SecretGraph(patterns)
  }

  /** Whether it knows a secret. */
  get knows(): boolean {
    return this.#graph !== undefined
  }

  /** Needs no `this`. */
  readonly scrub = (text: string): string => {
    const matcher = this.matcher()
    return matcher.push(text) + matcher.end()
  }

  /** For a text that comes in pieces. */
  matcher(): SecretMatcher {
    return new SecretMatcher(() => this.#graph)
  }
}

/** Members whose values are words of the protocol, and those words. A secret may be equal to one. */
const FIXED = new Set(['type', 'level', 'status', 'failure_type'])
const WORD = /^(?:[A-Z_]+|(?:config|transient|system)_error)$/

/** In a JSON object only strings are scrubbed, not syntax and names. */
export function scrubLine(line: string, scrub: (text: string) => string): string {
  const clean = scrub(line)
  if (clean === line || !line.startsWith('{')) return clean
  const text = JSON.stringify(JSON.parse(line), (name, value: unknown) =>
    typeof value === 'string' && !(FIXED.has(name) && WORD.test(value)) ? scrub(value) : value,
  )
  return `${escapeObeyed(text)}\n`
}

// Node's own debug output (NODE_DEBUG), which may hold secrets that are not known yet.

/** The most that is held, in UTF-16 units; what is beyond it is dropped. */
const MOST = 1_048_576

/** Holds lines that are printed while a secret is being fetched. */
export class HeldDebug {
  #holders = 0
  #lines: (() => void)[] = []
  #size = 0
  #left = 0
  #print: ((text: string) => void) | undefined

  /** Prints it, now or later. */
  print(text: string, print: (text: string) => void): void {
    if (this.#holders === 0) {
      print(text)
      return
    }
    this.#print = print
    this.#size += text.length
    if (this.#size > MOST) this.#left++
    else this.#lines.push(() => print(text))
  }

  /** From now on lines wait.
   *  @returns to be called once, at the end: `isKnown` when no secret is in them that the scrubber does not know; else they are
   *  left out, and their number is printed */
  hold(): (isKnown: boolean) => void {
    this.#holders++
    return (isKnown) => {
      this.#holders--
      if (!isKnown) this.leaveOut()
      if (this.#holders > 0) return
      const lines = this.#lines
      this.#lines = []
      for (const print of lines) print()
      this.#printLeft()
    }
  }

  /** Drops the lines that wait, as the secrets in them may never be known. */
  leaveOut(): void {
    this.#left += this.#lines.length
    this.#lines = []
    this.#printLeft()
  }

  #printLeft(): void {
    if (this.#left > 0) {
      this.#print?.(`(${this.#left} pieces of debug output are left out: a token that nobody knows may be in them)`)
    }
    this.#left = 0
    this.#size = 0
  }
}
