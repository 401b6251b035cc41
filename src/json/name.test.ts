import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isName, nameOf } from './name.ts'

const names = [
  '',
  'a',
  'id',
  'key',
  'data',
  'date',
  'state',
  'trace',
  'record',
  'namespace',
  'namespice',
  'emitted_at',
  'destinationStats',
  'ключ',
  '😀',
  'Ünï',
]

test('a name is itself and no other, wherever it stands, escaped or not', () => {
  for (const name of names) {
    for (const other of names) {
      const bytes = Buffer.from(`"${other}"`)
      expect(isName(bytes, 1, bytes.length - 1, nameOf(name)), `${name} ${other}`).toBe(name === other)
      const escaped = Buffer.from(
        Array.from({ length: other.length }, (_, i) => `\\u${other.charCodeAt(i).toString(16).padStart(4, '0')}`).join(
          '',
        ),
      )
      expect(isName(escaped, ~0, escaped.length, nameOf(name))).toBe(name === other)
    }
  }
})

test('one differing byte at any place is seen', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 24 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (text, place, by) => {
        const bytes = Buffer.from(text)
        expect(isName(bytes, 0, bytes.length, nameOf(text))).toBe(true)
        bytes[place % bytes.length]! ^= by
        expect(isName(bytes, 0, bytes.length, nameOf(text))).toBe(false)
      },
    ),
  )
})

test('a name with a lone surrogate equals only its escaped spelling', () => {
  const name = nameOf('a\ud800')
  const replaced = Buffer.from('a\ufffd')
  expect(isName(replaced, 0, replaced.length, name)).toBe(false)
  expect(isName(Buffer.alloc(0), 0, 0, name)).toBe(false)
  const escaped = Buffer.from('a\\ud800')
  expect(isName(escaped, ~0, escaped.length, name)).toBe(true)
})

test('a name with escapes is as long as its text takes at most', () => {
  for (const [raw, equal] of [
    [String.raw`\u0069\u0064`, true],
    [String.raw`\u0069\u0064\u0064`, false],
  ] as const) {
    const escaped = Buffer.from(raw)
    expect(isName(escaped, ~0, escaped.length, nameOf('id'))).toBe(equal)
  }
})
