import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimalText, doubleText, floatText } from './json-number.ts'

test.each([
  [0, '0'],
  [-0, '-0.0'],
  [1, '1'],
  [-1.5, '-1.5'],
  [0.1, '0.1'],
  [1e21, '1e+21'],
  [5e-324, '5e-324'],
  [-1.7976931348623157e308, '-1.7976931348623157e+308'],
  [2 ** 53, '9007199254740992'],
  [NaN, '"NaN"'],
  [Infinity, '"Infinity"'],
  [-Infinity, '"-Infinity"'],
])('the double %d is %s', (value, text) => {
  expect(doubleText(value)).toBe(text)
})

test.each([
  [0, '0'],
  [-0, '-0.0'],
  [0.1, '0.1'],
  [-1.1, '-1.1'],
  [2.6457513110645907, '2.6457512'],
  [16777216, '16777216'],
  [123456.789, '123456.79'],
  [3.4028234663852886e38, '3.4028235e+38'],
  [1.1754943508222875e-38, '1.1754944e-38'],
  // subnormal: one digit is enough
  [2 ** -149, '1e-45'],
  [2 ** -148, '3e-45'],
  // half way between two texts: the even one
  [1214395.75, '1214395.8'],
  [3266159.25, '3266159.2'],
  [-3266159.25, '-3266159.2'],
  // powers of two, where the nearer text of eight digits is another number
  [2 ** -96, '1.2621775e-29'],
  [2 ** 87, '1.5474251e+26'],
  [NaN, '"NaN"'],
  [Infinity, '"Infinity"'],
  [-Infinity, '"-Infinity"'],
])('the float %d is %s', (value, text) => {
  expect(floatText(Math.fround(value))).toBe(text)
})

test('a float reads back, and no text with fewer digits does', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = floatText(value)
      expect(Object.is(Math.fround(Number(text)), value)).toBe(true)
      const digits = significant(text)
      for (let fewer = 1; fewer < digits; fewer++) {
        expect(Math.fround(Number(value.toPrecision(fewer)))).not.toBe(value)
      }
    }),
    { numRuns: 3000 },
  )
})

test('every power of two reads back in at most nine digits', () => {
  for (let exponent = -149; exponent < 128; exponent++) {
    const text = floatText(2 ** exponent)
    expect([exponent, Math.fround(Number(text))]).toEqual([exponent, 2 ** exponent])
    expect(significant(text)).toBeLessThan(10)
  }
})

function significant(text: string): number {
  return text.replace(/e.*|[-.]/g, '').replace(/^0+|0+$/g, '').length
}

function text(hex: string, scale: number): string | undefined {
  const bytes = Buffer.from(`aa${hex}bb`, 'hex')
  return decimalText(bytes, 1, bytes.length - 1, scale)
}

test.each([
  ['00', 3, '0.000'],
  ['ffffffffffffffffffffff', 2, '-0.01'],
  ['7fffffffffff', 0, '140737488355327'],
  ['800000000000', 0, '-140737488355328'],
  ['018ee90ff6c373e0ee4e3f0ad2', 10, '12345678901234567890.1234567890'],
  ['fb', -3, '-5000'],
  ['00', -3, '0'],
  ['', 2, undefined],
])('%s with scale %d is %s', (hex, scale, expected) => {
  expect(text(hex, scale)).toBe(expected)
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
