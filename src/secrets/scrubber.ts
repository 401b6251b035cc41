// Masks secrets in texts, in the forms in which servers and libraries write them (docs/guarantees.md#secrets lists them). A line of the
// program's own that is JSON stays JSON.

import { CODES, EVENTS } from '../core/codes.ts'
import { escapeObeyed } from '../json/strings.ts'
import { formsOf, type Forms } from './forms.ts'
import { SecretMatcher } from './matcher.ts'
import { HeldDebug } from './node-debug.ts'

/** The most secrets of one source that stay masked: servers and libraries speak only of the newest ones, and memory must not grow. */
const MOST_RENEWED = 4

/** Holds the secrets of a process, which are added as they become known, and masks them in every text that leaves it. Each occurrence
 *  becomes six stars: literal; percent-encoded or in JSON, once or twice; as a form and in HTML; in base64 and base64url, also inside a
 *  longer text; and as hexadecimal bytes. White space and signs without width may stand within. A secret whose end a text cuts off is not
 *  masked, so scrub a text before you shorten it. */
export class Scrubber {
  /** Debug output that waits until a secret is known. */
  readonly debug = new HeldDebug()
  readonly #secrets = new Set<string>()
  /** The secrets of each source that renews them, newest last. */
  readonly #renewed = new Map<string, readonly string[]>()
  #forms: Forms | undefined

  constructor(secrets: readonly string[] = []) {
    this.learn(secrets)
  }

  /** Adds secrets, which are masked from now on.
   *  @param source a name for what renews them: of each source only the newest MOST_RENEWED stay masked. Absent when they stay for good */
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
    // an older one of the source is not known: it becomes the newest
    return this.#secrets.has(secret) || (source !== undefined && this.#renewed.get(source)?.at(-1) === secret)
  }

  /** Whether there is a secret to mask. */
  get knows(): boolean {
    return this.#forms !== undefined
  }

  /** Masks the secrets in a whole text. It needs no `this`, so it may be passed on alone. */
  readonly scrub = (text: string): string =>
    this.#withMatcher(text, (matcher, bytes) => matcher.push(bytes) + matcher.end())

  /** Masks the secrets in the beginning of a text. Its end is left out where it may be the beginning of a secret. */
  scrubBeginning(text: string): string {
    return this.#withMatcher(text, (matcher, bytes) => matcher.push(bytes))
  }

  /** Makes the masker of a text that comes in pieces. It masks secrets that are learnt meanwhile, too. */
  matcher(): SecretMatcher {
    return new SecretMatcher(() => this.#forms)
  }

  #withMatcher(text: string, mask: (matcher: SecretMatcher, bytes: string) => string): string {
    if (!this.knows) return text
    const bytes = Buffer.from(text).toString('latin1')
    const clean = mask(this.matcher(), bytes)
    return clean === bytes ? text : Buffer.from(clean, 'latin1').toString()
  }
}

/** Members of our lines whose values may be words of ours, which are not masked even if a secret is equal to one. */
const MEMBERS_OF_WORDS = new Set(['type', 'level', 'status', 'failure_type', 'code', 'event'])
const CODES_AND_EVENTS: ReadonlySet<string> = new Set([...Object.keys(CODES), ...Object.keys(EVENTS)])
// such as RECORD, STARTED, config_error and output.unwritable
const isWordOfOurs = (text: string): boolean =>
  /^(?:[A-Z_]+|(?:config|transient|system)_error)$/.test(text) || CODES_AND_EVENTS.has(text)

/** Scrubs a line of the program's own. One that is a JSON object stays one: only strings in it are masked, not syntax and names. */
export function scrubLine(line: string, scrub: (text: string) => string): string {
  const clean = scrub(line)
  if (!line.startsWith('{')) return clean
  // a string with a backslash may hold a secret in JSON twice over: the line escapes it a third time, and only the string itself shows it
  if (clean === line && !line.includes(String.raw`\\`)) return line
  let hasMasked = false
  const text = JSON.stringify(JSON.parse(line), (name, value: unknown) => {
    if (typeof value !== 'string' || (MEMBERS_OF_WORDS.has(name) && isWordOfOurs(value))) return value
    const masked = scrub(value)
    hasMasked ||= masked !== value
    return masked
  })
  // JSON.stringify leaves characters that a terminal obeys, such as U+009B
  return hasMasked ? `${escapeObeyed(text)}\n` : line
}
