import { expect, test } from 'vitest'
import type { Lines } from '../json/split-lines.ts'
import { badLine, invalidUtf8, lineTooLong, unknownStream } from './bad-line.ts'

function lines(text: string, unterminated: boolean): Lines {
  return { bytes: Buffer.from(text), bounds: Int32Array.of(0, text.length), count: 1, firstLine: 4, unterminated }
}

test.each([
  ['[x]', 1, 'Input line 4 is not JSON: it breaks at byte 2 of 3.'],
  [
    'NaN',
    0,
    'Input line 4 is not JSON: it breaks at byte 1 of 3, at NaN: JSON has no such number, the source must send null or a text.',
  ],
  [
    '[-Infinity]',
    2,
    'Input line 4 is not JSON: it breaks at byte 3 of 11, at -Infinity: JSON has no such number, the source must send null or a text.',
  ],
  ['[1', 2, 'Input line 4 is not JSON: it stops after 2 bytes, and so does the input: its writer was cut off.'],
])('%j', (text, at, message) => {
  const error = badLine('not JSON', lines(text, true), 4, 0, text.length, at)
  expect([error.kind, error.message]).toEqual(['system', message])
})

test('a line with an end was not cut off', () => {
  expect(badLine('not JSON', lines('[1', false), 4, 0, 2, 2).message).not.toContain('cut off')
  expect(invalidUtf8(lines('x', false), 4).message).not.toContain('cut off')
  expect(invalidUtf8(lines('x', true), 4).message).toContain('cut off')
})

test('the other words', () => {
  expect(badLine('no data', lines('', false), 4, 0, 0, -1).message).toBe(
    'Input line 4 is a RECORD without a "data" object.',
  )
  expect(lineTooLong(3, 10, new Error('x')).kind).toBe('system')
  expect(unknownStream(3, undefined, 'a\nb').message).toContain('stream "a\\nb" without a namespace, which')
})
