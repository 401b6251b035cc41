// Takes secrets out of text, in whatever form a server or a library may have written them, and out of a line of our own
// on its way, which stays what it was: text, or a message in JSON.

import { escapeLineEnds } from '../json/strings.ts'
import { SecretMatcher } from './matcher.ts'
import { patternsOf } from './patterns.ts'
import { SecretGraph } from './states.ts'

/** What must not be shown, and what takes it out of every text that goes anywhere. Secrets are learnt as they become
 *  known; there is one scrubber a process.
 *
 *  Each occurrence becomes six stars: literal, percent-encoded, with escapes of JSON, JavaScript, C or HTML, read as
 *  Latin-1, each of these again and again and for any choice of characters; in base64 and base64url, also inside a longer
 *  text; as hexadecimal or decimal bytes; and half of it, or 8 characters, where the text is cut off. */
export class Scrubber {
  /** Debug output that waits for a secret to be learnt. */
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

  /** Whether there is anything to take out. */
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

/** Where a message has words of the protocol, which a secret may look like, and the words. */
const FIXED = new Set(['type', 'level', 'status', 'failure_type'])
const WORD = /^(?:[A-Z_]+|(?:config|transient|system)_error)$/

/** Of a JSON object the texts are scrubbed, not its grammar and its names. */
export function scrubLine(line: string, scrub: (text: string) => string): string {
  const clean = scrub(line)
  if (clean === line || !line.startsWith('{')) return clean
  const text = JSON.stringify(JSON.parse(line), (name, value: unknown) =>
    typeof value === 'string' && !(FIXED.has(name) && WORD.test(value)) ? scrub(value) : value,
  )
  return `${escapeLineEnds(text)}\n`
}

// Node's own debug output (NODE_DEBUG), which may hold secrets that are not known yet.

/** What is held at most, in UTF-16 units: of what is beyond nothing is shown. */
const MOST = 1_048_576

/** Lines that are printed while a secret is being fetched wait until it is known. */
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

  /** Of those that wait nothing is shown: what is in them may never be known. */
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
