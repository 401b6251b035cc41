import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const WORK = fileURLToPath(new URL('test-heap-work.ts', import.meta.url))

interface Sizes {
  readonly young: number
  readonly old: number
}

// 3 million objects before and after, 30,000 at a time. Left to itself V8 comes to 64 MB of young generation; with no more than
// its growth stopped, once, to 55 MB of old generation before, and 2 MB of young one after
test('the heap stays small, and becomes what it was when a process that stood still goes on', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', WORK], { encoding: 'utf8' })
  expect(stderr).toBe('')
  const { before, still, after } = JSON.parse(stdout) as { before: Sizes; still: Pick<Sizes, 'young'>; after: Sizes }
  expect(still.young).toBeLessThan(2e6)
  for (const { young, old } of [before, after]) {
    expect(young).toBeGreaterThanOrEqual(5 * 1024 * 1024)
    expect(young).toBeLessThan(20e6)
    expect(old).toBeLessThan(35e6)
  }
})
