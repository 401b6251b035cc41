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

test('it loads nothing but node:fs, for its time', () => {
  const source = readFileSync(new URL('./spec.ts', import.meta.url), 'utf8')
  expect(Array.from(source.matchAll(/from '([^']+)'|import\(/g), ([, name]) => name)).toEqual(['node:fs'])
})
