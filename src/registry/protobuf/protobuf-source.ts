// A .proto text before it is parsed: without its comments, which the parser takes for part of a word where no blank is before
// them, and not so large that parsing it would keep everything else waiting. Knows no grammar but strings, comments and braces.

import { SchemaTrouble } from '../trouble.ts'

/** The parser takes time by the square of what one block declares: 5,000 fields of a message take it a second or two. */
const MOST_WORK = 5_000 ** 2

/** Lines stay where they are, for messages.
 *  @throws SchemaTrouble */
export function protoSource(text: string): string {
  const source = new Source(text)
  return source.read()
}

class Source {
  readonly #text: string
  readonly #kept: string[] = []
  /** What is not kept yet begins here. */
  #from = 0
  /** Where the statement began. */
  #start = 0
  /** The file's, and within it those that are open. */
  readonly #open = [blockOf('')]
  #work = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): string {
    const text = this.#text
    const marks = /["'{};]|\/[/*]/g
    for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
      const { 0: found, index } = mark
      if (found === '"' || found === "'") marks.lastIndex = this.#pastString(index)
      else if (found === '//' || found === '/*') marks.lastIndex = this.#pastComment(index)
      else this.#structure(found, index)
    }
    while (this.#open.length > 0) this.#close()
    this.#kept.push(text.slice(this.#from))
    return this.#kept.join('')
  }

  /** Past its closing quote, or where its line ends without. */
  #pastString(index: number): number {
    const text = this.#text
    const quote = text[index]
    for (let at = index + 1; at < text.length; at++) {
      const letter = text[at]
      if (letter === '\\') at++
      else if (letter === quote || letter === '\n') return at + 1
    }
    return text.length
  }

  #pastComment(index: number): number {
    const text = this.#text
    const isLine = text[index + 1] === '/'
    const end = text.indexOf(isLine ? '\n' : '*/', index + 2)
    // one that never ends is for the parser to tell
    if (end === -1 && !isLine) return text.length
    const past = isLine ? (end === -1 ? text.length : end) : end + 2
    const lines = isLine ? 0 : text.slice(index, past).split('\n').length - 1
    this.#kept.push(text.slice(this.#from, index), lines === 0 ? ' ' : '\n'.repeat(lines))
    this.#from = past
    return past
  }

  #structure(mark: string, index: number): void {
    if (mark === '{') this.#open.push(blockOf(this.#text.slice(this.#start, index)))
    else if (mark === ';') this.#declare(1)
    else this.#close()
    this.#start = index + 1
  }

  #declare(count: number): void {
    const block = this.#open.at(-1)
    if (block) block.declared += count
  }

  #close(): void {
    const { kind, declared } = this.#open.pop() ?? blockOf('')
    if (kind === 'part') this.#declare(declared)
    else if (kind !== 'list') this.#work += declared ** 2
    if (kind === 'group') this.#declare(1)
    if (this.#work > MOST_WORK) throw new SchemaTrouble('declares too much in too few messages to be read')
  }
}

/** part: what it declares belongs to the block around it. list: of values, which take no such time. group: it is a field too. */
interface Block {
  readonly kind: 'part' | 'list' | 'group' | 'other'
  declared: number
}

const KINDS: Readonly<Record<string, Block['kind']>> = {
  oneof: 'part',
  extend: 'part',
  enum: 'list',
  optional: 'group',
  required: 'group',
  repeated: 'group',
}

/** @param opening what stands before its brace */
function blockOf(opening: string): Block {
  const [word = ''] = /[a-z]+/.exec(opening.slice(0, 1000)) ?? []
  return { kind: KINDS[word] ?? 'other', declared: 0 }
}
