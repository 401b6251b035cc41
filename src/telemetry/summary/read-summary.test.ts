import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownFolder } from '../../process/testing/own-folder.ts'
import { readOldSummary } from './compare-summaries.ts'

const folder = ownFolder('test')

test('of a file that is not there yet another is proposed, but for one that this run will write', async () => {
  await writeFile(join(folder, 'old.json'), '{}')
  const file = join(folder, 'olds.json')
  const said: string[] = []
  const log = (_level: string, message: string): Promise<void> => Promise.resolve(void said.push(message))
  expect(await readOldSummary(file, log)).toBeUndefined()
  expect(await readOldSummary(file, log, file)).toBeUndefined()
  expect(said).toEqual([
    expect.stringMatching(/is no file ".*olds\.json".*Did you mean ".*old\.json"\?$/),
    expect.stringMatching(/is no file ".*olds\.json".* nothing is compared\.$/),
  ])
})
