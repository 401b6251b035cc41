import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimalOfBase64, decimalOfNumber, decimalsIn } from './connect-decimal.ts'

/** Two's complement, as few bytes as hold it, as Java's BigInteger writes it. */
function unscaled(value: bigint): string {
  let size = 1
  while (BigInt.asIntN(8 * size, value) !== value) size++
  const hex = BigInt.asUintN(8 * size, value)
    .toString(16)
    .padStart(2 * size, '0')
  return Buffer.from(hex, 'hex').toString('base64')
}

/** A decimal text's value, as an integer and how many of its digits stand behind the point. */
function valueOf(text: string): { readonly integer: bigint; readonly scale: number } {
  const [whole = '', fraction = ''] = text.split('.')
  return { integer: BigInt(whole + fraction), scale: fraction.length }
}

describe('an unscaled value', () => {
  it.each([
    ['AO6s', 2, '611.00'],
    ['/w==', 2, '-0.01'],
    ['AA==', 2, '0.00'],
    ['AA==', -3, '0'],
    ['AQ==', 18, '0.000000000000000001'],
    ['+Q==', 0, '-7'],
    ['+Q==', -2, '-700'],
    ['XODppWAV/sWq36MorjmBFQ==', 9, '123456789012345678901234567890.123456789'],
    ['gAAAAAAAAAA=', 0, '-9223372036854775808'],
    ['AIAAAAAAAAAA', 1, '922337203685477580.8'],
  ])('%s of scale %d is %s', (base64, scale, text) => {
    expect(decimalOfBase64(base64, scale)).toBe(text)
  })

  it('is the same number in its text', () => {
    const integers = fc.oneof(fc.bigInt(), fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n }))
    fc.assert(
      fc.property(integers, fc.integer({ min: -40, max: 60 }), (integer, scale) => {
        const text = decimalOfBase64(unscaled(integer), scale)!
        expect(text).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d+)?$|^-0\.\d*[1-9]\d*$/)
        const value = valueOf(text)
        expect(value.scale).toBe(Math.max(0, scale))
        expect(value.integer).toBe(scale < 0 ? integer * 10n ** BigInt(-scale) : integer)
        expect(text.startsWith('-')).toBe(integer < 0n)
      }),
    )
  })

  it.each([
    ['', 2],
    ['AQ', 2],
    ['A===', 2],
    ['AQ==\n', 2],
    ['A-__', 2],
    ['NaN', 2],
    ['AQ==', undefined],
    ['AQ==', 1.5],
    ['AQ==', 16_384],
    ['AQ==', -16_384],
    ['A'.repeat(80_004), 0],
  ])('is none: %s of scale %d', (base64, scale) => {
    expect(decimalOfBase64(base64, scale)).toBe(undefined)
  })

  it('may be as long as a database allows', () => {
    const digits = '9'.repeat(131_072)
    expect(decimalOfBase64(unscaled(-BigInt(digits)), 16_383)).toBe(
      `-${digits.slice(0, -16_383)}.${digits.slice(-16_383)}`,
    )
  })
})

describe('a JSON number', () => {
  it.each([
    ['12.34', '12.34'],
    ['-0.010', '-0.010'],
    ['0', '0'],
    ['-0', '0'],
    ['-0.00', '0.00'],
    ['1E-18', '0.000000000000000001'],
    ['1.50e1', '15.0'],
    ['1.5e3', '1500'],
    ['-123456789012345678901234567890.123456789e2', '-12345678901234567890123456789012.3456789'],
    ['9007199254740993', '9007199254740993'],
  ])('%s is %s', (number, text) => {
    expect(decimalOfNumber(number)).toBe(text)
  })

  it.each(['1e16384', '1e-16384', '1e99999999999999999999', 'true', '', '1.', 'NaN'])('is none: %s', (text) => {
    expect(decimalOfNumber(text)).toBe(undefined)
  })
})

const decimal = (scale: unknown = '2') => ({
  type: 'bytes',
  name: 'org.apache.kafka.connect.data.Decimal',
  parameters: { scale },
})
const VARIABLE = { type: 'struct', name: 'io.debezium.data.VariableScaleDecimal', fields: [] }
const found = (schema: unknown) => decimalsIn(JSON.stringify(schema))

describe('a schema', () => {
  it('tells where decimals are, at any depth', () => {
    const inner = {
      type: 'struct',
      fields: [
        { ...VARIABLE, field: 'a.b' },
        { type: 'bytes', field: 'raw' },
      ],
    }
    const schema = {
      type: 'struct',
      fields: [
        { ...decimal(), field: 'price' },
        { type: 'array', items: decimal('-1'), field: 'prices' },
        { type: 'map', keys: { type: 'string' }, values: inner, field: 'map' },
        { type: 'int64', name: 'io.debezium.time.MicroTime', field: 'at' },
        { ...inner, field: '__proto__' },
      ],
    }
    const struct = { kind: 'struct', fields: new Map([['a.b', { kind: 'variable' }]]) }
    expect(found(schema)).toEqual({
      kind: 'struct',
      fields: new Map<string, unknown>([
        ['price', { kind: 'decimal', scale: 2 }],
        ['prices', { kind: 'array', items: { kind: 'decimal', scale: -1 } }],
        ['map', { kind: 'map', keys: undefined, values: struct }],
        ['__proto__', struct],
      ]),
    })
  })

  it.each([
    null,
    5,
    'text',
    [],
    {},
    { type: 'struct' },
    { type: 'struct', fields: {} },
    { type: 'struct', fields: [null, 5, { type: 'string', field: 'a' }, { ...decimal() }, { ...decimal(), field: 7 }] },
    { type: 'array' },
    { type: 'map', keys: { type: 'string' }, values: { type: 'string' } },
  ])('has none: %j', (schema) => {
    expect(found(schema)).toBe(undefined)
  })

  it.each([2, null, '', 'x', '1e2', '9999999'])('of a decimal may have no scale: %j', (scale) => {
    expect(found(decimal(scale))).toEqual({ kind: 'decimal', scale: undefined })
  })

  it('may be nested beyond all bounds', () => {
    const deep = (levels: number): string =>
      `${'{"type":"array","items":'.repeat(levels)}${JSON.stringify(decimal())}${'}'.repeat(levels)}`
    expect(decimalsIn(deep(1000))).not.toBe(undefined)
    expect(decimalsIn(deep(100_000))).toBe(undefined)
  })
})
