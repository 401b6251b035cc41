// Masks secrets in a text that arrives in pieces: `push` takes each piece in order, `end` the end, and what they return is the whole
// text with stars for secrets. What may be the beginning of a secret is held back until more text arrives.

import type { Form, Forms } from './forms.ts'
import { isPassedOver } from './readers.ts'

const MASK = '******'

/** Fewest signs of a secret's beginning that hold back the end of a line: fewer are there by chance too often. */
const LEAST_HELD = 4

/** A place of the text where a secret may begin, as long as the text ends before that is decided. */
interface Attempt {
  readonly form: Form
  start: number
  /** The place up to which the text was compared. */
  comparedTo: number
  /** How many of the form's signs were found there, from the first on. */
  signsFound: number
}

/** A part of the text that is a secret, and the signs of that, which its forms in all encodings share. */
interface Found extends Span {
  readonly signs: readonly number[]
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Masks the secrets in one text, which has one character a byte (latin1). */
export class SecretMatcher {
  readonly #formsNow: () => Forms | undefined
  /** The forms that were searched for last. */
  #forms: Forms | undefined
  /** Text that is held back. All places count from its start. */
  #text = ''
  /** The next place where a secret may begin. */
  #next = 0
  /** Attempts that wait for more text. */
  #attempts: Attempt[] = []
  #found: Found[] = []

  /** @param formsNow returns the forms to search for, `undefined` when there are no secrets yet */
  constructor(formsNow: () => Forms | undefined) {
    this.#formsNow = formsNow
  }

  /** Adds text. @returns what can be shown of it and of what was held back, masked */
  push(text: string): string {
    this.#text += text
    this.#search()
    // a line that is complete is held back only by what is likely to be a secret
    if (this.#text.endsWith('\n'))
      this.#attempts = this.#attempts.filter((one) => one.signsFound >= LEAST_HELD && !this.#isOtherReading(one))
    const spans = merged(this.#found)
    const showUntil = Math.min(this.#text.length, ...this.#attempts.map((attempt) => heldFrom(attempt, spans)))
    return this.#release(spans, showUntil)
  }

  /** Ends this text; another one may begin. @returns the rest of it, masked */
  end(): string {
    this.#search()
    this.#attempts = []
    return this.#release(merged(this.#found), this.#text.length)
  }

  #search(): void {
    const forms = this.#formsNow()
    // newly learned secrets are also looked for in what is held back
    if (forms !== this.#forms) {
      this.#forms = forms
      this.#next = 0
      this.#attempts = []
      this.#found = []
    }
    this.#attempts = this.#attempts.filter((attempt) => this.#readOn(attempt))
    const text = this.#text
    for (let start = this.#next; start < text.length; start++)
      for (const form of forms?.[text.charCodeAt(start)] ?? []) {
        const attempt = { form, start, comparedTo: start, signsFound: 0 }
        if (this.#readOn(attempt)) this.#attempts.push(attempt)
      }
    this.#next = text.length
  }

  /** Compares the form's next signs with the text, and adds the span to `#found` once all are there.
   *  @returns whether the attempt waits for more text */
  #readOn(attempt: Attempt): boolean {
    const { start, form } = attempt
    const { signs, encoding } = form
    const text = this.#text
    while (attempt.signsFound < signs.length) {
      let code = text.charCodeAt(attempt.comparedTo)
      let end = attempt.comparedTo + 1
      if (encoding.plain[code] !== true) {
        const sign = encoding.read(text, attempt.comparedTo)
        if (sign === undefined) return true
        code = sign.code
        end = sign.end
      }
      if (code === signs[attempt.signsFound]) attempt.signsFound++
      else if (attempt.signsFound === 0 || !isPassedOver(code)) return false
      attempt.comparedTo = end
    }
    this.#found.push({ start, end: attempt.comparedTo, signs })
    return false
  }

  /** Whether the same secret was found at the same place in another encoding. */
  #isOtherReading({ start, form }: Attempt): boolean {
    return this.#found.some((found) => found.start === start && found.signs === form.signs)
  }

  /** Takes the text before `until` out of `#text`, or before the span that `until` lies in, and returns it masked. A span with a negative
   *  start is the rest of secrets that overlap: the stars for it were shown with the first of them. */
  #release(spans: readonly Span[], until: number): string {
    const text = this.#text
    const end = Math.max(0, spans.find((span) => span.start < until && span.end > until)?.start ?? until)
    let clean = ''
    let shownTo = 0
    for (const span of spans) {
      if (span.end > end) break
      if (span.start >= 0) clean += text.slice(shownTo, span.start) + MASK
      shownTo = span.end
    }
    clean += text.slice(shownTo, end)
    this.#text = text.slice(end)
    this.#next -= end
    this.#found = this.#found
      .filter((found) => found.end > end)
      .map(({ start, end: to, signs }) => ({ start: start - end, end: to - end, signs }))
    for (const attempt of this.#attempts) {
      attempt.start -= end
      attempt.comparedTo -= end
    }
    return clean
  }
}

/** The place from which an attempt holds text back: its start; or, where it begins in a found secret and was compared to its end, that end,
 *  as the secret is shown as stars at once. 0 where the place is in text that was shown. */
function heldFrom({ start, comparedTo }: Attempt, spans: readonly Span[]): number {
  const found = spans.find((span) => span.start <= start && start < span.end && span.end <= comparedTo)
  return Math.max(0, found?.end ?? start)
}

/** Sorts spans, and makes one of those that overlap. */
function merged(spans: readonly Span[]): Span[] {
  const all: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1)
    if (last && span.start < last.end) all[all.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
    else all.push(span)
  }
  return all
}
