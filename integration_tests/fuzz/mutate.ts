// Changes to a line: some leave it JSON, some do not, most leave the verdict to whoever reads it. Seeded.

import type { Random } from '../engine/random.ts'
import { NAMES, nested, NO_TEXT, NO_VALUES, oneOf, VALUES } from './hostile.ts'
import type { Range } from './locate.ts'

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g
/** Beyond it a line is changed by its bytes alone. */
const LONGEST = 20_000
const SPARE = '{}[]",:\\/bfnrtu0123456789-+.eEdDaAxX \t\r\u0000\u001f\u007fNnIi\x80\xff'
const SPACES = [' ', '\t', '\r', '  ', ' \t\r ']
const NO_SPACES = [
  '\f',
  '\v',
  '\u0000',
  '\u00a0',
  '\xc2\xa0',
  '\xe2\x80\xa8',
  '\xe2\x80\x83',
  '\xef\xbb\xbf',
  '\x1f',
  '\\n',
]
const HOW_OFTEN = [1, 1, 1, 1, 1, 1, 2, 2, 2, 4]
const LEVELS = [1, 2, 40, 1019, 1020, 1021, 1022, 1023, 1024, 1025, 5_000]

type Change = (line: string, random: Random, other: string) => string

/** Changes the line once, often twice. @param other a line it may get a part of; both latin1 */
export function mutate(line: string, random: Random, other: string): string {
  let changed = line
  for (let changes = oneOf(random, HOW_OFTEN); changes > 0; changes--) {
    const change = changed.length > LONGEST ? 'bytes' : random.pick(WEIGHTS)
    changed = CHANGES[change](changed, random, other)
  }
  return changed
}

/** Those that keep a line JSON, and those that hardly do, weigh about the same. */
const WEIGHTS = {
  value: 7,
  name: 3,
  again: 5,
  deeper: 2,
  escape: 5,
  space: 4,
  long: 0.05,
  noValue: 3,
  noSpace: 2,
  token: 2,
  bytes: 4,
  truncate: 1,
  noText: 2,
  splice: 1,
  mark: 0.5,
  feed: 0.5,
}

const CHANGES: Readonly<Record<keyof typeof WEIGHTS, Change>> = {
  value: (line, random) => atValue(line, random, () => oneOf(random, VALUES)),
  noValue: (line, random) => atValue(line, random, () => oneOf(random, NO_VALUES)),
  deeper: (line, random) => atValue(line, random, () => tornAtTimes(random, nested(random, oneOf(random, LEVELS)))),
  long: (line, random) => atValue(line, random, () => `"${'x\\n\xc3\xa9'.repeat(1 + random.below(40_000))}"`),
  name: (line, random) => at(line, random, names(line), () => JSON.stringify(oneOf(random, NAMES))),
  again,
  escape,
  space: (line, random) => between(line, random, oneOf(random, SPACES)),
  noSpace: (line, random) => between(line, random, oneOf(random, NO_SPACES)),
  token,
  bytes,
  truncate: (line, random) => line.slice(0, random.below(line.length + 1)),
  noText: (line, random) => insert(line, random.below(line.length + 1), oneOf(random, NO_TEXT)),
  splice: (line, random, other) => line.slice(0, random.below(line.length)) + other.slice(random.below(other.length)),
  mark: (line, random) => insert(line, random.below(2) * random.below(line.length + 1), '\xef\xbb\xbf'),
  feed: (line, random) => insert(line, random.below(line.length + 1), '\n'),
}

function tokens(line: string): Range[] {
  return Array.from(line.matchAll(TOKEN), ({ index, 0: text }) => ({ from: index, to: index + text.length }))
}

function names(line: string): Range[] {
  const all = tokens(line)
  return all.filter((range, index) => line[range.from] === '"' && all[index + 1] && line[all[index + 1]!.from] === ':')
}

/** Scalars and empty containers, and at times whole ones. */
function atValue(line: string, random: Random, make: () => string): string {
  const all = tokens(line)
  const values = all.flatMap((range, index) => {
    const before = all[index - 1]
    if (before === undefined || !':,['.includes(line[before.from]!) || '{}[]:,'.includes(line[range.from]!)) return []
    return line[all[index + 1]?.from ?? 0] === ':' ? [] : [range]
  })
  return at(line, random, values, make)
}

function at(line: string, random: Random, ranges: readonly Range[], make: () => string): string {
  if (ranges.length === 0) return bytes(line, random)
  const { from, to } = oneOf(random, ranges)
  return line.slice(0, from) + make() + line.slice(to)
}

/** A member once more, in its own object or another: its name with the same value or another one. */
function again(line: string, random: Random): string {
  const all = names(line)
  const braces = [...line.matchAll(/\{(?=\s*")/g)].map(({ index }) => index + 1)
  if (all.length === 0 || braces.length === 0) return bytes(line, random)
  const { from, to } = oneOf(random, all)
  const value = random.below(2) === 0 ? oneOf(random, VALUES) : valueBehind(line, to)
  return insert(line, oneOf(random, braces), `${line.slice(from, to)}:${value},`)
}

/** The text of the value behind a name, as far as brackets tell. */
function valueBehind(line: string, nameEnd: number): string {
  let depth = 0
  const rest = tokens(line.slice(nameEnd))
  for (const { from, to } of rest.slice(1)) {
    const c = line[nameEnd + from]!
    if ('{['.includes(c)) depth++
    else if ('}]'.includes(c)) depth--
    if (depth <= 0 && c !== ',' && c !== ':') return line.slice(nameEnd + rest[1]!.from, nameEnd + to)
  }
  return 'null'
}

/** One character of a string spelt as an escape. */
function escape(line: string, random: Random): string {
  const strings = tokens(line).filter(({ from, to }) => line[from] === '"' && to - from > 2)
  if (strings.length === 0) return bytes(line, random)
  const { from, to } = oneOf(random, strings)
  const place = from + 1 + random.below(to - from - 2)
  const code = line.charCodeAt(place)
  const digits = code.toString(16).padStart(4, '0')
  return `${line.slice(0, place)}\\u${random.below(2) === 0 ? digits : digits.toUpperCase()}${line.slice(place + 1)}`
}

function between(line: string, random: Random, text: string): string {
  const all = tokens(line)
  if (all.length === 0) return insert(line, 0, text)
  const { from, to } = oneOf(random, all)
  return insert(line, random.below(2) === 0 ? from : to, text)
}

/** A token goes, comes twice, or takes another one's place. */
function token(line: string, random: Random): string {
  const all = tokens(line)
  if (all.length === 0) return line
  const { from, to } = oneOf(random, all)
  const other = oneOf(random, all)
  const text = oneOf(random, ['', line.slice(from, to).repeat(2), line.slice(other.from, other.to)])
  return line.slice(0, from) + text + line.slice(to)
}

function bytes(line: string, random: Random): string {
  const place = random.below(line.length + 1)
  const byte = random.below(10) === 0 ? String.fromCharCode(random.below(256)) : SPARE[random.below(SPARE.length)]!
  switch (random.below(4)) {
    case 0:
      return insert(line, place, byte)
    case 1:
      return line.slice(0, place) + line.slice(place + 1 + random.below(4))
    case 2:
      return insert(line, place, line.slice(place, place + 1 + random.below(30)))
    default:
      return line.slice(0, place) + byte + line.slice(place + 1)
  }
}

function tornAtTimes(random: Random, text: string): string {
  return random.below(4) === 0 ? text.slice(random.below(2), text.length - random.below(2)) : text
}

function insert(line: string, place: number, text: string): string {
  return line.slice(0, place) + text + line.slice(place)
}
