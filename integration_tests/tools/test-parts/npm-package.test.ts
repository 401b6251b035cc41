import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { expect, it } from 'vitest'
import { npmPackage } from './npm-package.ts'
import { fetchPart, findPart } from './part.ts'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'

const folder = ownFolder('test')

it('is not taken for what was pinned when it is something else', async () => {
  const npm = `#!/bin/sh\necho other >one.tgz && echo '[{"filename":"one.tgz"}]'`
  await writeFile(join(folder, 'npm'), npm, { mode: 0o755 })
  const environment = { PATH: `${folder}${delimiter}${process.env['PATH']}` }
  const part = npmPackage({ name: 'one', spec: 'one@1.0.0', integrity: 'sha512-one', file: 'one.txt' }, environment)
  const fetching = fetchPart(folder, part, new AbortController().signal)
  await expect(fetching).rejects.toThrow(/one@1\.0\.0 is not what was pinned/)
  expect(await findPart(folder, part)).toBeUndefined()
})
