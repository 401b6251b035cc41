import { inspect, format, stripVTControlCharacters } from 'node:util'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { log, traceError } from '../airbyte/emitter.ts'
import { ConnectorError } from '../core/errors.ts'
import { withoutBytes } from './guard-output.ts'
import { Scrubber, scrubLine, HeldDebug } from './scrubber.ts'

const KEY = 'k/é+&=%"\\ x'
const LINES = 'zwei Wörter\nund "mehr"'

function ascii(text: string, upper: boolean): string {
  return JSON.stringify(text).replace(/[^\u0020-\u007e]/g, (unit) => {
    const code = unit.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${upper ? code.toUpperCase() : code}`
  })
}

const hex = (text: string): string => Buffer.from(text).toString('hex')
const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll("'", '&#39;')
const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, '0')}`

/** Every way of writing a text that may be met. */
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  literal: (text) => text,
  encodeURIComponent: (text) => encodeURIComponent(text),
  'encodeURIComponent, lower case': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  'encodeURIComponent twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  encodeURI: (text) => encodeURI(text),
  'a form': (text) => new URLSearchParams([['k', text]]).toString().slice(2),
  'a URL’s query': (text) => new URL(`http://h/?k=${text.replaceAll('#', '%23')}&x`).href,
  'every byte': (text) => hex(text).replace(/../g, '%$&'),
  JSON: (text) => JSON.stringify(text),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)),
  'JSON in JSON in JSON': (text) => JSON.stringify(JSON.stringify(JSON.stringify(text))),
  'JSON with escaped slashes': (text) => JSON.stringify(text).replaceAll('/', '\\/'),
  'JSON in ASCII': (text) => ascii(text, false),
  'JSON in ASCII, upper case': (text) => ascii(text, true),
  'JSON in ASCII in JSON': (text) => JSON.stringify(ascii(text, false)),
  'JSON in a URL': (text) => encodeURIComponent(JSON.stringify(text)),
  'JSON in HTML': (text) => html(JSON.stringify(text)),
  'a URL in JSON in a URL': (text) => encodeURIComponent(JSON.stringify(`/?k=${encodeURIComponent(text)}`)),
  'a log of bytes': (text) => hex(text).replace(/../g, '\\x$&'),
  'octal bytes': (text) => Array.from(Buffer.from(text), octal).join(''),
  HTML: html,
  'HTML in numbers': (text) => Array.from(text, (c) => `&#x${c.codePointAt(0)!.toString(16)};`).join(''),
  'HTML in HTML': (text) => html(html(text)),
  'a URL in HTML in numbers': (text) =>
    Array.from(encodeURIComponent(text), (c) => (/\w/.test(c) ? c : `&#${c.charCodeAt(0)};`)).join(''),
  'read as Latin-1': (text) => Buffer.from(text).toString('latin1'),
  'read as Latin-1 twice': (text) => Buffer.from(Buffer.from(text).toString('latin1')).toString('latin1'),
  'taken apart': (text) => text.normalize('NFD'),
  'shown by Node': (text) => inspect(text),
  'bytes shown by Node': (text) => inspect(Buffer.from(text)),
  'an array shown by Node': (text) => inspect(new Uint8Array(Buffer.from(text))),
  base64: (text) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 of a URL': (text) => Buffer.from(encodeURIComponent(text)).toString('base64url'),
  hexadecimal: hex,
  'hexadecimal with colons': (text) => hex(text).match(/../g)!.join(':'),
  'hexadecimal in pairs': (text) =>
    hex(text)
      .match(/.{1,4}/g)!
      .join(' '),
  'hexadecimal as in C': (text) =>
    Array.from(Buffer.from(text), (byte) => `0x${byte.toString(16).padStart(2, '0')}`).join(', '),
  'decimal with blanks': (text) => Buffer.from(text).join(' '),
  SQL: (text) => `'${text.replaceAll("'", "''")}'`,
  CSV: (text) => `"${text.replaceAll('"', '""')}"`,
  'numbers in JSON': (text) => JSON.stringify([...Buffer.from(text)]),
}

test.each(Object.keys(WAYS))('keys are found as: %s', (way) => {
  for (const key of [KEY, LINES, 'A1b2-C3d4_E5f6.789~0'])
    for (const written of [WAYS[way]!(key), Buffer.from(WAYS[way]!(key)).toString('latin1')]) {
      const clean = new Scrubber([key]).scrub(`before ${written} after`)
      expect(clean).toMatch(/^before [^]*\*{6}[^]* after$/)
      expect(clean).not.toContain(written)
    }
})

test('any secret of three characters or more is found in any form', () => {
  const secret = fc
    .string({ minLength: 3, maxLength: 20, unit: 'binary' })
    .filter((text) => text.trim() !== '' && !/\s/.test(text) && text.isWellFormed() && !text.includes('***'))
  fc.assert(
    fc.property(secret, fc.constantFrom(...Object.keys(WAYS)), (text, way) => {
      const written = WAYS[way]!(text)
      return !new Scrubber([text]).scrub(`<${written}>`).includes(written)
    }),
    { numRuns: 300 },
  )
})

test('base64 of a longer text holds it at any place', () => {
  const { scrub } = new Scrubber([KEY])
  for (const before of ['', 'u', 'us', 'user:']) {
    expect(scrub(Buffer.from(`${before}${KEY} and more`).toString('base64'))).toContain('******')
  }
})

test('base64 of a longer text holds the shortest secret at any place, and an ordinary word does not', () => {
  const { scrub } = new Scrubber(['key'])
  expect(scrub('unsettled')).toBe('unsettled')
  const secret = fc.string({ minLength: 3, maxLength: 4, unit: fc.constantFrom(...Array.from('keyABz019/+?~')) })
  const bytes = fc.uint8Array({ maxLength: 5 })
  fc.assert(
    fc.property(secret, bytes, bytes, fc.constantFrom('base64' as const, 'base64url' as const), (text, ...around) => {
      const [before, after, encoding] = around
      const written = Buffer.concat([before, Buffer.from(text), after]).toString(encoding)
      expect(new Scrubber([text]).scrub(written)).toContain('******')
    }),
  )
})

test('every secret and every occurrence, longer ones first', () => {
  expect(new Scrubber(['abc', 'abcdef']).scrub('abcdef abc abcdefabc')).toBe('****** ****** ************')
})

test('a secret that was cut off', () => {
  const { scrub } = new Scrubber(['a-secret-of-thirty-characters.'])
  expect(scrub('key=a-secret-of-th')).toBe('key=******')
  expect(scrub("key=a-secret-of…, a-secret-o..., 'a-secret'... 12 more")).toBe(
    "key=******…, ******..., '******'... 12 more",
  )
  expect(scrub('<Buffer 61 2d 73 65 63 72 65 74 2d 6f ... 9 more bytes>')).toBe('<Buffer ******... 9 more bytes>')
  expect(scrub('key=a-sec… a-secret! a-secret-of, a-sec')).toBe('key=a-sec… a-secret! a-secret-of, a-sec')
  expect(new Scrubber(['k/é+&=']).scrub('?apikey=k%2F%C3%A9%2B%2')).toBe('?apikey=******')
})

test('other text stays as it is', () => {
  const { scrub } = new Scrubber([KEY, 'secret'])
  const text = 'GET /v2/client/7/table/orders %C3%A9 \\u00e9 &amp; c2VjcmU='
  expect(scrub(text)).toBe(text)
  expect(new Scrubber([]).scrub(text)).toBe(text)
})

test('short secrets and white space are not searched for', () => {
  expect(new Scrubber(['', 'a', 'ab', ' \n ']).scrub('ab \n  ')).toBe('ab \n  ')
})

test('each line of a PEM key is a secret, its first and last line are none', () => {
  const line = 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg'
  const { scrub } = new Scrubber([`-----BEGIN PRIVATE KEY-----\n${line}\nab==\n-----END PRIVATE KEY-----\n`])
  expect(scrub(`-----BEGIN PRIVATE KEY-----\\n${line}\\n`)).toBe('-----BEGIN PRIVATE KEY-----\\n******\\n')
})

test('a text, and a message without a secret, as they are', () => {
  const { scrub } = new Scrubber(['hidden'])
  expect(scrubLine('one hidden\ntwo\n', scrub)).toBe('one ******\ntwo\n')
  const line = log('info', 'nothing\u2028here')
  expect(scrubLine(line, scrub)).toBe(line)
})

test.each(['type', 'LOG', 'TRACE', 'ERROR', 'message', '":"', '{"t', 'config_error', 'n\\n', '\\u2028', 'emitted_at'])(
  'the secret %j leaves a message in order',
  (secret) => {
    const { scrub } = new Scrubber([secret])
    const error = new ConnectorError('config', `found ${secret}\u2028`, { track: { name: secret } })
    const line = scrubLine(traceError(error, 1, `because of ${secret}\u2028`), scrub)
    expect(line).toMatch(/^\{"type":"TRACE".*\}\n$/)
    expect(line).not.toContain('\u2028')
    expect(JSON.parse(line)).toEqual({
      type: 'TRACE',
      trace: {
        type: 'ERROR',
        emitted_at: 1,
        error: {
          message: scrub(`found ${secret}\u2028`),
          internal_message: scrub(`because of ${secret}\u2028`),
          failure_type: 'config_error',
          stream_descriptor: { name: '******' },
        },
      },
    })
  },
)

const TOKEN = 'Tok3n/of+some=length, which is longer than what Node shows of it'
const BYTES = Buffer.from(TOKEN)

/** Of how many bytes in a row a text tells, in hexadecimal or decimal. */
function told(text: string): boolean {
  const plain = stripVTControlCharacters(text)
  return /54 6f 6b|546f6b|84,\s+111|84,111/i.test(plain)
}

test.each<[string, unknown]>([
  ['a Buffer', BYTES],
  ['a beginning', BYTES.subarray(0, 3)],
  ['bytes', new Uint8Array(BYTES)],
  ['three bytes', new Uint8Array(BYTES.subarray(0, 3))],
  ['many bytes', new Uint8Array(Buffer.from(TOKEN.repeat(9)))],
  ['an ArrayBuffer', new Uint8Array(BYTES).buffer],
  ['a view', new DataView(new Uint8Array(BYTES).buffer)],
  ['in an object', { chunk: BYTES, list: [BYTES, new Uint8Array(BYTES)] }],
  ['a Buffer with members', Object.assign(Buffer.from(TOKEN), { end: true })],
  ['a list', [...BYTES]],
])('bytes are not shown: %s', (_, value) => {
  for (const text of [
    format('readableAddChunk', value),
    inspect(value, { colors: true }),
    JSON.stringify(value) ?? '',
  ]) {
    const clean = withoutBytes(`STREAM 7: ${text} behind`)
    expect(told(clean), clean).toBe(false)
    expect(clean).toMatch(/^STREAM 7: /)
  }
})

test.each(['net: connect 127.0.0.1:443 [ 1, 2 ]', 'HTTP 12: <a> { a: [ [Object] ] }', '[] <> <x'])(
  'what is no bytes stays: %s',
  (text) => expect(withoutBytes(text)).toBe(text),
)

test('lines wait for the secret, and go as they came', () => {
  const debug = new HeldDebug()
  const printed: string[] = []
  const say = (text: string): void => debug.print(text, (line) => printed.push(line))
  say('before')
  const end = debug.hold()
  const endOther = debug.hold()
  say('one')
  say('two')
  end(true)
  expect(printed).toEqual(['before'])
  endOther(true)
  say('three')
  expect(printed).toEqual(['before', 'one', 'two', 'three'])
})

test('where nobody got to know it, they are left out', () => {
  const debug = new HeldDebug()
  const printed: string[] = []
  const say = (text: string): void => debug.print(text, (line) => printed.push(line))
  const end = debug.hold()
  say('one')
  say('two')
  end(false)
  expect(printed).toEqual([expect.stringMatching(/^\(2 pieces of debug output are left out/)])
  debug.hold()
  say('x'.repeat(2 ** 20 + 1))
  say('three')
  debug.leaveOut()
  expect(printed.slice(1)).toEqual([expect.stringMatching(/^\(2 pieces/)])
})

test('of more than can wait, the rest is left out and counted, and the next time as much can wait again', () => {
  const debug = new HeldDebug()
  const printed: string[] = []
  const say = (text: string): void => debug.print(text, (line) => printed.push(line.slice(0, 40)))
  for (let times = 0; times < 2; times++) {
    printed.length = 0
    const end = debug.hold()
    say('one')
    say('x'.repeat(2 ** 20))
    end(true)
    expect(printed).toEqual(['one', '(1 pieces of debug output are left out: '])
  }
})
