// The corpus of hostile documents, from its files: bytes and what is expected of them (README.md beside this file).
// Knows no mode, no connector and no JSON.

import { readdirSync, readFileSync } from 'node:fs'

export type Expectation =
  | { readonly kind: 'stored' | 'passed over' }
  | { readonly kind: 'becomes'; readonly bytes: Buffer }
  /** The text of a pattern, `*` for any text. */
  | { readonly kind: 'rejected' | 'fault'; readonly words: string }

export interface DocumentCase {
  readonly group: string
  readonly name: string
  /** The bytes of `data`; absent: `line` gives a whole message. */
  readonly data: Buffer | undefined
  /** A message to a stream of the given name. */
  line(stream: string): Buffer
  /** JSON texts: the primary key's field or path, and its name in `keys`. */
  readonly key: string
  readonly sent: string
  /** The text of the message's emitted_at. */
  readonly emitted: string
  /** The text of the message's meta.changes. */
  readonly changes: string
  /** What stands in the point for a nested key: a comma and a member. */
  readonly hoisted: string
  /** By the name of a mode, or `all`. */
  readonly expected: ReadonlyMap<string, Expectation>
}

const FOLDER = new URL('.', import.meta.url)
const KINDS = ['stored', 'passed over', 'becomes', 'rejected', 'fault'] as const

/** All cases, file by file. @throws when a file breaks the rules of README.md */
export function readCorpus(): DocumentCase[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.txt'))
    .sort()
    .flatMap((file) => readGroup(file.slice(0, -'.txt'.length), readFileSync(new URL(file, FOLDER), 'utf8')))
}

function readGroup(group: string, text: string): DocumentCase[] {
  if (/[^\x20-\x7e\n‹›]| $/m.test(text)) throw new Error(`${group}: a byte that is not explicit`)
  const [, ...blocks] = text.split(/^# /m)
  return blocks.map((block) => readCase(group, block))
}

function readCase(group: string, block: string): DocumentCase {
  const [name, ...lines] = block.trimEnd().split('\n') as [string, ...string[]]
  const values = new Map<string, string>()
  for (const line of lines) {
    const [word] = line.split(' ', 1) as [string]
    if (word === '' || values.has(word)) throw new Error(`${group}, ${name}: the line "${line}"`)
    values.set(word, line.slice(word.length + 1))
  }
  const take = (word: string): string | undefined => {
    const value = values.get(word)
    values.delete(word)
    return value
  }
  const [data, line, key = '"id"'] = ['data', 'line', 'key'].map(take)
  const point = {
    sent: take('sent') ?? key,
    emitted: take('emitted') ?? '1',
    changes: take('changes') ?? '[]',
    hoisted: take('hoisted') ?? '',
  }
  if ((data === undefined) === (line === undefined)) throw new Error(`${group}, ${name}: either data or line`)
  if (line !== undefined && [...values.values()].includes('stored')) throw new Error(`${group}, ${name}: becomes what?`)
  if (values.size === 0) throw new Error(`${group}, ${name}: nothing is expected`)
  return {
    group,
    name,
    data: data === undefined ? undefined : bytesOf(data),
    line: (stream) => bytesOf((line ?? `${BEFORE}${data}${BEHIND}`).replaceAll('‹stream›', stream)),
    key: bytesOf(key).toString(),
    sent: bytesOf(point.sent).toString(),
    emitted: bytesOf(point.emitted).toString(),
    changes: bytesOf(point.changes).toString(),
    hoisted: bytesOf(point.hoisted).toString(),
    expected: new Map([...values].map(([mode, expectation]) => [mode, readExpectation(expectation)])),
  }
}

/** `canary` is in every message, for an error must not quote the line. */
const BEFORE = '{"type":"RECORD","record":{"stream":"‹stream›","data":'
const BEHIND = ',"emitted_at":1,"meta":{"note":"canary"}}}'

function readExpectation(text: string): Expectation {
  const kind = KINDS.find((kind) => text === kind || text.startsWith(`${kind} `))
  const rest = text.slice((kind ?? '').length + 1)
  if (kind === undefined || (rest === '') !== (kind === 'stored' || kind === 'passed over'))
    throw new Error(`this is no expectation: ${text}`)
  if (kind === 'becomes') return { kind, bytes: bytesOf(rest) }
  return kind === 'rejected' || kind === 'fault' ? { kind, words: bytesOf(rest).toString() } : { kind }
}

function bytesOf(text: string): Buffer {
  return Buffer.concat(
    text.split(/(‹[^‹›]*›)/).map((part) => (part.startsWith('‹') ? special(part.slice(1, -1)) : Buffer.from(part))),
  )
}

function special(words: string): Buffer {
  if (/^[0-9A-F]{2}(?: [0-9A-F]{2})*$/.test(words)) return Buffer.from(words.replaceAll(' ', ''), 'hex')
  const [, generator, count, what = ''] = /^(repeat|repeat-bytes|members) (\d+)(?: (.+))?$/.exec(words) ?? []
  if (generator === 'repeat' && what !== '') return Buffer.from(what.repeat(Number(count)))
  if (generator === 'repeat-bytes' && what !== '') return repeated(special(what), Number(count))
  if (generator === 'members' && what === '') return members(Number(count))
  throw new Error(`‹${words}› is no bytes and no generator`)
}

function repeated(piece: Buffer, count: number): Buffer {
  return Buffer.alloc(piece.length * count, piece)
}

function members(count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, (_, index) => `"m${index}":${index}`).join(','))
}
