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
  const source = text.replaceAll(COMMENTS, withoutComment)
  weigh(source, work)
  return source
}

/** String literals (which end at the end of their line at the latest), and comments. */
const COMMENTS = /"(?:[^"\\\n]+|\\[^])*["\n]?|'(?:[^'\\\n]+|\\[^])*['\n]?|\/\/[^\n]*|\/\*(?:[^]*?\*\/|[^]*)/g

function withoutComment(found: string): string {
  if (found.startsWith('//')) return ' '
  // the parser reports one that never ends
  if (!found.startsWith('/*') || found.length < 4 || !found.endsWith('*/')) return found
  return '\n'.repeat(found.split('\n').length - 1) || ' '
}

/** String literals, and punctuation. */
const MARKS = /"(?:[^"\\\n]+|\\[^])*["\n]?|'(?:[^'\\\n]+|\\[^])*['\n]?|[{};,:]/g

/** part: what it declares belongs to the block around it. value: of an option, or a group: it is declared too. */
interface Block {
  readonly kind: 'part' | 'enum' | 'value' | 'other'
  /** Statements; of all but an enum also what they list. */
  declared: number
  /** Of an enum, whose values take no such time without reserved ranges. */
  listed: number
  /** Others in it. */
  blocks: number
}

/** @param source without comments */
function weigh(source: string, work: ProtoWork): void {
  /** The file's, and within it those that are open. */
  const open = [blockOf('other')]
  let start = 0
  for (const { 0: mark, index } of source.matchAll(MARKS)) {
    const block = open.at(-1)!
    if (mark === '{') {
      const opening = source.slice(start, Math.min(index, start + 1000))
      open.push(blockOf(block.kind === 'value' ? 'value' : kindOf(opening)))
    } else if (mark === '}') {
      // one too many is for the parser to report
      if (open.length > 1) closed(open.pop()!, open.at(-1), work)
    } else if (mark === ',' && block.kind === 'enum') block.listed++
    else if (';,:'.includes(mark)) block.declared++
    if ('{};'.includes(mark)) start = index + 1
  }
  while (open.length > 0) closed(open.pop()!, open.at(-1), work)
}

function closed({ kind, declared, listed, blocks }: Block, around: Block | undefined, work: ProtoWork): void {
  if (kind !== 'part') work.add(declared * (kind === 'enum' ? listed : declared + blocks), declared + listed + 1)
  if (!around) return
  if (kind === 'part') around.declared += declared
  else if (kind === 'value') around.declared++
  else around.blocks++
}

function blockOf(kind: Block['kind']): Block {
  return { kind, declared: 0, listed: 0, blocks: 0 }
}

/** @param opening what stands before it, from where its statement begins */
function kindOf(opening: string): Block['kind'] {
  const [word = ''] = /[a-z]+/.exec(opening) ?? []
  if (word === 'oneof' || word === 'extend') return 'part'
  if (word === 'enum') return 'enum'
  return opening.includes('=') ? 'value' : 'other'
}
