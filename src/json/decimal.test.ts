import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalNumber, canonicalNumberText } from './decimal.ts'

function canonical(text: string): number | string {
  const bytes = Buffer.from(`1${text}1`)
  const value = canonicalNumber(bytes, 1, bytes.length - 1)
  expect(canonicalNumberText(text)).toBe(value)
  return value
}

test.each([
  ['7', 7],
  ['7.0', 7],
  ['70e-1', 7],
  ['0.7e1', 7],
  ['7E+0', 7],
  ['700.00e-2', 7],
  ['-7', -7],
  ['0', 0],
  ['-0', 0],
  ['-0.000e99999999999999999999', 0],
  ['0e5', 0],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['-9007199254740991.00', Number.MIN_SAFE_INTEGER],
  ['900719925474099.1e1', Number.MAX_SAFE_INTEGER],
  ['1e15', 1e15],
  ['123456789012345', 123456789012345],
  ['1000000000000000', 1e15],
])('%s is the number %d', (text, value) => {
  expect(Object.is(canonical(text), value)).toBe(true)
})

test.each([
  ['9007199254740992', '9007199254740992e0'],
  ['9007199254740993', '9007199254740993e0'],
  ['1e16', '1e16'],
  ['0.5', '5e-1'],
  ['-12.50', '-125e-1'],
  ['1e400', '1e400'],
  ['10e399', '1e400'],
  ['0.0001e404', '1e400'],
  ['1e999999999999', '1e999999999999'],
  ['1e-999999999999', '1e-999999999999'],
  ['10e999999999999999', '1e1000000000000000'],
  ['10e9999999999999999999', '1e10000000000000000000'],
  ['0.1e10000000000000000000', '1e9999999999999999999'],
  ['0.1e1000000000000000', '1e999999999999999'],
  ['10e-1000000000000000', '1e-999999999999999'],
  ['0.1e-9999999999999999999', '1e-10000000000000000000'],
  ['1e00000000000000000000000000000005000', '1e5000'],
  ['1.10', '11e-1'],
  ['1e+20', '1e20'],
])('%s is %s', (text, value) => {
  expect(canonical(text)).toBe(value)
})

test('an exponent of 65,536 digits and a mantissa of as many', () => {
  const nines = '9'.repeat(65_536)
  expect(canonical(`10e${nines}`)).toBe(`1e1${'0'.repeat(65_536)}`)
  expect(canonical(`0.1e1${'0'.repeat(65_536)}`)).toBe(`1e${nines}`)
  expect(canonical(`${nines}.0`)).toBe(`${nines}e0`)
  expect(canonical(`1${'0'.repeat(65_536)}e-65536`)).toBe(1)
})

/** The value as digits × 10^exponent, by other means: BigInt. */
function exact(text: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!
  let digits = BigInt(whole! + fraction)
  let power = BigInt(exponent) - BigInt(fraction.length)
  if (digits === 0n) return '0'
  for (; digits % 10n === 0n; digits /= 10n) power++
  return `${sign}${digits}e${power}`
}

const digits = fc.stringMatching(/^(0|[1-9]\d{0,18})$/)
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits,
    fc.option(fc.stringMatching(/^\d{1,8}0{0,3}$/)),
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.stringMatching(/^0{0,2}\d{1,22}$/))),
  )
  .map(
    ([sign, whole, fraction, exponent]) =>
      sign + whole + (fraction === null ? '' : `.${fraction}`) + (exponent?.join('') ?? ''),
  )

test('two texts have one form exactly when they are one number', () => {
  fc.assert(
    fc.property(number, number, (a, b) => {
      expect(canonical(a) === canonical(b)).toBe(exact(a) === exact(b))
    }),
    { numRuns: 3000 },
  )
})

test('another spelling of the same number has the same form, and small integers are numbers', () => {
  fc.assert(
    fc.property(number, fc.integer({ min: 0, max: 12 }), (text, shift) => {
      const [mantissa, exponent = '0'] = text.toLowerCase().split('e') as [string, string?]
      const moved = `${mantissa}${mantissa.includes('.') ? '' : '.'}${'0'.repeat(shift)}e${BigInt(exponent)}`
      expect(canonical(moved)).toBe(canonical(text))
      const [, significant, power] = /^-?(\d+)e(-?\d+)$/.exec(exact(text)) ?? ['', '0', '0']
      const isSmall =
        !power.startsWith('-') && power.length < 3 && BigInt(significant) * 10n ** BigInt(power) <= 9007199254740991n
      expect(typeof canonical(text)).toBe(isSmall ? 'number' : 'string')
    }),
    { numRuns: 2000 },
  )
})
