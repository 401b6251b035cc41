// Cuts a .proto text into words, as protoc does: comments and blanks lie between them. The time that it takes grows in line with the text.

import { SchemaError } from '../unreadable.ts'

/** Blanks; comments; string literals, which end with their line at the latest; names; numbers; any other character. A comment or a literal
 *  that is not closed matches too, because otherwise its end might be looked for again at each of its characters. */
const TOKEN =
  /\s+|\/\/[^\n]*|\/\*(?:[^]*?\*\/|[^]*)|"(?:[^"\\\n]+|\\[^])*["\n]?|'(?:[^'\\\n]+|\\[^])*['\n]?|[A-Za-z_]\w*|\d[\w.]*|[^]/y
const BLANK = /^(?:\s|\/[/*])/
const NAME = /^[A-Za-z_]\w*$/
/** 0x1F; 017, which is octal; 42. */
const INTEGER = /^(?:0[xX][\dA-Fa-f]+|0[0-7]*|[1-9]\d*)$/

/** The words of a text, one after another. Each method that returns a kind of word throws SchemaError when the next word is none. */
export class ProtoTokens {
  readonly #text: string
  /** The word that is next; empty at the end of the text. */
  word = ''
  /** Where that word begins and ends. */
  #start = 0
  #end = 0

  constructor(text: string) {
    this.#text = text
    this.take()
  }

  /** Goes past the word that is next, and returns it. */
  take(): string {
    const taken = this.word
    this.word = this.#scan(this.#end)
    this.#end = TOKEN.lastIndex
    this.#start = this.#end - this.word.length
    return taken
  }

  /** The word behind `word`. */
  get after(): string {
    return this.#scan(this.#end)
  }

  /** Goes past `word`, if that is next, and returns whether it was. */
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

  /** Reads names with dots between; another dot may stand in front. */
  path(): string {
    let path = this.skip('.') ? `.${this.name()}` : this.name()
    while (this.skip('.')) path += `.${this.name()}`
    return path
  }

  /** Reads an integer. A minus may stand in front, with blanks between. */
  integer(): number {
    const sign = this.skip('-') ? -1 : 1
    if (!INTEGER.test(this.word)) this.fail()
    return sign * Number(this.take().replace(/^0(?=\d)/, '0o'))
  }

  /** Reads a string, which may be several literals one after another. Its escapes stay as they are. */
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

  /** The first word from `from` on; '' when there is none. TOKEN.lastIndex is then the place behind it. */
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
  if (found.startsWith('/*')) return found.length < 4 || !found.endsWith('*/') // in /*/ one * does not do both
  return /^["']/.test(found) && (found.length === 1 || found.at(-1) !== found[0])
}
