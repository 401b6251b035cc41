import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'
import { findJava } from './find-java.ts'

const folder = ownFolder('test')

it.each([
  ['openjdk version "17.0.15" 2025-04-15', undefined],
  ['openjdk version "21-ea"', undefined],
  ['java version "1.8.0_292"', 'is Java 1'],
  ['openjdk version "11.0.2" 2019-01-15', 'is Java 11'],
  ['coffee', 'is Java of an unknown version'],
  [undefined, 'cannot be run'],
])('of one that says %s: %s', async (says, reason) => {
  if (says !== undefined) await writeFile(join(folder, 'java'), `#!/bin/sh\necho '${says}' >&2\n`, { mode: 0o755 })
  const found = await findJava({ PATH: folder })
  const words = `it needs Java 17 or newer, and java ${reason}`
  expect(found).toEqual(reason === undefined ? { command: 'java' } : { reason: words })
})
