import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Scrubber } from './scrubber.ts'

const KEY = 'k/é+&=%"\\ x'
const hex = (text: string): string => Buffer.from(text).toString('hex')
function ascii(text: string): string {
  return JSON.stringify(text).replace(/[^\u0020-\u007e]/g, (unit) => {
    const code = unit.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${code}`
  })
}

type Write = (sign: string) => string

const inPercent: Write = (sign) => hex(sign).replace(/../g, '%$&')
const inJson: Write = (sign) => JSON.stringify(sign).slice(1, -1)
const again: Write = (text) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')

/** Encodings, and how each may write a character: as it is where that is one of its ways. */
const ENCODINGS: readonly (readonly Write[])[] = [
  [(sign) => sign],
  [inPercent, (sign) => inPercent(sign).toUpperCase(), (sign) => (/[%+]/.test(sign) ? inPercent(sign) : sign)],
  [(sign) => inPercent(sign).replaceAll('%', '%25'), (sign) => (/[%+]/.test(sign) ? inPercent(inPercent(sign)) : sign)],
  [inJson, (sign) => ascii(sign).slice(1, -1)],
  [(sign) => again(inJson(sign)), (sign) => again(ascii(sign).slice(1, -1))],
  [(sign) => `&#${sign.codePointAt(0)};`, (sign) => `&#X${sign.codePointAt(0)!.toString(16)};`],
  [hex, (sign) => hex(sign).replace(/../g, ':0x$&'), (sign) => hex(sign).toUpperCase().replace(/../g, '\\x$&')],
]
const BETWEEN = ['', '', ' ', '\u200b', '\t\r']
const signs = fc.constantFrom(...Array.from('abk25C%\\&"/+=.é数😀 \u0000'), 'u0')
const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 })

function inPieces(scrubber: Scrubber, text: string, lengths: readonly number[]): string {
  const matcher = scrubber.matcher()
  const bytes = Buffer.from(text).toString('latin1')
  let clean = ''
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + lengths[turn % lengths.length]!
    clean += matcher.push(bytes.slice(at, end))
    at = end
  }
  return Buffer.from(clean + matcher.end(), 'latin1').toString()
}

test('each character in a way of its encoding, in a text that comes in pieces', () => {
  const secret = fc.string({ minLength: 3, maxLength: 12, unit: signs }).filter((text) => /\S.*\S.*\S/u.test(text))
  const ways = fc.nat({ max: 99 })
  const gaps = fc.array(fc.constantFrom(...BETWEEN), { minLength: 1 })
  const around = fc.string({ maxLength: 12, unit: signs })
  const encoding = fc.constantFrom(...ENCODINGS)
  fc.assert(
    fc.property(
      secret,
      encoding,
      ways,
      gaps,
      around,
      around,
      cuts,
      (secret, write, turn, gaps, before, after, lengths) => {
        const way = (at: number): Write => write[(at * turn) % write.length]!
        const written = Array.from(secret.trim(), (sign, at) => way(at)(sign) + gaps[at % gaps.length]!)
          .join('')
          .trim()
        const scrubber = new Scrubber([secret])
        const clean = scrubber.scrub(before + written + after)
        expect(clean).toContain('******')
        expect(clean).not.toContain(written)
        expect(inPieces(scrubber, before + written + after, lengths)).toBe(clean)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('a text without a secret passes, however it comes', () => {
  const text = fc.string({
    maxLength: 60,
    unit: fc.oneof(signs, fc.string({ minLength: 1, maxLength: 1, unit: 'binary' })),
  })
  const scrubber = new Scrubber(['S3cret~Z', 'zz\\%zz'])
  fc.assert(
    fc.property(text, cuts, (text, lengths) => {
      fc.pre(!/[Sz]/.test(text))
      expect(inPieces(scrubber, text, lengths)).toBe(text)
    }),
    { numRuns: 800 },
  )
})

test('what is learnt later is taken out from then on, also of what is held back', () => {
  const scrubber = new Scrubber(['first'])
  const matcher = scrubber.matcher()
  expect(matcher.push('second, fir')).toBe('second, ')
  scrubber.learn(['fir tree', 'second'])
  expect(matcher.push(' tree, second, first') + matcher.end()).toBe('******, ******, ******')
})

test('a line is let through at once', () => {
  const matcher = new Scrubber([KEY, 'secret']).matcher()
  for (const line of ['it took 107\n', '115 ms, 101\n', '7365\n', '50 % done\n', 'a\\\n', 'Tom & Jerry\n', 'sec\n'])
    expect(matcher.push(line)).toBe(line)
})

const LENGTH = 100_000
const long = Array.from({ length: 300 }, (_, at) => String.fromCharCode(33 + ((at * 7919) % 94))).join('')

test.each([
  ['backslashes', '\\'.repeat(40), '\\'],
  ['backslashes that come to nothing', `${'\\'.repeat(40)}x`, '\\'],
  ['an escape that never comes', 'abc', '\\'],
  ['percent signs', '%25'.repeat(20), '%25'],
  ['percent signs of percent signs', '%'.repeat(20), '%25'],
  ['entities', '&'.repeat(20), '&amp;'],
  ['an entity that never ends', 'abc', '&a'],
  ['quotes', '"\\"\\"\\"', '\\"'],
  ['spaces', `a${' '.repeat(40)}b`, 'a '],
  ['one character', 'a'.repeat(40), 'a'],
  ['one character, and another', `${'a'.repeat(40)}b`, 'a'],
  ['a long key, but for its end', long, long.slice(0, -1)],
  ['a long key in a URL, but for its end', long, encodeURIComponent(long.slice(0, -1))],
])('a hostile text ends in time: %s', (_, secret, part) => {
  const text = part.repeat(LENGTH / part.length)
  expect(new Scrubber([secret]).scrub(`${text}!`)).toMatch(/!$/)
})
