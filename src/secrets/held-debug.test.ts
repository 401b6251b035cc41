import { format, inspect, stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { HeldDebug, withoutBytes } from './held-debug.ts'

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
  const say = (text: string): void => debug.say(text, (line) => printed.push(line))
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
  const say = (text: string): void => debug.say(text, (line) => printed.push(line))
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
