import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const WORK = fileURLToPath(new URL('testing/heap-work.ts', import.meta.url))

// left to itself V8 comes to 64 MB each time; with no more than its growth stopped, once, it is left with 2 MB at the end
test('the young generation stays small, and becomes what it was when a process that stood still goes on', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', WORK], { encoding: 'utf8' })
  expect(stderr).toBe('')
  const { before, still, after } = JSON.parse(stdout) as Record<'before' | 'still' | 'after', number>
  expect(still).toBeLessThan(2e6)
  for (const size of [before, after]) {
    expect(size).toBeGreaterThan(4e6)
    expect(size).toBeLessThan(40e6)
  }
}, 60_000)
