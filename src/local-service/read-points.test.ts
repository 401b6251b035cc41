import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Scanner } from '../json/scanner.ts'
import { keyFaults, readPoints, rowIdentity } from './read-points.ts'
import { isJson } from '../json/testing/is-json.ts'

function identities(...points: string[]): string[] {
  const reading = readPoints(Buffer.from(`[${points.join(',')}]`))
  if ('reasons' in reading) throw new Error(reading.reasons.join())
  return reading.points.map(({ identity }) => identity)
}

function reasons(body: string | Buffer): readonly string[] {
  const reading = readPoints(Buffer.from(body))
  return 'reasons' in reading ? reading.reasons : []
}

function byId(value: string): string {
  return `{"keys":["id"],"id":${value}}`
}

it("gives each point's own bytes, whatever the white space", () => {
  const point = fc.jsonValue().map((data) => ({ data, id: 1, keys: ['id'] }))
  const space = fc.constantFrom('', ' ', '\n', '\t\r\n ')
  fc.assert(
    fc.property(fc.array(fc.tuple(point, space, space), { minLength: 1, maxLength: 20 }), (parts) => {
      const texts = parts.map(([value], index) => JSON.stringify(value, undefined, index % 3))
      const body = Buffer.from(`[${parts.map(([, before, after], i) => before + texts[i] + after).join(',')}]`)
      const reading = readPoints(body)
      expect('points' in reading && reading.points.map(({ from, to }) => body.toString('utf8', from, to))).toEqual(
        texts,
      )
    }),
  )
})

it('accepts and refuses as JSON.parse does', () => {
  const valid =
    '[{"keys":["id","\\u0061"],"id":-1.5e3,"a":"é\\n😀","b":[{},[null,true,false],""]} , {"keys":["id"],"id":"x"}]'
  const edit = fc.record({
    at: fc.nat(valid.length),
    cut: fc.nat(2),
    put: fc.constantFrom(
      '',
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '-',
      '.',
      'e',
      'u',
      't',
      ' ',
      '\u0000',
      '\ufeff',
    ),
  })
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 3 }), (edits) => {
      const text = edits.reduce((it, { at, cut, put }) => it.slice(0, at) + put + it.slice(at + cut), valid)
      const said = reasons(Buffer.from(text)).join()
      expect(said.includes('not valid JSON')).toBe(text !== '' && !isJson(Buffer.from(text).toString()))
    }),
    { numRuns: 3000 },
  )
})

it('holds two numbers equal if and only if their decimal values are', () => {
  const number = fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.nat(120),
      fc.option(fc.stringMatching(/^[0-9]{1,3}$/)),
      fc.option(fc.integer({ min: -4, max: 4 })),
    )
    .map(([sign, whole, fraction, exponent]) => ({
      text: `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
      // In units of 10^-7, which hold every case.
      value: BigInt(`${sign}${whole}${fraction ?? ''}`) * 10n ** BigInt(7 + (exponent ?? 0) - (fraction ?? '').length),
    }))
  fc.assert(
    fc.property(number, number, (one, other) => {
      const [a, b] = identities(byId(one.text), byId(other.text))
      expect(a === b).toBe(one.value === other.value)
    }),
    { numRuns: 3000 },
  )
})

it('holds two strings equal if and only if they are, however they are written', () => {
  const unit = fc.constantFrom('a', 'b', '\ud83d', '\ude00', 'é', '"', '\\', '/', '\u0000')
  const escaped = (text: string): string =>
    `"${[...Array(text.length).keys()].map((i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`
  const text = fc.array(unit, { maxLength: 3 }).map((units) => units.join(''))
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [a, b] = identities(byId(JSON.stringify(one)), byId(escaped(other)))
      expect(a === b).toBe(one === other)
    }),
    { numRuns: 3000 },
  )
})

it('holds two sets of names and values equal if and only if they are', () => {
  const fields = fc.dictionary(
    fc.constantFrom('', 'a', 'ab', 'b', '1', '__proto__'),
    fc.constantFrom('', 'b', '1', 1, true),
    {
      minKeys: 1,
      noNullPrototype: true,
    },
  )
  const point = (pairs: [string, unknown][], names: string[]): string =>
    `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`).join('')}"keys":${JSON.stringify(names)}}`
  fc.assert(
    fc.property(fields, fields, (one, other) => {
      const [ones, others] = [Object.entries(one), Object.entries(other)]
      const [a, b] = identities(
        point(
          ones,
          ones.map(([name]) => name),
        ),
        point(others, others.map(([name]) => name).reverse()),
      )
      const sorted = (pairs: [string, unknown][]): string => JSON.stringify(pairs.sort(([x], [y]) => (x < y ? -1 : 1)))
      expect(a === b).toBe(sorted(ones) === sorted(others))
    }),
    { numRuns: 3000 },
  )
})

it('counts the last of members that occur twice, keys itself too', () => {
  expect(identities('{"keys":["x"],"id":1,"keys":["id"],"id":2}')).toEqual(identities(byId('2')))
  expect(reasons('{"keys":["id"],"id":1,"keys":[]}')).toEqual([
    'point 0: keys is empty: it must name at least one field',
  ])
})

it('survives depth: 100,000 levels are taken or refused', () => {
  const deep = '['.repeat(100_000)
  expect(reasons(deep)).toEqual(['the body is not valid JSON (at byte 100000)'])
  expect(reasons(`{"keys":["id"],"id":${deep}${deep.replaceAll('[', ']')}}`)).toEqual([
    'point 0: the key field "id" is an array',
  ])
  expect(reasons(`{"keys":["id"],"id":1,"d":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`)).toEqual([])
  expect(reasons(`[${'{"a":'.repeat(100_000)}`)).toEqual(['the body is not valid JSON (at byte 500001)'])
})

it('bounds the reasons', () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `n${index}`)
  const said = reasons(JSON.stringify({ keys: names }))
  expect(said).toHaveLength(101)
  expect(said.at(-1)).toBe('and 4900 more')
})

it('never repeats values of the body in its reasons', () => {
  for (const body of [
    '{"secret',
    '["secret"]',
    '{"keys":["id"],"id":["secret"]}',
    '"secret"',
    '{"a":"secret"}',
    'secret',
  ]) {
    expect(reasons(body).join()).not.toContain('secret')
  }
})

it('takes scalars under any name', () => {
  const names = ['id', '', '__proto__', 'constructor', 'a.b', '\ud800']
  for (const value of ['""', '0', 'false', '1e400', '"x"']) {
    const members = names.map((name) => `${JSON.stringify(name)}:${value}`).join(',')
    expect(keyFaults(JSON.parse(`{"keys":${JSON.stringify(names)},${members}}`))).toEqual([])
  }
})

it('does not take what an object inherits for a field', () => {
  expect(keyFaults({ keys: ['toString'] })).toEqual(['keys names "toString", a field the point does not have'])
  expect(keyFaults(JSON.parse('{"__proto__":{"keys":["id"],"id":1}}'))).toEqual(['keys is missing'])
})

it('names every fault', () => {
  expect(keyFaults({ keys: ['a', 'b', 'a', 'c', 'd'], a: 1, b: null, c: [], d: {} })).toEqual([
    'the key field "b" is null',
    'keys names "a" twice',
    'the key field "c" is an array',
    'the key field "d" is an object',
  ])
})

it('shows the beginning of a long name', () => {
  expect(keyFaults({ keys: ['x'.repeat(10_000)] })[0]!.length).toBeLessThan(200)
})

it('takes points that JSON.parse misreads after others, and refuses only what is wrong', () => {
  // the first teaches it a name, the second is then read as having that one
  for (const [first, second] of [
    [String.raw`{"keys":["\\"],"\\":1}`, String.raw`{"keys":["\r"],"\r":1}`],
    [String.raw`[{"keys":["w"],"w":1,"\\u0041":1}]`, String.raw`[{"keys":["Abc"],"w":1,"\u0041bc":1}]`],
    [String.raw`{"keys":["id","ab\\"],"id":1,"ab\\":1}`, String.raw`{"keys":["id","ab\n"],"id":1,"ab\n":1}`],
    [String.raw`{"id":1,"é\\u0":1,"keys":["id"]}`, String.raw`{"id":1,"é\u0041b":1,"keys":["éAb"]}`],
  ] as const) {
    expect(readPoints(Buffer.from(first))).toHaveProperty('points')
    expect(readPoints(Buffer.from(second)), second).toHaveProperty('points')
  }
  expect(reasons(String.raw`{"keys":["id","x\\"],"id":2,"x\\":"A"}`)).toEqual([])
  expect(reasons(String.raw`{"keys":["id","x\\"],"id":2,"x\n":"A"}`)).toEqual([
    String.raw`point 0: keys names "x\\", a field the point does not have`,
  ])
})

function identity(text: string): string {
  const bytes = Buffer.from(text)
  const scanner = new Scanner()
  scanner.start(bytes, 0, bytes.length)
  scanner.table()
  return rowIdentity(bytes, scanner, JSON.parse(text))
}

it('tells types apart', () => {
  const values = ['1', '"1"', 'true', '"true"', 'false', '0', '""', '"s"', '"n1"']
  expect(new Set(values.map((value) => identity(`{"keys":["id"],"id":${value}}`))).size).toBe(values.length)
})
