// Prepares a .proto text for the parser. Comments are removed, because the parser takes one that touches a word for part of it.
// A text that would block the event loop for too long is refused.

import { SchemaError } from '../unreadable.ts'

/** The parser is that of protobufjs. Its time is quadratic in what one block declares: 5,000 fields of a message take seconds. For
 *  each field it checks every reserved range, and for each part of an option all parts before it. */
const MOST_WORK = 5_000 ** 2
/** Statements, blocks, ranges and parts of options: each takes some memory. */
const MOST_PARTS = 100_000

/** The work of a schema and all its imports. */
export class ProtoWork {
  #work = 0
  #parts = 0

  /** @throws SchemaError */
  add(work: number, parts: number): void {
    this.#work += work
    this.#parts += parts
    if (this.#work > MOST_WORK || this.#parts > MOST_PARTS)
      throw new SchemaError('declares too much in too few messages to be read')
  }
}

/** Lines stay where they are, for messages.
 *  @param work grows
 *  @throws SchemaError */
export function protoSource(text: string, work = new ProtoWork()): string {
  const source = new Source(text, work)
  return source.read()
}

/** String literals (which end at the end of their line at the latest), comments, and punctuation. */
const MARKS = /"(?:[^"\\\n]+|\\[^])*["\n]?|'(?:[^'\\\n]+|\\[^])*['\n]?|\/\/[^\n]*|\/\*(?:[^]*?\*\/|[^]*)|[{};,:]/g

class Source {
  readonly #text: string
  readonly #kept: string[] = []
  readonly #work: ProtoWork
  /** What is not kept yet begins here. */
  #from = 0
  /** The file's, and within it those that are open. */
  readonly #open = [blockOf('other', 0)]

  constructor(text: string, work: ProtoWork) {
    this.#text = text
    this.#work = work
  }

  read(): string {
    const text = this.#text
    for (const { 0: found, index } of text.matchAll(MARKS)) {
      if (found.startsWith('/')) this.#comment(found, index)
      else if (found[0] !== '"' && found[0] !== "'") this.#structure(found, index)
    }
    while (this.#open.length > 0) this.#close(text.length)
    this.#kept.push(text.slice(this.#from))
    return this.#kept.join('')
  }

  #comment(comment: string, index: number): void {
    const isLine = comment[1] === '/'
    // the parser reports one that never ends
    if (!isLine && (comment.length < 4 || !comment.endsWith('*/'))) return
    const past = index + comment.length
    const block = this.#open.at(-1)
    if (block && !/\S/.test(this.#text.slice(block.start, index))) block.start = past
    const lines = isLine ? 0 : comment.split('\n').length - 1
    this.#kept.push(this.#text.slice(this.#from, index), lines === 0 ? ' ' : '\n'.repeat(lines))
    this.#from = past
  }

  #structure(mark: string, index: number): void {
    const block = this.#open.at(-1)
    if (mark === '}') this.#close(index)
    else if (mark === '{') this.#open.push(blockOf(this.#kindOf(block, index), index + 1))
    else if (!block) return
    else if (mark === ';') this.#end(block, index)
    else block.listed++
  }

  /** A statement ends. */
  #end(block: Block, index: number): void {
    const { kind, start, listed } = block
    const isRanges = /^\s*(?:reserved|extensions)\b/.test(this.#beginning(start, index))
    if (kind === 'value') block.declared += listed
    else if (isRanges) block.ranges += listed + 1
    else this.#work.add(listed ** 2, listed)
    block.declared++
    begin(block, index + 1)
  }

  #close(index: number): void {
    const block = this.#open.pop() ?? blockOf('other', 0)
    const { kind, listed, ranges } = block
    const around = this.#open.at(-1)
    // of a value what is not ended by a semicolon counts too
    const declared = block.declared + (kind === 'value' ? listed : 0)
    if (kind === 'list') this.#work.add(declared * ranges, declared + ranges)
    else if (kind !== 'part') this.#work.add(declared * (declared + ranges + block.blocks), declared + ranges + 1)
    if (kind !== 'value') this.#work.add(listed ** 2, listed)
    if (around) closed(around, kind, declared, index + 1)
  }

  #kindOf(around: Block | undefined, index: number): Block['kind'] {
    if (around?.kind === 'value') return 'value'
    const opening = this.#beginning(around?.start ?? index, index).replaceAll(/\/\/.*|\/\*[^]*?\*\//g, ' ')
    const [word = ''] = /[a-z]+/.exec(opening) ?? []
    const kind = KINDS[word] ?? 'other'
    return kind === 'other' && opening.includes('=') ? 'value' : kind
  }

  /** Of a statement. */
  #beginning(start: number, index: number): string {
    return this.#text.slice(start, Math.min(index, start + 1000))
  }
}

/** part: what it declares belongs to the block around it. list: of values, which take no such time. group: it is a field too.
 *  value: of an option. */
interface Block {
  readonly kind: 'part' | 'list' | 'group' | 'value' | 'other'
  declared: number
  /** Of numbers, reserved or for extensions. */
  ranges: number
  /** Others in it. */
  blocks: number
  /** Where the statement began, and commas, colons and values in it so far. */
  start: number
  listed: number
}

const KINDS: Readonly<Record<string, Block['kind']>> = {
  oneof: 'part',
  extend: 'part',
  enum: 'list',
  optional: 'group',
  required: 'group',
  repeated: 'group',
}

function blockOf(kind: Block['kind'], start: number): Block {
  return { kind, declared: 0, ranges: 0, blocks: 0, start, listed: 0 }
}

/** A block within it ends. */
function closed(around: Block, kind: Block['kind'], declared: number, index: number): void {
  if (kind === 'value') {
    around.listed++
    return
  }
  begin(around, index)
  if (kind === 'part') around.declared += declared
  else if (kind === 'group') around.declared++
  else around.blocks++
}

/** A statement begins. */
function begin(block: Block, index: number): void {
  block.start = index
  block.listed = 0
}
