// Files of dead letters as they are read back: whole, torn, added to, changed.

import { appendFile, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sample } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DeadLetter } from '../dead-letters/dead-letter.ts'
import { toLine } from '../dead-letters/letter-line.ts'
import { anyLetter, letterOf } from '../dead-letters/testing/letters.ts'
import { openReplayFile } from './replay-file.ts'
import { ownFolder } from '../../process/testing/own-folder.ts'

const { signal } = new AbortController()
const folder = ownFolder('file')
let files = 0

const path = (): string => join(folder, `letters-${files++}.jsonl`)
const lineOf = (letter: DeadLetter): string => `${toLine(letter, '2026-11-21T00:00:00.000Z').toString()}\n`

interface Replay {
  readonly read: readonly Pick<DeadLetter, 'topic' | 'partition' | 'record'>[]
  readonly said: readonly string[]
  readonly error: string | undefined
}

/** @param chunks that are committed; all when absent */
async function replay(file: string, chunks = Infinity): Promise<Replay> {
  const said: string[] = []
  await using opened = await openReplayFile(file, async (level, message) => {
    said.push(`${level} ${message}`)
  })
  const read: Replay['read'][number][] = []
  let error: string | undefined
  let count = 0
  for await (const replayed of opened.read(signal)) {
    for (const { offset, timestamp, key, value, headers, from } of replayed.records)
      read.push({ ...from!, record: { offset, timestamp, key, value, headers } })
    error = replayed.error?.message
    if (count++ < chunks) await opened.commit(replayed.next)
  }
  return { read, said, error }
}

const originsOf = (letters: readonly DeadLetter[]): Replay['read'] =>
  letters.map(({ topic, partition, record }) => ({ topic, partition, record }))

describe('a file of dead letters', () => {
  it('is read once, then what was added', async () => {
    const file = path()
    const letters = sample(anyLetter, { numRuns: 300, seed: 3 })
    await writeFile(file, letters.slice(0, 200).map(lineOf).join(''))
    expect((await replay(file)).read).toEqual(originsOf(letters.slice(0, 200)))
    expect((await replay(file)).read).toEqual([])
    await appendFile(file, letters.slice(200).map(lineOf).join(''))
    expect((await replay(file)).read).toEqual(originsOf(letters.slice(200)))
    expect(((await stat(`${file}.replayed`)).mode & 0o777).toString(8)).toBe('600')
  })

  it('goes on behind what was committed, through many chunks', async () => {
    const file = path()
    const letters = Array.from({ length: 3000 }, (_, index) =>
      letterOf({ offset: BigInt(index), value: Buffer.alloc((index * 37) % 900, 'v') }),
    )
    await writeFile(file, letters.map(lineOf).join(''))
    const all = (await replay(file, 2)).read
    expect(all).toEqual(originsOf(letters))
    const { read } = await replay(file)
    expect(read.length).toBeGreaterThan(0)
    expect(read).toEqual(all.slice(-read.length))
    expect(read.length).toBeLessThan(letters.length)
  })

  it('ends where it ended when the replay began', async () => {
    const file = path()
    await writeFile(file, lineOf(letterOf({ offset: 1n })))
    await using opened = await openReplayFile(file, () => Promise.resolve())
    await appendFile(file, lineOf(letterOf({ offset: 2n })))
    const offsets: bigint[] = []
    for await (const { records } of opened.read(signal)) offsets.push(...records.map(({ offset }) => offset))
    expect(offsets).toEqual([1n])
  })

  it('leaves a line that is being written for the next time, and one that was cut off for ever, said so', async () => {
    const file = path()
    const [one, two, three] = [1n, 2n, 3n].map((offset) => letterOf({ offset })) as [DeadLetter, DeadLetter, DeadLetter]
    await writeFile(file, lineOf(one) + lineOf(two).slice(0, 40))
    expect(await replay(file)).toEqual({ read: originsOf([one]), said: [], error: undefined })
    await appendFile(file, lineOf(two).slice(40))
    expect((await replay(file)).read).toEqual(originsOf([two]))
    await appendFile(file, `${lineOf(two).slice(0, 60)}\n${lineOf(three)}`)
    const { read, said, error } = await replay(file)
    expect([read, error]).toEqual([originsOf([three]), undefined])
    expect(said).toHaveLength(1)
    expect(said[0]).toMatch(/^warn A line of ".*", \d+ bytes from its beginning, is cut off and left out: /)
  })

  it('takes a whole letter at its end also without a line feed, once', async () => {
    const file = path()
    const [one, two, three] = [1n, 2n, 3n].map((offset) => letterOf({ offset })) as [DeadLetter, DeadLetter, DeadLetter]
    await writeFile(file, lineOf(one) + lineOf(two).trimEnd())
    expect(await replay(file)).toEqual({ read: originsOf([one, two]), said: [], error: undefined })
    expect((await replay(file)).read).toEqual([])
    await appendFile(file, `\n${lineOf(three)}`)
    expect(await replay(file)).toEqual({ read: originsOf([three]), said: [], error: undefined })
  })

  it('takes CRLF and blank lines', async () => {
    const file = path()
    const letter = letterOf({})
    await writeFile(file, `\n\r\n${lineOf(letter).trimEnd()}\r\n\n`)
    expect(await replay(file)).toEqual({ read: originsOf([letter]), said: [], error: undefined })
  })

  it('stops before a line that is no letter, and goes on once it is corrected', async () => {
    const file = path()
    const [one, two] = [letterOf({ offset: 1n }), letterOf({ offset: 2n })]
    await writeFile(file, `${lineOf(one)}{"type":"RECORD"}\n${lineOf(two)}`)
    const { read, error } = await replay(file)
    expect(read).toEqual(originsOf([one]))
    expect(error).toContain(`holds a line that is not a dead letter, ${lineOf(one).length} bytes from its beginning: `)
    await writeFile(file, lineOf(one) + lineOf(two))
    expect((await replay(file)).read).toEqual(originsOf([two]))
  })

  it('is refused when it is not the one that was replayed', async () => {
    const file = path()
    await writeFile(file, lineOf(letterOf({ offset: 1n })))
    await replay(file)
    await rename(file, `${file}.away`)
    for (const other of ['', lineOf(letterOf({ offset: 2n })), lineOf(letterOf({ offset: 2n })).repeat(3)]) {
      await writeFile(file, other)
      await expect(replay(file)).rejects.toThrow(`to replay all of it, remove "${file}.replayed"`)
    }
    await rm(`${file}.replayed`)
    expect((await replay(file)).read).toHaveLength(3)
  })

  it('is refused when what is beside it is no place', async () => {
    const file = path()
    await writeFile(file, lineOf(letterOf({})))
    await writeFile(`${file}.replayed`, '{"replayed":-1}')
    await expect(replay(file)).rejects.toThrow('is not the one that was replayed before')
  })

  it('has nothing when it is not there, and is told when it cannot be read', async () => {
    expect((await replay(path())).read).toEqual([])
    await expect(replay(folder)).rejects.toThrow(
      `"${folder}" of dead_letters.file cannot be read: it is not a regular file`,
    )
  })

  it('is never changed', async () => {
    const file = path()
    const text = lineOf(letterOf({})) + lineOf(letterOf({})).slice(0, 9)
    await writeFile(file, text)
    await replay(file)
    expect(await readFile(file, 'utf8')).toBe(text)
  })
})
