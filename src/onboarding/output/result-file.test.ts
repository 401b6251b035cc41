import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'

import { checkResultFile, writeResultFile } from './result-file.ts'
import { ownFolder } from '../../process/testing/own-folder.ts'

const folder = ownFolder('test')

it('replaces what was there, also behind a link, and touches nothing else', async () => {
  const [file, link] = [join(folder, 'a'), join(folder, 'link')]
  writeFileSync(file, 'old')
  symlinkSync(file, link)
  const others = ['a.part', 'a.tmp', 'link.part', 'result'].map((name) => join(folder, name))
  for (const other of others) writeFileSync(other, 'somebody’s')
  await checkResultFile(link, others)
  await writeResultFile(link, { client_id: 1 })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ client_id: 1 })
  for (const other of others) expect(readFileSync(other, 'utf8')).toBe('somebody’s')
  expect(readdirSync(folder).toSorted()).toEqual(['a', 'a.part', 'a.tmp', 'link', 'link.part', 'result'])
})

it('makes what a link leads to when it is not there yet, and leaves the link', async () => {
  const [again, link] = [join(folder, 'again'), join(folder, 'link')]
  mkdirSync(join(folder, 'there'))
  symlinkSync('there/a', link)
  symlinkSync(link, again)
  await checkResultFile(again, [])
  await writeResultFile(again, { client_id: 1 })
  expect(JSON.parse(readFileSync(join(folder, 'there', 'a'), 'utf8'))).toEqual({ client_id: 1 })
  expect([readlinkSync(again), readlinkSync(link)]).toEqual([link, 'there/a'])
  expect(readdirSync(folder).toSorted()).toEqual(['again', 'link', 'there'])
})

it('says beforehand that a link leads to no folder, or in a circle, and leaves it', async () => {
  const [link, circle] = [join(folder, 'link'), join(folder, 'circle')]
  symlinkSync('none/a', link)
  symlinkSync(circle, circle)
  await expect(checkResultFile(link, [])).rejects.toThrow('there is no such folder')
  await expect(writeResultFile(link, {})).rejects.toThrow('there is no such folder')
  await expect(checkResultFile(circle, [])).rejects.toThrow('its symbolic links form a loop')
  expect(readlinkSync(link)).toBe('none/a')
})

it('leaves what was there when it cannot be replaced', async () => {
  const file = join(folder, 'a')
  mkdirSync(file)
  await expect(writeResultFile(file, {})).rejects.toThrow('cannot be written: it is a folder')
  expect(readdirSync(folder)).toEqual(['a'])
})

it('writes into a pipe', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  await checkResultFile(pipe, [])
  const [text] = await Promise.all([readFile(pipe, 'utf8'), writeResultFile(pipe, { a: 1 })])
  expect(JSON.parse(text)).toEqual({ a: 1 })
})

it('says beforehand what cannot be written', async () => {
  await expect(checkResultFile(folder, [])).rejects.toThrow('it is a folder')
  await expect(checkResultFile(join(folder, 'none', 'a'), [])).rejects.toThrow(
    /cannot be written: there is no such folder/,
  )
})

it.each(['itself', 'a link', 'a hard link', 'a detour'])(
  'takes no file of the run, by the name of %s',
  async (kind) => {
    const [file, other] = [join(folder, 'c'), join(folder, 'other')]
    writeFileSync(file, '')
    if (kind === 'a link') symlinkSync(file, other)
    if (kind === 'a hard link') linkSync(file, other)
    const name = { itself: file, 'a detour': `${folder}/./c` }[kind] ?? other
    await expect(checkResultFile(name, [join(folder, 'gone'), file])).rejects.toThrow(
      'the config, the journal or its lock',
    )
  },
)
