import { expect, it } from 'vitest'
import { parseYaml } from './yaml-text.ts'

const MEMBERS = 60_000
const NAMES = Array.from({ length: MEMBERS }, (_, index) => `k${index}`)

/** By how they are written. */
const LARGE: Readonly<Record<string, (names: readonly string[]) => string>> = {
  block: (names) => names.map((name) => `${name}: 1\n`).join(''),
  flow: (names) => `{${names.map((name) => `${name}: 1`).join(', ')}}`,
  JSON: (names) => `{${names.map((name) => `"${name}":1`).join()}}`,
  inner: (names) => `kafka:\n${names.map((name) => `  ${name}: 1\n`).join('')}`,
}

// by the square of their number it would be minutes, and the runner's limit would end it
it.each(Object.entries(LARGE))('reads a map of 60,000 members: %s', (_, text) => {
  const { value, problems } = parseYaml(text(NAMES))
  expect(problems).toEqual([])
  const members = (value as { kafka?: object }).kafka ?? (value as object)
  expect(Object.keys(members)).toEqual(NAMES)
})

it.each(Object.entries(LARGE))('finds the one of 60,000 that is there twice: %s', (_, text) => {
  const { problems } = parseYaml(text([...NAMES, 'k3']))
  expect(problems).toMatchObject([{ text: 'this name occurs there twice' }])
})

it('finds the lines of 60,000 members', () => {
  const parsed = parseYaml(LARGE['block']!(NAMES))
  const inner = parseYaml(LARGE['inner']!(NAMES))
  expect(NAMES.map((name) => parsed.lineOf([name]))).toEqual(NAMES.map((_, index) => index + 1))
  expect(NAMES.map((name) => inner.lineOf(['kafka', name, 'deeper']))).toEqual(NAMES.map((_, index) => index + 2))
})

const TWICE: readonly (readonly [string, readonly number[]])[] = [
  ['a: 1\nb: 2\na: 3\n"b": 4\na: 5', [3, 4, 5]],
  ['x:\n  a: 1\n  a: 2\ny: {a: 1, a: 2}\nz: [{a: 1,\n a: 2}]', [3, 4, 6]],
  ['{"a": {"b": 1,\n"b": 2},\n"\\u0061": 3}', [2, 3]],
  ['1: a\n"1": b', [2]],
  ['? a\n? a', [2]],
  ['~: a\n"~": b', [2]],
  // behind the first other fault nothing is said
  ['a: 1\na: 2\nb: "\\q"\nc: 1\nc: 2', [2, 3]],
  ['- a: 1\n- a: 1', []],
  ['a: 1\nA: 2\n"a ": 3', []],
]

it.each(TWICE)('tells names that are there twice: %j', (text, lines) => {
  expect(parseYaml(text).problems.map(({ line }) => line)).toEqual(lines)
})

it('knows where things stand', () => {
  const parsed = parseYaml('a:\n  - b: 1\n    c:\nd: &x\n  e: 2\nf: *x\n1: {g: ~}\n')
  expect(parsed.value).toStrictEqual({ a: [{ b: 1, c: undefined }], d: { e: 2 }, f: { e: 2 }, 1: { g: null } })
  expect(parsed.lineOf(['a', 0, 'b'])).toBe(2)
  expect(parsed.lineOf(['a', 7, 'b'])).toBe(2)
  expect(parsed.lineOf(['f', 'e'])).toBe(6)
  expect(parsed.lineOf(['1', 'g'])).toBe(7)
  expect(parsed.lineOf(['nothing'])).toBe(undefined)
})

it.each([
  ['aliases', NAMES.map((name) => `- &${name} 1\n- *${name}\n`).join('')],
  ['names that are lists', NAMES.map((name) => `? &${name} [1]\n: 1\n`).join('')],
])('refuses more %s than anybody writes', (_, text) => {
  expect(parseYaml(text.slice(0, 1_000_000)).problems).toMatchObject([{ text: expect.stringMatching(/too much/) }])
})

it.each([
  'a: &a [*a, *a]',
  'a: &a\n  b: {c: *a}',
  '&a\n- [*a]',
  '{a: &a {b: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]}}',
])('refuses what holds itself: %j', (text) =>
  expect(parseYaml(text).problems).toMatchObject([{ text: expect.stringMatching(/too much/) }]),
)

it('takes an alias behind what it names', () => {
  expect(parseYaml('a: &a [1]\nb: [*a]\nc: {d: *a}').value).toEqual({ a: [1], b: [[1]], c: { d: [1] } })
  expect(parseYaml('a: &a [&a [1], *a]').value).toEqual({ a: [[1], [1]] })
})

it.each([
  ['', undefined, 'it is empty'],
  ['null', undefined, 'it is empty'],
  ['# nothing', undefined, 'it is empty'],
  ['a: 1\na: 2', 2, 'this name occurs there twice'],
  ['{"a": 1, "a": 2}', 1, 'this name occurs there twice'],
  ['a:\n\tb: 1', 2, ''],
  ['a: [1', 1, ''],
  ['  a: 1\nb: 2\nc: 3\n', 2, 'nothing can be here: indent it'],
  ['a: b: c', 1, 'a value with a colon and a space in it must be in quotes'],
  ['a:1\nb: 2', 1, 'a space is missing after a colon'],
  ['a: *b', undefined, 'has an alias (*…) that names nothing'],
  ['a: 1\n---\nb: 2', 2, 'a second document begins'],
  [`a: ${'['.repeat(5_000)}`, 1, 'nested too deeply'],
  [`{"a":${'['.repeat(100_000)}`, 1, 'nested too deeply'],
  [`x: "${'x'.repeat(1_048_576)}"`, undefined, 'it is larger than 1 MiB'],
])('says what is wrong with %.20j, and where', (text, line, words) => {
  expect(parseYaml(text).problems).toMatchObject([{ line, text: expect.stringContaining(words) }])
})
