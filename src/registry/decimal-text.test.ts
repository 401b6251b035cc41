import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimalText } from './decimal-text.ts'

function text(hex: string, scale: number): string | undefined {
  const bytes = Buffer.from(`aa${hex}bb`, 'hex')
  return decimalText(bytes, 1, bytes.length - 1, scale)
}

test.each([
  ['ff', 2, '-0.01'],
  ['12d644', 4, '123.4500'],
  ['00', 0, '0'],
  ['00', 3, '0.000'],
  ['ff', 0, '-1'],
  ['80', 2, '-1.28'],
  ['7f', 1, '12.7'],
  ['0000000000000000000000ff', 2, '2.55'],
  ['ffffffffffffffffffff00', 2, '-2.56'],
  ['ffffffffffffffffffffff', 2, '-0.01'],
  ['7fffffffffff', 0, '140737488355327'],
  ['800000000000', 0, '-140737488355328'],
  ['7fffffffffffffff', 5, '92233720368547.75807'],
  ['8000000000000000', 0, '-9223372036854775808'],
  ['018ee90ff6c373e0ee4e3f0ad2', 10, '12345678901234567890.1234567890'],
  ['05', -3, '5000'],
  ['fb', -3, '-5000'],
  ['00', -3, '0'],
])('%s with scale %d is %s', (hex, scale, expected) => {
  expect(text(hex, scale)).toBe(expected)
})

test('no bytes are no number', () => {
  expect(text('', 2)).toBeUndefined()
})

test('as many bytes as say nothing, but not more than 4,096 that do', () => {
  expect(text(`${'00'.repeat(100_000)}05`, 1)).toBe('0.5')
  expect(text(`7f${'ff'.repeat(4095)}`, 0)).toBe(String(2n ** (8n * 4096n - 1n) - 1n))
  expect(text(`7f${'ff'.repeat(4096)}`, 0)).toBeUndefined()
})

test('every integer of every width', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.nat(25), (raw, scale) => {
      let value = 0n
      for (const byte of raw) value = (value << 8n) | BigInt(byte)
      value = BigInt.asIntN(8 * raw.length, value)
      const shown = decimalText(Buffer.from(raw), 0, raw.length, scale)!
      const [whole, fraction = ''] = shown.split('.') as [string, string?]
      expect(fraction).toHaveLength(scale)
      expect(BigInt(whole + fraction)).toBe(value)
      expect(shown).toMatch(/^-?(0|[1-9]\d*)(\.\d+)?$/)
      expect(shown.startsWith('-')).toBe(value < 0n)
    }),
    { numRuns: 1000 },
  )
})
