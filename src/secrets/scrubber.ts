// Takes secrets out of text, in whatever form a server or a library may have written them, and out of a line of our own
// on its way, which stays what it was: text, or a message in JSON. Knows no field names.

import { escapeLineEnds } from '../json/strings.ts'
import { HeldDebug } from './held-debug.ts'
import { graphOf } from './secret-graph.ts'
import type { SecretGraph } from './secret-graph.ts'
import { patternsOf } from './secret-patterns.ts'
import { Sieve } from './sieve.ts'

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
    this.#graph = patterns.length === 0 ? undefined : graphOf(patterns)
  }

  /** Whether there is anything to take out. */
  get knows(): boolean {
    return this.#graph !== undefined
  }

  /** Needs no `this`. */
  readonly scrub = (text: string): string => {
    const sieve = this.sieve()
    return sieve.push(text) + sieve.end()
  }

  /** For a text that comes in pieces. */
  sieve(): Sieve {
    return new Sieve(() => this.#graph)
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
