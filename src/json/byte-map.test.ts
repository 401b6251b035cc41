import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteMap, byteHash } from './byte-map.ts'

test('finds each text where it stands, and no other', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: 'binary' })), fc.string({ unit: 'binary' }), (texts, other) => {
      const map = new ByteMap<number>()
      const all = texts.map((text) => Buffer.from(text))
      const known = new Map(all.map((bytes, index) => [bytes.toString('latin1'), index]))
      for (const bytes of all) map.add(bytes, known.get(bytes.toString('latin1'))!)
      for (const bytes of [...all, Buffer.from(other)]) {
        const around = Buffer.concat([Buffer.from('ab'), bytes, Buffer.from('c')])
        expect(map.get({ bytes: around, from: 2, to: 2 + bytes.length })).toBe(known.get(bytes.toString('latin1')))
      }
    }),
  )
})

test('texts of one hash are told apart', () => {
  const hash = (text: string): number => byteHash(Buffer.from(text), 0, text.length, text.length)
  const seen = new Map<number, string>()
  let pair: readonly [string, string] | undefined
  for (let number = 0; !pair; number++) {
    const text = number.toString(36).padStart(7, '0')
    const other = seen.get(hash(text))
    if (other !== undefined) pair = [other, text]
    seen.set(hash(text), text)
  }
  const map = new ByteMap<string>()
  for (const text of pair) map.add(Buffer.from(text), text)
  for (const text of pair) expect(map.get({ bytes: Buffer.from(text), from: 0, to: text.length })).toBe(text)
})
