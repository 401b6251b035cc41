// Patterns of routes against RegExp, which is the judge wherever it comes to an end; and how much work a value makes.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PlainPattern } from './plain-pattern.ts'
import { plainPattern } from './testing/plain-pattern.ts'

function placeOf(text: string) {
  const bytes = Buffer.from(`<${text}>`)
  return { bytes, from: 1, to: bytes.length - 1 }
}

/** What was allowed as long as RegExp matched it. */
const ATOM = String.raw`[a-z0-9_]|\\d|\[(?:[a-z]-[a-z]|[0-9]-[0-9]|[a-z0-9_]|\\d)+\]`
const PLAIN = new RegExp(String.raw`^(?:${ATOM}|\((?:\?:)?|[)|?*+]|\{\d+(?:,\d*)?\})+$`)

function isAllowed(text: string): boolean {
  try {
    return PLAIN.test(text) && RegExp(text, 'u') !== undefined
  } catch {
    return false
  }
}

const atoms = fc.constantFrom(
  'a',
  'b',
  '1',
  '_',
  String.raw`\d`,
  '[ab]',
  '[a-c]',
  '[a-b0-1_]',
  String.raw`[\d_]`,
  '[b]',
)
const times = fc.constantFrom(
  '',
  '',
  '*',
  '+',
  '?',
  '{0}',
  '{1}',
  '{2}',
  '{0,2}',
  '{1,}',
  '{2,3}',
  '*?',
  '+?',
  '??',
  '{1,2}?',
)
const { patterns } = fc.letrec<{ patterns: string; parts: string; part: string }>((tie) => ({
  patterns: fc.array(tie('parts'), { minLength: 1, maxLength: 3 }).map((ways) => ways.join('|')),
  parts: fc.array(tie('part'), { maxLength: 3 }).map((parts) => parts.join('')),
  part: fc
    .tuple(
      fc.oneof(
        { maxDepth: 2, depthIdentifier: 'group' },
        atoms,
        tie('patterns').map((inner) => `(${inner})`),
        tie('patterns').map((inner) => `(?:${inner})`),
      ),
      times,
    )
    .map((both) => both.join('')),
}))
const values = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '0', '1', '_', '-', 'A', 'ä', '\n'), maxLength: 6 })

describe('a plain pattern', () => {
  it('matches what RegExp matches', () => {
    fc.assert(
      fc.property(
        patterns.filter((text) => text !== ''),
        fc.array(values, { minLength: 1, maxLength: 20 }),
        (text, all) => {
          const judge = RegExp(`^(?:${text})$`, 'u')
          const read = PlainPattern.read(text)
          if ('fault' in read) return expect(read.fault).toBe('too large')
          for (const value of all)
            expect([value, read.pattern.matches(placeOf(value))]).toEqual([value, judge.test(value)])
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('is what is allowed and RegExp takes, and nothing else', () => {
    const signs = fc.string({
      unit: fc.constantFrom(...'a b 1 _ [ ] ( ) { } | * + ? - , : \\ d ^ . $ ! ='.split(' ')),
      minLength: 1,
      maxLength: 12,
    })
    fc.assert(
      fc.property(fc.oneof(signs, patterns), (text) => {
        const read = PlainPattern.read(text)
        const isTaken = !('fault' in read) || read.fault !== 'malformed'
        expect([text, isTaken]).toEqual([text, text === '' || isAllowed(text)])
      }),
      { numRuns: 5000 },
    )
  })

  it.each([
    '([a-z0-9]+_?)+',
    '[a-z]*[a-z]*[a-z]*[a-z]*[a-z]*',
    '((a|a)*)*',
    '(a?){100}a{100}',
    '((((a+)+)+)+)+',
    '(()|a|)*',
  ])('%s takes steps by the length of a value', (text) => {
    const pattern = plainPattern(text)
    for (const length of [10, 200, 5000]) {
      const before = pattern.looks
      expect(pattern.matches(placeOf(`${'a'.repeat(length)}-`))).toBe(false)
      expect(pattern.looks - before).toBeLessThanOrEqual(pattern.size * (length + 2))
    }
  })

  it('takes steps by the length of any value, whatever the pattern', () => {
    fc.assert(
      fc.property(patterns, values, fc.nat(300), (text, value, more) => {
        const read = PlainPattern.read(text)
        if ('fault' in read) return
        const { pattern } = read
        const { bytes, from, to } = placeOf(value + 'a'.repeat(more))
        pattern.matches({ bytes, from, to })
        expect(pattern.looks).toBeLessThanOrEqual(pattern.size * (to - from + 1))
      }),
    )
  })

  it.each([
    ['[a-z0-9_]{1,900}', 'a'.repeat(900), 'a'.repeat(901)],
    ['(a{10}){150}', 'a'.repeat(1500), 'a'.repeat(1501)],
    ['(?:(?:){1000000}){1000000}', '', 'a'],
    ['a{0}b', 'b', 'ab'],
    ['order|refund', 'refund', 'refunds'],
  ])('%.30s is counted out', (text, value, other) => {
    const pattern = plainPattern(text)
    expect([pattern.matches(placeOf(value)), pattern.matches(placeOf(other))]).toEqual([true, false])
    expect(pattern.size).toBeLessThanOrEqual(2000)
  })

  it.each([
    'a{2001}',
    'a{99999999999999999999}',
    '((a{13}){13}){13}',
    '(a?){1000000}',
    '(((a|b){9}){9}){9}',
    `${'('.repeat(101)}a${')'.repeat(101)}`,
    'a'.repeat(2001),
    '('.repeat(1e6),
  ])('%.30s is too large', (text) => {
    expect(PlainPattern.read(text)).toEqual({ fault: 'too large' })
  })
})
