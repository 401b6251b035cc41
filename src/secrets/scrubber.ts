// Masks secrets in text, in the forms in which servers and libraries write them (docs/guarantees.md#secrets lists them). A line of
// our own that is JSON stays JSON.

import { CODES, EVENTS } from '../core/codes.ts'
import { escapeObeyed } from '../json/strings.ts'
import { formsOf, type Forms } from './forms.ts'
import { SecretMatcher } from './matcher.ts'
import { HeldDebug } from './node-debug.ts'

/** Most values of one source: servers and libraries still speak of the last few only, and memory stays flat. */
const MOST_RENEWED = 4

/** Holds the secrets and masks them in every text that leaves the process. Secrets are added as they become known; a process has one
 *  scrubber.
 *
 *  Each occurrence becomes six stars: literal; percent-encoded or in JSON, once or twice; as a form and in HTML; in base64 and
 *  base64url, also inside a longer text; and as hexadecimal bytes. White space and signs without width may stand within. Nothing is
 *  masked of a secret that a text cuts off, so scrub a text before you shorten it. */
export class Scrubber {
  /** Debug output that waits until a secret is known. */
  readonly debug = new HeldDebug()
  readonly #secrets = new Set<string>()
  /** Newest last, of each source whose secrets are renewed. */
  readonly #renewed = new Map<string, readonly string[]>()
  #forms: Forms | undefined

  constructor(secrets: readonly string[] = []) {
    this.learn(secrets)
  }

  /** Adds secrets, which are masked from now on.
   *  @param source what renews them: of each source only the newest MOST_RENEWED stay masked; absent when they stay for good */
  learn(secrets: readonly string[], source?: string): void {
    const fresh = secrets.filter((secret) => !this.#isKnown(secret, source))
    if (fresh.length === 0) return
    if (source === undefined) for (const secret of fresh) this.#secrets.add(secret)
    else {
      const kept = (this.#renewed.get(source) ?? []).filter((secret) => !fresh.includes(secret))
      this.#renewed.set(source, [...kept, ...fresh].slice(-MOST_RENEWED))
    }
    this.#forms = formsOf([...this.#secrets, ...[...this.#renewed.values()].flat()])
  }

  #isKnown(secret: string, source: string | undefined): boolean {
    return this.#secrets.has(secret) || (source !== undefined && this.#renewed.get(source)?.at(-1) === secret)
  }

  /** Whether there is a secret to mask. */
  get knows(): boolean {
    return this.#forms !== undefined
  }

  /** Masks the secrets in a whole text. It needs no `this`, so it may be passed on alone. */
  readonly scrub = (text: string): string =>
    this.#through(text, (matcher, bytes) => matcher.push(bytes) + matcher.end())

  /** Masks the secrets in the beginning of a text. Its end is left out where it may be the beginning of a secret. */
  scrubBeginning(text: string): string {
    return this.#through(text, (matcher, bytes) => matcher.push(bytes))
  }

  /** What masks a text that comes in pieces: also secrets that are learnt meanwhile. */
  matcher(): SecretMatcher {
    return new SecretMatcher(() => this.#forms)
  }

  #through(text: string, act: (matcher: SecretMatcher, bytes: string) => string): string {
    if (!this.knows) return text
    const bytes = Buffer.from(text).toString('latin1')
    const clean = act(this.matcher(), bytes)
    return clean === bytes ? text : Buffer.from(clean, 'latin1').toString()
  }
}

/** Members whose values are words of the protocol, and those words. A secret may be equal to one. */
const FIXED = new Set(['type', 'level', 'status', 'failure_type', 'code', 'event'])
const WORD = /^(?:[A-Z_]+|(?:config|transient|system)_error)$/
const NAMES: ReadonlySet<string> = new Set([...Object.keys(CODES), ...Object.keys(EVENTS)])

/** Scrubs a line of the program's own. One that is a JSON object stays one: only strings in it are masked, not syntax and names. */
export function scrubLine(line: string, scrub: (text: string) => string): string {
  const clean = scrub(line)
  if (!line.startsWith('{')) return clean
  // what the line escapes a third time is not found in it
  if (clean === line && !line.includes(String.raw`\\`)) return line
  let found = false
  const text = JSON.stringify(JSON.parse(line), (name, value: unknown) => {
    if (typeof value !== 'string' || (FIXED.has(name) && (WORD.test(value) || NAMES.has(value)))) return value
    const masked = scrub(value)
    found ||= masked !== value
    return masked
  })
  return found ? `${escapeObeyed(text)}\n` : line
}
