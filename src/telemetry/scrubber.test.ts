import { expect, test } from 'vitest'
import * as fc from 'fast-check'

import { Scrubber } from './scrubber.ts'

const KEY = 'k/é+&=%"\\ x'

function ascii(text: string, upper: boolean): string {
  return JSON.stringify(text).replace(/[^\u0020-\u007e]/g, (unit) => {
    const code = unit.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${upper ? code.toUpperCase() : code}`
  })
}

/** Every way of writing a text that may be met. */
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  literal: (text) => text,
  encodeURIComponent: (text) => encodeURIComponent(text),
  'encodeURIComponent, lower case': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  'encodeURIComponent twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  encodeURI: (text) => encodeURI(text),
  'a form': (text) => new URLSearchParams([['k', text]]).toString().slice(2),
  'a URL’s query': (text) => new URL(`http://h/?k=${text.replaceAll('#', '%23')}&x`).href,
  'every byte': (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  JSON: (text) => JSON.stringify(text),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)),
  'JSON in JSON in JSON': (text) => JSON.stringify(JSON.stringify(JSON.stringify(text))),
  'JSON with escaped slashes': (text) => JSON.stringify(text).replaceAll('/', '\\/'),
  'JSON in ASCII': (text) => ascii(text, false),
  'JSON in ASCII, upper case': (text) => ascii(text, true),
  HTML: (text) =>
    text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll("'", '&#39;'),
  'HTML in numbers': (text) => Array.from(text, (c) => `&#x${c.codePointAt(0)!.toString(16)};`).join(''),
  'read as Latin-1': (text) => Buffer.from(text).toString('latin1'),
  base64: (text) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
  base64url: (text) => Buffer.from(text).toString('base64url'),
}

test.each(Object.keys(WAYS))('the key is found as: %s', (way) => {
  const scrub = new Scrubber([KEY]).scrub
  const written = WAYS[way]!(KEY)
  const clean = scrub(`before ${written} after`)
  expect(clean).toMatch(/^before .*\*{6}.* after$/)
  expect(clean).not.toContain(written)
})

test('any secret of three characters or more is found in any form', () => {
  const secret = fc.string({ minLength: 3, maxLength: 40, unit: 'binary' }).filter((text) => !/[\t\r\n]/.test(text))
  fc.assert(
    fc.property(secret, fc.constantFrom(...Object.keys(WAYS)), (text, way) => {
      const written = WAYS[way]!(text)
      return !new Scrubber([text]).scrub(`<${written}>`).includes(written)
    }),
    { numRuns: 2_000 },
  )
})

test('base64 of a longer text holds it at any place', () => {
  const scrub = new Scrubber([KEY]).scrub
  for (const before of ['', 'u', 'us', 'user:']) {
    expect(scrub(Buffer.from(`${before}${KEY} and more`).toString('base64'))).toContain('******')
  }
})

test('every secret and every occurrence, longer ones first', () => {
  expect(new Scrubber(['abc', 'abcdef']).scrub('abcdef abc abcdefabc')).toBe('****** ****** ************')
})

test('other text stays as it is', () => {
  const scrub = new Scrubber([KEY, 'secret']).scrub
  const text = 'GET /v2/client/7/table/orders %C3%A9 \\u00e9 &amp; c2VjcmU='
  expect(scrub(text)).toBe(text)
  expect(new Scrubber([]).scrub(text)).toBe(text)
})

test('short secrets are not searched for', () => {
  expect(new Scrubber(['', 'a', 'ab']).scrub('ab')).toBe('ab')
})

test('each line of a PEM key is a secret, its first and last line are none', () => {
  const line = 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg'
  const scrub = new Scrubber([`-----BEGIN PRIVATE KEY-----\n${line}\nab==\n-----END PRIVATE KEY-----\n`]).scrub
  expect(scrub(`-----BEGIN PRIVATE KEY-----\\n${line}\\n`)).toBe('-----BEGIN PRIVATE KEY-----\\n******\\n')
})

test.each([
  ['backslashes', '\\'.repeat(40), '\\'.repeat(100_000)],
  ['percent signs', '%25'.repeat(20), '%25'.repeat(30_000)],
  ['quotes', '"\\"\\"\\"', '\\"'.repeat(50_000)],
])('a hostile text ends in time: %s', (_, secret, text) => {
  expect(new Scrubber([secret]).scrub(`${text}!`)).toMatch(/!$/)
})
