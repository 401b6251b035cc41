// Files as they are on this machine: made, torn, shared, and everything that is none.

import { execFileSync } from 'node:child_process'
import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConnectorError } from '../core/errors.ts'
import { checkRejectFile, openRejectFile } from './reject-file.ts'
import { ownFolder } from '../process/testing/own-folder.ts'

const folder = ownFolder('file')
let files = 0

const path = (): string => join(folder, `file-${files++}`)

async function append(file: string, ...lines: string[]): Promise<void> {
  await using opened = await openRejectFile(file)
  await Promise.all(lines.map((line) => opened.append(Buffer.from(line))))
}

describe('a file of rejected records', () => {
  it('is made for its user alone, and goes on where it ended', async () => {
    const file = path()
    await append(file)
    expect(await readFile(file, 'utf8')).toBe('')
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600')
    await append(file, '{"a":1}', '{"b":"é"}')
    await append(file, '{"c":3}')
    expect(await readFile(file, 'utf8')).toBe('{"a":1}\n{"b":"é"}\n{"c":3}\n')
  })

  it('never runs a line into one that was cut off', async () => {
    const file = path()
    await writeFile(file, '{"a":1}\n{"b":')
    await append(file)
    expect(await readFile(file, 'utf8')).toBe('{"a":1}\n{"b":')
    await append(file, '{"c":3}', '{"d":4}')
    expect(await readFile(file, 'utf8')).toBe('{"a":1}\n{"b":\n{"c":3}\n{"d":4}\n')
  })

  it('has every line whole, in the order of `append`, when each is done', async () => {
    const file = path()
    await using opened = await openRejectFile(file)
    const lines = Array.from({ length: 200 }, (_, index) => `${index}:${'x'.repeat((index * 7919) % 3000)};`)
    await Promise.all(
      lines.map(async (line, index) => {
        // some while others are being written
        if (index % 50 === 0) await new Promise((resolve) => setTimeout(resolve, index / 25))
        await opened.append(Buffer.from(line))
        expect((await readFile(file, 'utf8')).includes(`${line}\n`)).toBe(true)
      }),
    )
    const kept = (await readFile(file, 'utf8')).split('\n')
    expect(kept.pop()).toBe('')
    expect(new Set(kept)).toEqual(new Set(lines))
    expect(kept).toHaveLength(lines.length)
    const ordinary = kept.map((line) => Number(line.split(':')[0])).filter((index) => index % 50 > 0)
    expect(ordinary).toEqual(ordinary.toSorted((a, b) => a - b))
  })

  it('has a line that is given in pieces in one, also a very long one', async () => {
    const file = path()
    await writeFile(file, 'torn')
    const long = Buffer.alloc(9 * 1024 * 1024, 'x')
    await using opened = await openRejectFile(file)
    await Promise.all([
      opened.append([Buffer.from('{"a":'), Buffer.from('1}')]),
      opened.append([Buffer.from('['), Buffer.alloc(0), long, Buffer.from(']')]),
      opened.append(Buffer.from('end')),
    ])
    await opened.append(Array.from({ length: 2000 }, () => Buffer.alloc(5000, 'y')))
    const expected = `torn\n{"a":1}\n[${long.toString()}]\nend\n${'y'.repeat(10_000_000)}\n`
    expect((await readFile(file, 'utf8')) === expected).toBe(true)
  })

  it('may be shared by two who append to it', async () => {
    const file = path()
    const lines = (who: string): string[] =>
      Array.from({ length: 200 }, (_, index) => `${who}${index}`.padEnd(5000, '-'))
    await Promise.all(['a', 'b'].map((who) => append(file, ...lines(who))))
    expect(new Set((await readFile(file, 'utf8')).split('\n'))).toEqual(new Set([...lines('a'), ...lines('b'), '']))
  })

  it('that can no longer be written says so, then and ever after', async () => {
    const file = path()
    const opened = await openRejectFile(file)
    await opened[Symbol.asyncDispose]()
    const first = opened.append(Buffer.from('{}'))
    await expect(first).rejects.toThrow(ConnectorError)
    await expect(first).rejects.toThrow(/cannot be appended to/)
    await expect(opened.append(Buffer.from('{}'))).rejects.toThrow(/cannot be appended to/)
    expect(await readFile(file, 'utf8')).toBe('')
  })
})

const cases: [string, (at: string) => string | Promise<string>, RegExp][] = [
  ['in no folder', (at) => `${at}/none/rejects.jsonl`, /no such folder/],
  ['below a file', (at) => writeFile(at, '').then(() => `${at}/rejects.jsonl`), /no such folder/],
  ['a folder', () => folder, /is a folder/],
  ['a folder that is not there', (at) => `${at}/`, /is a folder/],
  ['a device', () => '/dev/null', /not a regular file/],
  [
    'a pipe without reader',
    (at) => {
      execFileSync('mkfifo', [at])
      return at
    },
    /not a regular file/,
  ],
  ['links in a circle', (at) => symlink(at, at).then(() => at), /form a loop/],
  ['a link into no folder', (at) => symlink(`${at}/none/x`, at).then(() => at), /form a loop|no such folder/],
  ['a path that is too long', (at) => at + 'x'.repeat(300), /too long/],
  ['a path with a NUL', (at) => `${at}\0x`, /NUL/],
]

describe('what is no file to append to', () => {
  it.each(cases)('%s: is told by both, and nothing is left behind', async (_name, make, words) => {
    const file = await make(path())
    const before = await readdir(folder)
    expect(await checkRejectFile(file)).toMatch(words)
    expect(await checkRejectFile(file)).toContain('rejected records')
    expect(await readdir(folder)).toEqual(before)
    await expect(openRejectFile(file)).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringMatching(words) as string,
    })
    expect(await readdir(folder)).toEqual(before)
  })

  it('a file, one to be made, and links to such are; nothing is left behind or changed', async () => {
    const there = path()
    const link = path()
    const nowhere = path()
    await writeFile(there, 'torn')
    await symlink(there, link)
    await symlink(join(folder, 'to-be-made'), nowhere)
    const before = await readdir(folder)
    for (const file of [there, link, nowhere, path()]) expect(await checkRejectFile(file)).toBeUndefined()
    expect(await readdir(folder)).toEqual(before)
    expect(await readFile(there, 'utf8')).toBe('torn')
    await append(nowhere, '{}')
    expect(await readFile(join(folder, 'to-be-made'), 'utf8')).toBe('{}\n')
  })
})
