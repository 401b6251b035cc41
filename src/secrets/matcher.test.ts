import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Scrubber } from './scrubber.ts'
import { Spans } from './states.ts'

const KEY = 'k/é+&=%"\\ x'
const hex = (text: string): string => Buffer.from(text).toString('hex')
function ascii(text: string): string {
  return JSON.stringify(text).replace(/[^\u0020-\u007e]/g, (unit) => {
    const code = unit.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${code}`
  })
}

/** One character, as any program may write it. */
const CHARACTER: readonly ((sign: string) => string)[] = [
  (sign) => sign,
  (sign) => hex(sign).replace(/../g, '%$&'),
  (sign) => hex(sign).toUpperCase().replace(/../g, '%$&'),
  (sign) => hex(sign).replace(/../g, '%25$&'),
  (sign) => ascii(sign).slice(1, -1),
  (sign) => ascii(sign).slice(1, -1).replaceAll('\\', '\\\\'),
  (sign) => `&#${sign.codePointAt(0)};`,
  (sign) => `&amp;#X${sign.codePointAt(0)!.toString(16)}`.concat(';'),
  (sign) => Buffer.from(sign).toString('latin1'),
]
const signs = fc.constantFrom(...Array.from('abk25C%\\&"/+=.é数😀 \u0000'), 'u0')
const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 })

function inPieces(scrubber: Scrubber, text: string, lengths: readonly number[]): string {
  const matcher = scrubber.matcher()
  let clean = ''
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const end = at + lengths[turn % lengths.length]!
    clean += matcher.push(text.slice(at, end))
    at = end
  }
  return clean + matcher.end()
}

test('each character in a way of its own, in a text that comes in pieces', () => {
  const secret = fc.string({ minLength: 3, maxLength: 12, unit: signs }).filter((text) => text.trim().length >= 3)
  const ways = fc.array(fc.constantFrom(...CHARACTER), { minLength: 1 })
  const around = fc.string({ maxLength: 12, unit: signs })
  fc.assert(
    fc.property(secret, ways, around, around, cuts, (secret, ways, before, after, lengths) => {
      const written = Array.from(secret.trim(), (sign, at) => ways[at % ways.length]!(sign)).join('')
      const scrubber = new Scrubber([secret])
      const clean = scrubber.scrub(before + written + after)
      expect(clean).toContain('******')
      expect(clean).not.toContain(written)
      expect(inPieces(scrubber, before + written + after, lengths)).toBe(clean)
    }),
    { numRuns: 800 },
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
  for (const line of [
    'it took 107\n',
    '115 ms, 101\n',
    '7365\n',
    '50 % done\n',
    'a\\\n',
    'Tom & Jerry\n',
    "'x'...\n",
    'sec\n',
  ])
    expect(matcher.push(line)).toBe(line)
})

const LENGTH = 200_000
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

test('those that overlap become one, those that touch do not', () => {
  const spans = new Spans()
  for (const [start, end] of [
    [0, 3],
    [3, 6],
    [8, 10],
    [5, 9],
    [20, 21],
  ] as const)
    spans.add(start, end)
  expect(spans.before(15)).toBe(15)
  expect(spans.before(7)).toBe(7)
  expect(spans.take(15)).toEqual([
    { start: 0, end: 3 },
    { start: 3, end: 10 },
  ])
  expect(spans.take(15)).toEqual([])
  expect(spans.take(21)).toEqual([{ start: 20, end: 21 }])
  expect(spans.last).toEqual({ start: 20, end: 21 })
})

test('a place inside of the latest', () => {
  const spans = new Spans()
  spans.add(2, 6)
  expect([1, 2, 3, 5, 6].map((place) => spans.before(place))).toEqual([1, 2, 2, 2, 6])
})
