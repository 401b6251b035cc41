import { expect, it } from 'vitest'
import * as parts from './python-parts.ts'

it.each(Object.values(parts))('has a digest of every package: $name', async (part) => {
  const requirements = (await part.recipe()).replaceAll(/^#.*\n/gm, '').replaceAll('\\\n', '')
  const lines = requirements.split('\n').filter((line) => line !== '')
  expect(lines.length).toBeGreaterThan(part === parts.pytest ? 5 : 30)
  for (const line of lines) expect(line).toMatch(/^[\w.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}\b/)
})
