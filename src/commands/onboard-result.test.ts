import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

import { checkResultFile, writeResultFile } from './onboard-result.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'onboard-result-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('replaces what was there, also behind a link, and leaves nothing else', async () => {
  const [file, link] = [join(folder, 'a'), join(folder, 'link')]
  writeFileSync(file, 'old')
  symlinkSync(file, link)
  writeFileSync(`${file}.part`, 'of a run that was killed')
  await checkResultFile(link, [join(folder, 'c')])
  await writeResultFile(link, { client_id: 1 })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ client_id: 1 })
  expect(readdirSync(folder)).toEqual(['a', 'link'])
})

it('writes into a pipe', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  await checkResultFile(pipe, [])
  const [text] = await Promise.all([readFile(pipe, 'utf8'), writeResultFile(pipe, { a: 1 })])
  expect(JSON.parse(text)).toEqual({ a: 1 })
})

it('says beforehand what can not be written', async () => {
  await expect(checkResultFile(folder, [])).rejects.toThrow('it is a folder')
  await expect(checkResultFile(join(folder, 'none', 'a'), [])).rejects.toThrow(/cannot be written: ENO/)
  writeFileSync(join(folder, 'c'), '')
  await expect(checkResultFile(join(folder, '.', 'c'), [join(folder, 'c')])).rejects.toThrow(
    'the config or the journal',
  )
  chmodSync(folder, 0o700)
})
