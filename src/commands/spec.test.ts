import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

import { spec } from './spec.ts'

test('one compact SPEC line with the committed specification', async () => {
  const lines: string[] = []
  const io = { write: (line: string) => Promise.resolve(void lines.push(line)) }
  expect(await spec(io)).toBe(0)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^\{"type":"SPEC","spec":\{[^\n]*\n$/)
  const committed: unknown = JSON.parse(
    readFileSync(new URL('../../spec/connector-specification.json', import.meta.url), 'utf8'),
  )
  expect(JSON.parse(lines[0]!)).toEqual({ type: 'SPEC', spec: committed })
})

test('it loads nothing but built-in modules by way of one file, for its time', () => {
  expect(importsOf('./spec.ts')).toEqual(['../files/package-file.ts'])
  expect(importsOf('../files/package-file.ts')).toEqual(['node:fs', 'node:sea'])
})

function importsOf(file: string): (string | undefined)[] {
  const source = readFileSync(new URL(file, import.meta.url), 'utf8')
  return Array.from(source.matchAll(/from '([^']+)'|import\(/g), ([, name]) => name)
}
