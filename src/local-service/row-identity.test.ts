import { expect, it } from 'vitest'
import { Scanner } from '../json/scanner.ts'
import { rowIdentity } from './row-identity.ts'

function identity(text: string, point: Record<string, unknown> = JSON.parse(text)): string {
  const bytes = Buffer.from(text)
  const scanner = new Scanner()
  scanner.start(bytes, 0, bytes.length)
  scanner.table()
  return rowIdentity(bytes, scanner, point)
}

it('tells types apart', () => {
  const values = ['1', '"1"', 'true', '"true"', 'false', '0', '""', '"s"', '"n1"']
  expect(new Set(values.map((value) => identity(`{"keys":["id"],"id":${value}}`))).size).toBe(values.length)
})

it('throws when the bytes tell another value than JSON.parse', () => {
  const text = '{"keys":["id"],"id":1,"s":"a","b":true}'
  for (const point of [
    { keys: ['id'], id: 2 },
    { keys: ['s'], s: 'b' },
    { keys: ['b'], b: false },
    { keys: ['x'], x: 1 },
  ]) {
    expect(() => identity(text, point)).toThrow('differ')
  }
})
