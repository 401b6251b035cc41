import { describe, expect, it } from 'vitest'
import type { Decimals } from './connect-decimal.ts'
import { DecimalColumns, Patches } from './decimal-columns.ts'

const TWO: Decimals = { kind: 'decimal', scale: 2 }
const VARIABLE: Decimals = { kind: 'variable' }
const struct = (fields: Record<string, Decimals>): Decimals => ({
  kind: 'struct',
  fields: new Map(Object.entries(fields)),
})

function converted(json: string, decimals: Decimals, most?: number): string | undefined {
  const bytes = Buffer.from(`x${json},`)
  const columns = new DecimalColumns(most)
  const read = columns.patch(bytes, 1, bytes.length - 1, decimals)
  return read ? columns.patches.apply(bytes, 1, bytes.length - 1).toString() : undefined
}

describe('decimals', () => {
  it.each<[string, Decimals, string]>([
    ['"AO6s"', TWO, '"611.00"'],
    [String.raw`"\/w=\u003d"`, TWO, '"-0.01"'],
    ['null', TWO, 'null'],
    ['12.340', TWO, '"12.340"'],
    ['{"scale":1,"value":"Dw=="}', VARIABLE, '"1.5"'],
    ['{ "value" : "Dw==" , "scale" : -1 }', VARIABLE, '"150"'],
    ['1.5', VARIABLE, '"1.5"'],
    ['null', VARIABLE, 'null'],
    ['[ "AQ==" , null,"/w==" ]', { kind: 'array', items: TWO }, '[ "0.01" , null,"-0.01" ]'],
    ['[]', { kind: 'array', items: TWO }, '[]'],
    ['[ ]', { kind: 'array', items: TWO }, '[ ]'],
    [
      '{"a":"AQ==","b":"AQ==","c":[[1,{}]],"d":{"e":{"scale":0,"value":"BQ=="}}}',
      struct({ a: TWO, d: struct({ e: VARIABLE }), z: TWO }),
      '{"a":"0.01","b":"AQ==","c":[[1,{}]],"d":{"e":"5"}}',
    ],
    [String.raw`{"\u0061":"AQ=="}`, struct({ a: TWO }), String.raw`{"\u0061":"0.01"}`],
    ['{"x":"AQ==","y":null}', { kind: 'map', keys: TWO, values: TWO }, '{"x":"0.01","y":null}'],
    ['[["AQ==","Ag=="],["Aw==",null]]', { kind: 'map', keys: TWO, values: TWO }, '[["0.01","0.02"],["0.03",null]]'],
    ['[["AQ==","Ag=="]]', { kind: 'map', keys: undefined, values: TWO }, '[["AQ==","0.02"]]'],
  ])('%s', (json, decimals, text) => {
    expect(converted(json, decimals)).toBe(text)
  })

  it.each<[string, Decimals]>([
    ['"no base64"', TWO],
    ['true', TWO],
    ['[]', TWO],
    ['{}', TWO],
    ['"AQ=="', { kind: 'decimal', scale: undefined }],
    ['"AQ=="', VARIABLE],
    ['{"scale":1}', VARIABLE],
    ['{"scale":1,"value":"Dw==","more":1}', VARIABLE],
    ['{"scale":1.0,"value":"Dw=="}', VARIABLE],
    ['{"scale":9999999,"value":"Dw=="}', VARIABLE],
    ['{"scale":"1","value":"Dw=="}', VARIABLE],
    ['{"scale":1,"value":5}', VARIABLE],
    ['"text"', struct({ a: TWO })],
    ['{}', { kind: 'array', items: TWO }],
    ['["AQ==","?"]', { kind: 'array', items: TWO }],
    ['[["AQ=="]]', { kind: 'map', keys: TWO, values: TWO }],
    ['["AQ=="]', { kind: 'map', keys: TWO, values: TWO }],
    ['"AQ=="', { kind: 'map', keys: TWO, values: TWO }],
  ])('that are none stay unread: %s', (json, decimals) => {
    expect(converted(json, decimals)).toBe(undefined)
  })

  it('do not become gigabytes', () => {
    const one = '{"scale":-16383,"value":"AQ=="}'
    const many = (count: number): string => `[${Array.from({ length: count }, () => one).join(',')}]`
    expect(converted(many(100), { kind: 'array', items: VARIABLE })).toHaveLength(100 * 16_387 + 1)
    expect(converted(many(300), { kind: 'array', items: VARIABLE })).toBe(undefined)
    expect(converted(many(300), { kind: 'array', items: VARIABLE }, 300 * 16_387)).toHaveLength(300 * 16_387 + 1)
    expect(converted(many(100), { kind: 'array', items: VARIABLE }, 100 * 16_386 - 1)).toBe(undefined)
    // what is as long as that itself
    expect(converted('"AQ=="', TWO, 1)).toBe('"0.01"')
  })
})

it('puts texts in the place of ranges and inserts at empty ones', () => {
  const bytes = Buffer.from('..{"a":1,"bé":22}..')
  const patches = new Patches()
  expect(patches.isEmpty).toBe(true)
  patches.add(3, 3, '"x":"ü",')
  patches.add(7, 8, 'null')
  expect(patches.isEmpty).toBe(false)
  expect(patches.length).toBe(12)
  const copy = patches.apply(bytes, 2, bytes.length - 2)
  expect(copy.toString()).toBe('{"x":"ü","a":null,"bé":22}')
  patches.clear()
  expect(patches.apply(bytes, 2, 5).toString()).toBe('{"a')
  expect(patches.length).toBe(0)
})
