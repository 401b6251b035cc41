// Takes secrets out of text, in whatever form a server or a library may have written them. Knows no field names.

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
