import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach } from 'vitest'

/** A folder that is there while the tests of a file run. @param of 'test': each finds it empty @returns its path, at once */
export function ownFolder(of: 'file' | 'test'): string {
  const folder = join(tmpdir(), `test-${randomUUID()}`)
  const before = of === 'file' ? beforeAll : beforeEach
  before(() => {
    mkdirSync(folder, { mode: 0o700 })
    return () => rmSync(folder, { recursive: true, force: true })
  })
  return folder
}
