import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { doubleText, floatText } from './json-number.ts'

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
