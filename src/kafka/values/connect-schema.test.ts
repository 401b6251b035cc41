import { describe, expect, it } from 'vitest'
import { decimalsIn } from './connect-schema.ts'

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
    expect(found(decimal(scale))).toEqual({ kind: 'decimal', scale: Number.NaN })
  })

  it('may be nested beyond all bounds', () => {
    const deep = (levels: number): string =>
      `${'{"type":"array","items":'.repeat(levels)}${JSON.stringify(decimal())}${'}'.repeat(levels)}`
    expect(decimalsIn(deep(1000))).not.toBe(undefined)
    expect(decimalsIn(deep(100_000))).toBe(undefined)
  })
})
