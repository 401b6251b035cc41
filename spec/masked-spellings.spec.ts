// What docs/guarantees.md promises of secrets: its two tables are these spellings, each with its example, and the scrubber masks those
// of the first and none of the second. Whoever teaches it another one moves a row.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Scrubber } from '../src/secrets/scrubber.ts'

type Write = (text: string) => string

const EXAMPLE = `k3y /&"é`
/** Longer, and with more that is written in several ways. */
const OTHERS = [`s3cretKEY/+&x"é'\\`, 'A1b2-C3d4/E5f6.789~0&"é']

const bytes = (text: string): number[] => [...Buffer.from(text)]
const each = (write: (byte: number) => string, between = ''): Write => {
  return (text) => bytes(text).map(write).join(between)
}
const inner = (json: string): string => json.slice(1, -1)
const ascii: Write = (text) =>
  text.replace(/[^\u0020-\u007e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const hex = (byte: number): string => byte.toString(16).padStart(2, '0')
const base64: Write = (text) => Buffer.from(text).toString('base64')
const signs =
  (pattern: RegExp, write: (code: number) => string): Write =>
  (text) =>
    text.replace(pattern, (sign) => write(sign.codePointAt(0)!))

const json: Write = (text) => inner(JSON.stringify(text))

const MASKED: Readonly<Record<string, Write>> = {
  'as it is': (text) => text,
  JSON: json,
  'JSON in ASCII': (text) => ascii(json(text)),
  'JSON with escaped slashes': (text) => json(text).replaceAll('/', '\\/'),
  'JSON in JSON': (text) => json(json(text)),
  'percent-encoded': encodeURIComponent,
  'percent-encoded, every byte': each((byte) => `%${hex(byte)}`),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'as a form': (text) => new URLSearchParams([['', text]]).toString().slice(1),
  'HTML, with the names of `& < > " \'`': (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  'HTML with numbers': signs(/[^\w ]/gu, (code) => `&#${code};`),
  'HTML with hexadecimal numbers': signs(/[^\w ]/gu, (code) => `&#x${code.toString(16)};`),
  base64,
  'base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
  'base64 within that of a longer text': (text) => base64(`7:${text} and more`),
  'bytes in hexadecimal': each(hex),
  'the same with any separator': each((byte) => `0x${hex(byte)}`, ', '),
  'any of these with white space within': (text) => Array.from(text).join('\n'),
  'any of these with signs of no width within': (text) => Array.from(text).join('\u200b'),
}

const UNMASKED: Readonly<Record<string, Write>> = {
  'JSON escaped three times': (text) => json(json(json(text))),
  'percent-encoded three times': (text) => encodeURIComponent(encodeURIComponent(encodeURIComponent(text))),
  'JSON, percent-encoded': (text) => encodeURIComponent(json(text)),
  'HTML with other names': (text) => text.replaceAll('/', '&sol;').replaceAll('é', '&eacute;'),
  'bytes in octal': each((byte) => `\\${byte.toString(8).padStart(3, '0')}`),
  'bytes in decimal': each(String, ', '),
  'quotes doubled, as in SQL and CSV': (text) => text.replaceAll('"', '""').replaceAll("'", "''"),
  'UTF-8 read as Latin-1': (text) => Buffer.from(text).toString('latin1'),
  'UTF-16 read as bytes': (text) => Buffer.from(text, 'utf16le').toString('latin1'),
  'full-width letters': signs(/[!-~]/g, (code) => String.fromCodePoint(code + 0xfee0)),
  'base64 of base64': (text) => base64(base64(text)),
  backwards: (text) => Array.from(text).toReversed().join(''),
  'its beginning, where a text is cut off': (text) => Array.from(text).slice(0, -1).join(''),
}

const page = readFileSync(new URL('../docs/guarantees.md', import.meta.url), 'utf8')
const section = page.split('\n### Secrets\n')[1]!.split('\n## ')[0]!
const [masked, unmasked] = section.split('\nNot masked ').map((part) => new Map(cells(part)))

/** Of a table's rows: the spelling, and its example as it stands in code. */
function cells(part: string): (readonly [string, string])[] {
  return [...part.matchAll(/^\| ([^|]+) \| (`+) ?([^|]+?) ?\2 \|$/gm)].map(([, name, , code]) => [name!, code!])
}

/** An example as the page shows it: what cannot be seen, as what it is. */
const shown = (text: string): string =>
  text.replaceAll('\n', '⏎').replaceAll('\0', '␀').replaceAll('\u200b', '·').trimEnd()

describe.each([
  ['masked', MASKED, masked!],
  ['not masked', UNMASKED, unmasked!],
] as const)('spellings that are %s', (_, spellings, listed) => {
  test('are those that the page lists, in its order, each with its example', () => {
    expect([...listed]).toEqual(Object.entries(spellings).map(([name, write]) => [name, shown(write(EXAMPLE))]))
  })
})

const around = (text: string): string => `the server said: ${text} (end)`

test.each(Object.entries(MASKED))('%s: masked', (_, write) => {
  for (const secret of [EXAMPLE, ...OTHERS]) {
    const said = new Scrubber([secret]).scrub(around(write(secret)))
    expect(said).toMatch(/\*{6}/)
    // of a longer text in base64 the rest stays
    expect(said.replace(/\*{6}/, '').length).toBeLessThanOrEqual(around('').length + 24)
  }
})

test.each(Object.entries(UNMASKED))('%s: not masked, as the page admits', (_, write) => {
  for (const secret of OTHERS) {
    const text = around(write(secret))
    expect(new Scrubber([secret]).scrub(text)).toBe(text)
  }
})
