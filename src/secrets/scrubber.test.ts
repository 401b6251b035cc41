import { inspect, format, stripVTControlCharacters } from 'node:util'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { log, traceError } from '../airbyte/emitter.ts'
import { ConnectorError } from '../core/errors.ts'
import { Scrubber, scrubLine } from './scrubber.ts'
import { HeldDebug, withoutBytes } from './node-debug.ts'

const KEY = 'k/é+&=%"\\ x'

const hex = (text: string): string => Buffer.from(text).toString('hex')

/** More than the list in docs/guarantees.md, which spec/masked-spellings.spec.ts goes through: what servers and libraries make of it. */
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  encodeURI,
  'encodeURIComponent, lower case': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  'a URL’s query': (text) => new URL(`http://h/?k=${text.replaceAll('#', '%23')}&x`).href,
  'shown by Node': (text) => inspect(text),
  'bytes shown by Node': (text) => inspect(Buffer.from(text)),
  'hexadecimal in pairs': (text) => hex(text).replace(/.{4}/g, '$& '),
  'hexadecimal as in C': (text) => hex(text).replace(/../g, '0x$&, '),
  'base64 on lines': (text) => Buffer.from(text).toString('base64').replace(/.{6}/g, '$&\r\n'),
  'a word processor’s': (text) => Array.from(text).join('\u200b'),
}

test.each(Object.keys(WAYS))('keys are found as: %s', (way) => {
  for (const key of [KEY, 'zwei Wörter und "mehr"', 'A1b2-C3d4_E5f6.789~0'])
    expect(new Scrubber([key]).scrub(`before ${WAYS[way]!(key)} after`)).toMatch(
      /^before [^]{0,15}\*{6}[^]{0,8} after$/,
    )
})

test('base64 of a longer text holds it at any place', () => {
  const { scrub } = new Scrubber([KEY])
  for (const before of ['', 'u', 'us', 'user:']) {
    expect(scrub(Buffer.from(`${before}${KEY} and more`).toString('base64'))).toContain('******')
  }
})

test('base64 of a longer text holds a secret of four bytes at any place, and an ordinary word a shorter one at none', () => {
  expect(new Scrubber(['key']).scrub('unsettled')).toBe('unsettled')
  const secret = fc.string({ minLength: 4, maxLength: 5, unit: fc.constantFrom(...Array.from('keyABz019/+?~')) })
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
  const overlapping = new Scrubber(['xab', 'abcdefgh'])
  expect(overlapping.scrub('xabcdefgh')).toBe('******')
  const matcher = overlapping.matcher()
  expect([matcher.push('xab'), matcher.push('cdefg'), matcher.push('h!')]).toEqual(['******', '', '!'])
})

test('the beginning of a text: what may be the beginning of a secret is left out at its end', () => {
  const scrubber = new Scrubber(['a-secret-of-thirty-characters.'])
  expect(scrubber.scrubBeginning('key=a-secret-of-th')).toBe('key=')
  expect(scrubber.scrubBeginning('key=a%2dsec')).toBe('key=')
  expect(scrubber.scrubBeginning('key=b')).toBe('key=b')
})

test('other text stays as it is', () => {
  const { scrub } = new Scrubber([KEY, 'secret'])
  const text = 'GET /v2/client/7/table/orders %C3%A9 \\u00e9 &amp; c2VjcmU= \ud800'
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
  expect(new Scrubber(['one line\r\nand two']).scrub('and two, one line')).toBe('******, ******')
})

test('a text, and a message without a secret, as they are', () => {
  const { scrub } = new Scrubber(['hidden'])
  expect(scrubLine('one hidden\ntwo\n', scrub)).toBe('one ******\ntwo\n')
  const line = log('info', 'nothing\u2028here')
  expect(scrubLine(line, scrub)).toBe(line)
})

test('JSON in JSON in a line of our own', () => {
  const secret = 'a "secret" key'
  const text = JSON.stringify(JSON.stringify(secret))
  const line = scrubLine(log('info', text), new Scrubber([secret]).scrub)
  expect(JSON.parse(line)).toMatchObject({ log: { message: String.raw`"\"******\""` } })
  const other = log('info', JSON.stringify('a "quoted" \\ word'))
  expect(scrubLine(other, new Scrubber([secret]).scrub)).toBe(other)
})

test.each([
  'type',
  'LOG',
  'TRACE',
  'ERROR',
  'message',
  '":"',
  '{"t',
  'config_error',
  'n\\n',
  '\\u2028',
  'emitted_at',
  'program.fault',
])('the secret %j leaves a message in order', (secret) => {
  const { scrub } = new Scrubber([secret])
  const error = new ConnectorError('config', 'program.fault', `found ${secret}\u2028`, { track: { name: secret } })
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
        code: 'program.fault',
        stream_descriptor: { name: '******' },
      },
    },
  })
})

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

const renewed = (index: number): string => `token-${String(index).padStart(6, '0')}-${'x'.repeat(40)}`

test('of what is renewed, the last four of each source are masked, in every form', () => {
  const scrubber = new Scrubber(['for-good'])
  scrubber.learn(['other-source'], 'b')
  for (let index = 0; index < 1_000; index++) scrubber.learn([renewed(index)], 'a')
  for (let index = 990; index < 1_000; index++)
    for (const form of [renewed(index), Buffer.from(renewed(index)).toString('base64'), percent(renewed(index))])
      expect(scrubber.scrub(form) === form, `${index} ${form}`).toBe(index < 996)
  expect(scrubber.scrub('for-good other-source')).toBe('****** ******')
})

function percent(text: string): string {
  return Array.from(text, (letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
}

test('what is renewed and comes back is the newest again', () => {
  const scrubber = new Scrubber()
  for (const index of [1, 2, 1, 3, 4, 5, 5, 5]) scrubber.learn([renewed(index)], 'a')
  expect([1, 2, 3, 4, 5].map((index) => scrubber.scrub(renewed(index)) === '******')).toEqual([
    true,
    false,
    true,
    true,
    true,
  ])
})

test('what is longer than 4,096 characters is masked to its end', () => {
  const long = Array.from({ length: 3_000 }, (_, index) => index.toString(36).padStart(4, '-')).join('')
  const scrubber = new Scrubber([long])
  expect(scrubber.scrub(`a ${long} b`)).toMatch(/^a \*+ b$/)
  expect(scrubber.scrub(`a ${long.slice(4_096)} b`)).toMatch(/^a \*+ b$/)
})
