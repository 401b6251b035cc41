import { expect, it } from 'vitest'
import { Scanner } from '../../json/scanner.ts'
import { Columns } from './sqlite-schema.ts'
import { PointReader } from './sqlite-points.ts'

/** Reads points of one table, each at some place in a buffer. */
function table(): { columns: Columns; read: (point: string) => string | null; fields: () => string[] } {
  const columns = new Columns()
  const reader = new PointReader(columns)
  return {
    columns,
    fields: () => columns.all().map(({ field }) => field),
    read(point) {
      const bytes = Buffer.from(`[${point},0]`)
      const scanner = new Scanner()
      scanner.start(bytes, 1, bytes.length)
      expect(scanner.table()).toBe(true)
      return reader.read(bytes, scanner, point.includes('\\u'))
    },
  }
}

it('leaves ordinary points to SQLite and meets each field once', () => {
  const { read, fields } = table()
  const points = [
    '{"keys":["id"],"id":1}',
    '{"keys":["id"],"id":2}',
    '{"id":9007199254740993,"keys":["id"],"item":"\\u00e9\\n\\ud83d\\ude00","":1.0,"a.b[0]":[1,{"x":{}}]}',
    '{}',
    ' { "item" : "\u2028" } ',
  ]
  expect(points.map(read)).toEqual(points.map(() => null))
  expect(fields()).toEqual(['keys', 'id', 'item', '', 'a.b[0]'])
})

it('takes the last of a member that is there twice', () => {
  const { read } = table()
  expect(read('{"id":1,"id":2,"x":3,"id":  1.50}')).toBe('{"id":1.50,"x":3}')
  expect(read('{"id":1,"x":2}')).toBeNull()
})

it('resolves escaped names, also those of a point like the last one', () => {
  const { read, fields } = table()
  expect(read('{"id":1}')).toBeNull()
  expect(read('{"\\u0069d":12345678901234567890}')).toBe('{"id":12345678901234567890}')
  expect(read('{"i\\u0064":"\\"é"}')).toBe('{"id":"\\"é"}')
  expect(read('{"a/b":1}')).toBeNull()
  expect(read('{"a\\/b":2}')).toBe('{"a/b":2}')
  expect(fields()).toEqual(['id', 'a/b'])
})

it('gives names that no path holds a number', () => {
  const { read, fields } = table()
  expect(read('{"id":1,"a\\"b":2,"a\\u0000":[3],"\\ud800":4,"#1":5}')).toBe('{"id":1,"#2":2,"#3":[3],"#4":4,"#5":5}')
  expect(read('{"#1":{"x":1}}')).toBe('{"#5":{"x":1}}')
  expect(read('{"id":1}')).toBeNull()
  expect(fields()).toEqual(['id', 'a"b', 'a\0', '\ud800', '#1'])
})

it('replaces lone surrogates, which are no UTF-8', () => {
  const { read } = table()
  expect(read('{"a":"x\\ud800y","b":"\\ud83d\\ude00","c":["\\udc00"]}')).toBe(
    '{"a":"x\ufffdy","b":"\\ud83d\\ude00","c":["\\udc00"]}',
  )
  expect(read('{"a":"\\uDE00\\uD83D"}')).toBe('{"a":"\ufffd\ufffd"}')
})

it('makes a text of what is nested too deep', () => {
  const { read } = table()
  const deep = `${'['.repeat(1000)}"\\""${']'.repeat(1000)}`
  expect(JSON.parse(read(`{"id":1,"deep":${deep},"flat":[2]}`)!)).toEqual({ id: 1, deep, flat: '[2]' })
  expect(read(`{"id":1,"deep":${'['.repeat(800)}${']'.repeat(800)},"flat":[2]}`)).toBeNull()
  expect(JSON.parse(read(`{"id":1,"deep":${deep},"flat":[2]}`)!)).toEqual({ id: 1, deep, flat: '[2]' })
})

it('leaves out what has no column', () => {
  const { columns, read } = table()
  for (let n = 0; n < 1998; n++) columns.add(`field ${n}`)
  expect(read('{"field 3":1,"id":2,"more":3}')).toBeNull()
  expect(read('{"field 3":1,"field 3":2,"id":2,"more":3}')).toBe('{"field 3":2,"id":2}')
  expect(read('{"field 3":1,"and\\"more":3}')).toBe('{"field 3":1}')
})
