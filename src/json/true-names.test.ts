import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseJson } from './true-names.ts'

const piece = fc.constantFrom('\\', 'a', 'n', '\n', '\r', '"', 'u0041', 'A', 'é', '0', '__proto__')
const name = fc.array(piece, { maxLength: 3 }).map((parts) => parts.join(''))
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(true, false, null, -1.5e3, 0, '', 'x\ty', '\ud800', '}"]:,{\\', '😀'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((members) => new Members(members)),
  ),
}))

/** An object as it is written, of equal names all. */
class Members {
  readonly members: readonly (readonly [string, unknown])[]
  constructor(members: readonly (readonly [string, unknown])[]) {
    this.members = members
  }
}

/** `space` stands between all tokens; names partly in escapes. */
function written(value: unknown, space: string): string {
  const text = (all: readonly string[], [open, close]: string): string =>
    open + space + all.join(`${space},${space}`) + close
  if (Array.isArray(value))
    return text(
      value.map((it) => written(it, space)),
      '[]',
    )
  if (!(value instanceof Members)) return JSON.stringify(value)
  const named = ([name, it]: readonly [string, unknown]): string =>
    `${JSON.stringify(name).replace('A', String.raw`\u0041`)}${space}:${space}${written(it, space)}`
  return text(value.members.map(named), '{}')
}

function meant(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meant)
  return value instanceof Members ? Object.fromEntries(value.members.map(([name, it]) => [name, meant(it)])) : value
}

/** With the order of members, and a name `__proto__` as any other. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  return typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, it]) => [name, plain(it)])
    : value
}

it('has the members that are written, whatever was parsed before', () => {
  fc.assert(
    fc.property(value, fc.constantFrom('', ' ', '\r\n\t'), (it, space) => {
      expect(plain(parseJson(space + written(it, space) + space))).toEqual(plain(meant(it)))
    }),
    { numRuns: 3000 },
  )
})

it('is not misled by names that JSON.parse has met before', () => {
  for (const [before, after] of [
    [String.raw`{"id":1,"ab\\":1}`, 'ab\n'],
    [String.raw`{"id":1,"ab\\u0":1}`, 'abAé0'],
    [String.raw`{"id":1,"\\u0041":1}`, 'Abcdef'],
  ] as const) {
    JSON.parse(before)
    const text = `{"id":1,${JSON.stringify(after).replace('A', String.raw`\u0041`)}:2}`
    expect(Object.keys(parseJson(`[${text},${text}]`) as object[])).toEqual(['0', '1'])
    expect(Object.keys(parseJson(text) as object)).toEqual(['id', after])
  }
})

it('takes and refuses what JSON.parse does, however deep it is', () => {
  const deep = `${'{"a\\n":['.repeat(50_000)}${']}'.repeat(50_000)}`
  expect(Object.keys(parseJson(deep) as object)).toEqual(['a\n'])
  for (const text of ['', '{', String.raw`{"a\q":1}`, String.raw`"\u00"`, '\ufeff{}', '1 2', `${deep}]`])
    expect(() => parseJson(text), text.slice(0, 20)).toThrow(SyntaxError)
})
