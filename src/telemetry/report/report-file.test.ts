import { execFileSync } from 'node:child_process'
import { chmod, link, mkdir, open, readFile, readdir, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConnectorError } from '../../core/errors.ts'
import { ownFolder } from '../../process/testing/own-folder.ts'
import { ReportFile } from './report-file.ts'

const folder = ownFolder('test')
const at = (...names: string[]): string => join(folder, ...names)
const problemOf = (opening: Promise<unknown>): Promise<unknown> =>
  opening.then(
    () => 'none',
    (error: unknown) => error,
  )

test('opening leaves all as it is, writing replaces it as a whole, and nothing else stays', async () => {
  const file = await ReportFile.open(at('r.html'))
  expect(await readdir(folder)).toEqual([])
  await file.write('one')
  await file.write('two')
  expect(await readFile(at('r.html'), 'utf8')).toBe('two')
  await writeFile(at('old.html'), 'a report of before')
  await ReportFile.open(at('old.html'))
  expect(await readFile(at('old.html'), 'utf8')).toBe('a report of before')
  expect(await readdir(folder)).toEqual(['old.html', 'r.html'])
})

test('whoever has the old one open reads it to its end', async () => {
  await writeFile(at('r.html'), 'old')
  const file = await ReportFile.open(at('r.html'))
  await using reader = await open(at('r.html'))
  await file.write('new')
  expect(await reader.readFile('utf8')).toBe('old')
})

test('a link stays one', async () => {
  await mkdir(at('there'))
  await writeFile(at('there', 'r.html'), 'old')
  await symlink(at('there', 'r.html'), at('link.html'))
  const file = await ReportFile.open(at('link.html'))
  await file.write('new')
  expect(await readFile(at('there', 'r.html'), 'utf8')).toBe('new')
  expect(await readFile(at('link.html'), 'utf8')).toBe('new')
})

test('a link that leads nowhere yet stays one too', async () => {
  await symlink('there.html', at('link.html'))
  await symlink('link.html', at('again.html'))
  const file = await ReportFile.open(at('again.html'))
  expect(await readdir(folder)).toEqual(['again.html', 'link.html'])
  await file.write('new')
  expect(await readFile(at('there.html'), 'utf8')).toBe('new')
  expect(await readlink(at('again.html'))).toBe('link.html')
})

test('a new one only its owner can read', async () => {
  const file = await ReportFile.open(at('r.html'))
  await file.write('new')
  expect((await stat(at('r.html'))).mode & 0o777).toBe(0o600)
})

test('who may read it stays as it is', async () => {
  await writeFile(at('r.html'), 'old')
  await chmod(at('r.html'), 0o640)
  const file = await ReportFile.open(at('r.html'))
  await file.write('new')
  expect((await stat(at('r.html'))).mode & 0o777).toBe(0o640)
})

test.each<[string, () => string | Promise<string>, RegExp]>([
  ['standard output', () => '-', /found "-": standard output is for messages/],
  ['nothing', () => '', /found nothing/],
  ['a folder', () => folder, /it is a folder/],
  ['a folder that is not there', () => `${at('none')}/`, /it is a folder/],
  ['a file in a folder that is not there', () => at('none', 'r.html'), /there is no such folder/],
  ['a file in a file', async () => (await writeFile(at('f'), ''), at('f', 'r.html')), /there is no such folder/],
  ['a device', () => '/dev/null', /it is not a regular file/],
  ['a pipe', () => (execFileSync('mkfifo', [at('pipe')]), at('pipe')), /it is not a regular file/],
  ['links in a circle', async () => (await symlink(at('c'), at('c')), at('c')), /form a loop/],
  ['a name that is too long', () => at('x'.repeat(300)), /too long/],
  ['a NUL', () => at('a\0b'), /NUL/],
])('%s is refused at the start, in words', async (_name, path, words) => {
  const given = await path()
  const error = (await problemOf(ReportFile.open(given))) as ConnectorError
  expect(error).toBeInstanceOf(ConnectorError)
  expect(error.kind).toBe('config')
  expect(error.message).toMatch(/--report/)
  expect(error.message).toMatch(words)
})

test('a name as long as names may be is no trouble', async () => {
  const file = await ReportFile.open(at('x'.repeat(250)))
  await file.write('report')
  expect(await readdir(folder)).toEqual(['x'.repeat(250)])
})

test('a failure to write leaves what was there, and nothing else', async () => {
  const path = at('r.html')
  const file = await ReportFile.open(path)
  await mkdir(path)
  expect(await problemOf(file.write('report'))).toMatchObject({ kind: 'config' })
  expect(await readdir(folder)).toEqual(['r.html'])
  await chmod(folder, 0o700)
})

test('it takes the place of no file of the run, by whatever name', async () => {
  await writeFile(at('config.json'), '{}')
  await link(at('config.json'), at('hard.json'))
  await symlink(at('config.json'), at('soft.json'))
  await using input = await open(at('config.json'))
  const reservedPaths = [{ file: at('config.json'), what: 'that of --config' }]
  for (const name of ['config.json', 'hard.json', 'soft.json']) {
    const file = await ReportFile.open(at(name))
    expect(await problemOf(file.keepApartFrom(reservedPaths)), name).toMatchObject({
      kind: 'config',
      message: expect.stringContaining('is that of --config'),
    })
    expect(await problemOf(file.keepApartFrom([{ file: input.fd, what: 'what is read' }]))).toMatchObject({
      kind: 'config',
    })
  }
  const file = await ReportFile.open(at('r.html'))
  // neither is there
  expect(await problemOf(file.keepApartFrom([{ file: `${folder}/x/../r.html`, what: 'other' }]))).toMatchObject({
    kind: 'config',
  })
  await file.keepApartFrom([
    ...reservedPaths,
    { file: input.fd, what: 'what is read' },
    { file: at('none'), what: 'none' },
  ])
  expect(await readFile(at('config.json'), 'utf8')).toBe('{}')
})

test('it is free when nothing, or a page that begins so, is there', async () => {
  const file = await ReportFile.open(at('r.html'))
  expect(await file.isFreeOr('<!doctype')).toBe(true)
  await writeFile(at('r.html'), '')
  expect(await file.isFreeOr('<!doctype')).toBe(true)
  await writeFile(at('r.html'), '<!doctype html>')
  expect(await file.isFreeOr('<!doctype')).toBe(true)
  await writeFile(at('r.html'), '{"a":1}')
  expect(await file.isFreeOr('<!doctype')).toBe(false)
})
