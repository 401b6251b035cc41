// Cuts a .proto text into words, as protoc does: comments and blanks lie between them. Time grows with the text, no faster.

import { SchemaError } from '../unreadable.ts'

/** Blanks and comments; string literals, which end with their line at the latest; names, numbers, and any other character. What
 *  is unclosed matches too, so that it is looked for once. */
const TOKEN =
  /\s+|\/\/[^\n]*|\/\*(?:[^]*?\*\/|[^]*)|"(?:[^"\\\n]+|\\[^])*["\n]?|'(?:[^'\\\n]+|\\[^])*['\n]?|[A-Za-z_]\w*|\d[\w.]*|[^]/y
const BLANK = /^(?:\s|\/[/*])/
const NAME = /^[A-Za-z_]\w*$/
const INTEGER = /^(?:0[xX][\dA-Fa-f]+|0[0-7]*|[1-9]\d*)$/

/** The words of a text, one after another. All its methods throw SchemaError where the text goes on otherwise. */
export class ProtoTokens {
  readonly #text: string
  /** Where the word begins and ends. */
  #start = 0
  #end = 0
  /** The one that is next; empty at the end of the text. */
  word = ''

  constructor(text: string) {
    this.#text = text
    this.take()
  }

  /** Goes on to the next word.
   *  @returns the one before it */
  take(): string {
    const taken = this.word
    this.word = this.#scan(this.#end)
    this.#end = TOKEN.lastIndex
    this.#start = this.#end - this.word.length
    return taken
  }

  /** The word behind the next one. */
  get after(): string {
    return this.#scan(this.#end)
  }

  /** @returns whether it was next */
  skip(word: string): boolean {
    const isNext = this.word === word
    if (isNext) this.take()
    return isNext
  }

  demand(word: string): void {
    if (!this.skip(word)) this.fail()
  }

  name(): string {
    return NAME.test(this.word) ? this.take() : this.fail()
  }

  /** Names with dots between, and before the first one perhaps. */
  path(): string {
    let path = this.skip('.') ? `.${this.name()}` : this.name()
    while (this.skip('.')) path += `.${this.name()}`
    return path
  }

  /** A minus may stand before it, apart from it or not. */
  integer(): number {
    const sign = this.skip('-') ? -1 : 1
    if (!INTEGER.test(this.word)) this.fail()
    return sign * Number(this.take().replace(/^0(?=\d)/, '0o'))
  }

  /** String literals one after another are one. Its escapes stay as they are. */
  string(): string {
    let text = ''
    do text += /^["']/.test(this.word) ? this.take().slice(1, -1) : this.fail()
    while (/^["']/.test(this.word))
    return text
  }

  fail(): never {
    const line = this.#text.slice(0, this.#start).split('\n').length
    const found = this.word === '' ? 'it ends' : `found ${JSON.stringify(this.word.slice(0, 40))}`
    throw new SchemaError(`is not a .proto text that can be read: ${found} in line ${line}`)
  }

  #scan(from: number): string {
    TOKEN.lastIndex = from
    for (;;) {
      const at = TOKEN.lastIndex
      const [found = ''] = TOKEN.exec(this.#text) ?? []
      if (found === '') TOKEN.lastIndex = this.#text.length
      if (isUnclosed(found)) {
        this.#start = at
        this.word = found
        this.fail()
      }
      if (!BLANK.test(found)) return found
    }
  }
}

function isUnclosed(found: string): boolean {
  if (found.startsWith('/*')) return found.length < 4 || !found.endsWith('*/')
  return /^["']/.test(found) && (found.length === 1 || found.at(-1) !== found[0])
}
