import { expect, test } from 'vitest'
import type { Lines } from '../json/split-lines.ts'
import { badLine, invalidUtf8, lineTooLong, unknownStream } from './bad-line.ts'

function lines(text: string, unterminated: boolean): Lines {
  return { bytes: Buffer.from(text), bounds: Int32Array.of(0, text.length), count: 1, firstLine: 4, unterminated }
}

test.each([
  [
    '[x]',
    1,
    'Input line 4 is not JSON: it breaks at byte 2 of 3. Standard input takes Airbyte messages, one JSON object per line; other output of a source belongs on its standard error.',
  ],
  [
    'NaN',
    0,
    'Input line 4 is not JSON: it breaks at byte 1 of 3, at NaN: JSON has no such number, the source must send null or a string.',
  ],
  [
    '[-Infinity]',
    2,
    'Input line 4 is not JSON: it breaks at byte 3 of 11, at -Infinity: JSON has no such number, the source must send null or a string.',
  ],
  [
    '[1',
    2,
    'Input line 4 is not JSON: it stops after 2 bytes, and so does the input: its writer was cut off. Run the source again.',
  ],
  [
    '{"a":[true,nul',
    11,
    'Input line 4 is not JSON: it stops after 14 bytes, and so does the input: its writer was cut off. Run the source again.',
  ],
])('%j', (text, at, message) => {
  const error = badLine('not JSON', lines(text, true), 4, 0, text.length, at)
  expect([error.kind, error.message]).toEqual(['system', message])
})

test('a line with an end was not cut off', () => {
  expect(badLine('not JSON', lines('[1', false), 4, 0, 2, 2).message).not.toContain('cut off')
  expect(invalidUtf8(lines('x', false), 4, 0).message).not.toContain('cut off')
  expect(invalidUtf8(lines('x', true), 4, 0).message).toContain('cut off')
})

test.each([
  ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
  ['UTF-16', [0xfe, 0xff, 0x00, 0x7b]],
  ['gzip', [0x1f, 0x8b, 0x08, 0x00]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
])('an input that is %s is known by its first bytes', (what, bytes) => {
  const first = { ...lines('', false), bytes: Buffer.from(bytes), firstLine: 1 }
  expect(invalidUtf8(first, 1, 0).message).toContain(what)
  expect(invalidUtf8(first, 2, 0).message).toBe('Input line 2 is not valid UTF-8. The source must write UTF-8.')
})

test.each([
  ['id,page', true],
  ['"id";"Name of it";x\r', true],
  ['id\tname', true],
  ['Starting up, please wait', false],
  ['id', false],
  ['[1,2', false],
  ['INFO:a,b', false],
])('a first line %j looks like CSV: %s', (text, looks) => {
  const first = { ...lines(`${text}\n`, false), firstLine: 1 }
  const said = (line: number): string => badLine('not JSON', first, line, 0, text.length, 0).message
  expect(said(1).includes('but looks like CSV. Make a message of each of its rows.')).toBe(looks)
  expect(said(2)).not.toContain('CSV')
})

test('a stream of a similar name is named', () => {
  expect(unknownStream(3, undefined, 'order', false, 'orders').message).toContain(
    'does not name. Did you mean "orders"?',
  )
})

test('a line tells what belongs there, or what else to do', () => {
  const told = (text: string, at: number): string =>
    badLine('not JSON', lines(text, false), 4, 0, text.length, at).message
  expect(told('Starting up', 0)).toContain('Airbyte messages')
  expect(told('{x', 1)).toContain('Airbyte messages')
  expect(told('{"a":1} {"a":2}', 8)).toMatch(
    /at byte 9 of 15, where another message begins: each needs a line of its own\.$/,
  )
  expect(told('{"a":1,}', 7)).toMatch(/at byte 8 of 8: remove the comma before this }\.$/)
  expect(told(`{"a":"${'x'.repeat(200)}" "b":1}`, 208)).toMatch(/: a comma is missing before it\.$/)
  expect(told('[1}{', 3)).toContain('Airbyte messages')
  expect(told('{', 1)).toMatch(/A message is one line: its writer must put no line breaks into it\.$/)
  expect(told('NaN', 0)).not.toContain('Airbyte messages')
})

test('the other words', () => {
  expect(badLine('no data', lines('', false), 4, 0, 0, -1).message).toBe(
    'Input line 4 is a RECORD without a "data" object. A record is {"type":"RECORD","record":{"stream":…,"data":{…},"emitted_at":…}}.',
  )
  expect(lineTooLong(3, 10).kind).toBe('system')
  expect(unknownStream(3, undefined, 'a\nb').message).toContain('stream "a\\nb" without a namespace, which')
  expect(unknownStream(3, undefined, 'a', true).message).toContain('does not name (it has one in a namespace).')
  expect(unknownStream(3, 'n', 'a', true).message).toContain('does not name (it has one without a namespace).')
})
