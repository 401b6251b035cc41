// For tests: a folder of their own for data files.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Removed when it is disposed. */
export function testFolder(): { readonly path: string; file(name: string): string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'local-service-'))
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
