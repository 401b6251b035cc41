// Files of dead letters as they are read back: whole, torn, added to, changed.

import { appendFile, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sample } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeadLetter } from '../dead-letters/dead-letter.ts'
import { toLine } from '../dead-letters/letter-line.ts'
import { anyLetter, letterOf } from '../dead-letters/testing/letters.ts'
import { openReplayFile, ReplayFileMember } from './replay-file.ts'
import { ConnectorError } from '../../core/errors.ts'
import { MapperSpace } from '../../mapping/mapper-space.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import type { ValueDecoder } from '../../registry/types.ts'
import type { Replayed } from '../dead-letters/dead-letter-replay.ts'
import { topicShared } from '../topics/topic-tables.ts'
import { AwaitedSchemas } from './awaited-schemas.ts'
import { KafkaSource } from './kafka-source.ts'
import { StreamTopics } from './stream-topics.ts'
import { recordOf, topicConfig } from './testing/topics.ts'

const { signal } = new AbortController()
let folder = ''
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'replay-'))
})
afterAll(() => rm(folder, { recursive: true }))

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

  it('keeps the last place of commits that overlap, as at the end of a run', async () => {
    const file = path()
    const lines = sample(anyLetter, { numRuns: 20, seed: 4 }).map(lineOf)
    await writeFile(file, lines.join(''))
    const ends = lines.map((_, index) => BigInt(Buffer.byteLength(lines.slice(0, index + 1).join(''))))
    {
      await using opened = await openReplayFile(file, async () => {})
      const commits = await Promise.allSettled(ends.map((end) => opened.commit(end)))
      expect(commits.map(({ status }) => status)).toEqual(ends.map(() => 'fulfilled'))
    }
    expect((await replay(file)).read).toEqual([])
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

const never = new AbortController().signal

function replayOf(
  chunks: readonly Replayed[],
  over: Parameters<typeof topicConfig>[0] = {},
  store?: SchemaStore,
  clock = { now: () => 0 },
  unkept?: ConnectorError,
) {
  const committed: bigint[] = []
  const turns: unknown[] = []
  const warnings: string[] = []
  const shared = topicShared('', new MapperSpace())
  const topics = new StreamTopics([topicConfig({ topic: { name: 'a' }, ...over })], shared)
  let chunksRead = 0
  const file = {
    from: 0n,
    async *read() {
      for (const chunk of chunks) {
        chunksRead++
        yield chunk
      }
    },
    commit: (next: bigint) => (unkept ? Promise.reject(unkept) : Promise.resolve(void committed.push(next))),
  }
  const member = new ReplayFileMember(file)
  const topic = (name: string) => topics.find(name)
  const source = new KafkaSource(
    {
      space: shared.space,
      keepsRecords: true,
      topic,
      schemas: store && new AwaitedSchemas({ store, clock, topic }),
      clock,
      wallClock: () => 0,
      turn: () => {
        turns.push(committed.length)
        return Promise.resolve()
      },
      log: (_level, message) => warnings.push(message),
    },
    member,
  )
  source.use(member)
  member.use(source)
  const end = new AbortController()
  const running = member.run(end.signal)
  return { source, member, committed, turns, warnings, running, end, chunksRead: () => chunksRead }
}

type MemberReplay = ReturnType<typeof replayOf>

async function kindsOf({ source }: MemberReplay): Promise<unknown[]> {
  const kinds: unknown[] = []
  try {
    for await (const items of source.read(
      never,
      () => {},
      () => {},
    ))
      for (const item of items) {
        if (item.kind !== 'checkpoint') kinds.push(item.kind)
        else {
          kinds.push(item.checkpoint.next)
          await source.settled(item.checkpoint, { written: 0, rejected: 0, superseded: 0 })
        }
      }
  } catch (error) {
    kinds.push((error as Error).message)
  }
  return kinds
}

const lettersOf = (topic: string, ...values: (string | null)[]) =>
  values.map((value, index) =>
    Object.assign(recordOf(value, null), { from: { topic, partition: 4 }, at: BigInt(10 * index) }),
  )
const letters = (...values: (string | null)[]) => lettersOf('a', ...values)

it('makes items of letters, and a checkpoint behind each chunk of them', async () => {
  const replay = replayOf([
    { records: letters('{"id":1}', '[]', null), next: 90n, error: undefined },
    { records: [], next: 95n, error: new ConnectorError('config', 'program.fault', 'no letter') },
  ])
  expect(await kindsOf(replay)).toEqual(['record', 'rejected', 90n, 95n, 'no letter'])
  await replay.source.commit()
  expect([replay.committed, replay.member.counts.written, replay.warnings]).toEqual([[95n], 0, []])
})

it('ends when all letters are taken, where there are none too', async () => {
  const some = replayOf([{ records: letters('{"id":1}'), next: 90n, error: undefined }])
  expect(await kindsOf(some)).toEqual(['record', 90n, 90n])
  expect(await kindsOf(replayOf([]))).toEqual([0n])
})

it('hands on what came before a letter that stops the run by policy, with a checkpoint right before it', async () => {
  const replay = replayOf([{ records: letters('{"id":1}', null), next: 90n, error: undefined }], { tombstones: 'fail' })
  expect(await kindsOf(replay)).toEqual(['record', 10n, expect.stringContaining('tombstones')])
})

it.each([
  ['much time', 10, 'x'],
  ['many bytes', 0, 'x'.repeat(2 ** 20 + 2 ** 19)],
])('hands letters on that take %s some at a time, each with a checkpoint behind it', async (_, ms, text) => {
  let now = 0
  const decoder: ValueDecoder = {
    type: 'AVRO',
    decode: (bytes) => {
      now += ms
      return bytes[5] === 4 ? { problem: 'is none' } : { json: Buffer.from(`{"id":${bytes[5]},"x":"${text}"}`) }
    },
  }
  const store = { known: () => decoder, load: () => Promise.resolve(), waitsBecause: undefined }
  const from = { topic: 'a', partition: 4 }
  const records = Array.from({ length: 8 }, (_, at) => {
    const record = recordOf(Buffer.from([0, 0, 0, 0, 1, at]), null, BigInt(500 + at))
    return Object.assign(record, { from, at: BigInt(10 * at) })
  })
  const over = { valueEncoding: 'registry' } as const
  const replay = replayOf([{ records, next: 90n, error: undefined }], over, store, { now: () => now })
  const chunks: unknown[] = []
  for await (const items of replay.source.read(
    never,
    () => {},
    () => {},
  )) {
    const last = items.at(-1)!
    chunks.push([items.length - 1, last.kind === 'checkpoint' && last.checkpoint.next])
  }
  // the one that cannot be read is short
  const sizes = ms > 0 ? [3, 6] : [3, 7]
  expect(chunks).toEqual([
    [sizes[0], BigInt(10 * sizes[0]!)],
    [sizes[1]! - sizes[0]!, BigInt(10 * sizes[1]!)],
    [8 - sizes[1]!, 90n],
    // behind the last letter
    [0, 90n],
  ])
  expect(replay.turns).toHaveLength(ms > 0 ? 2 : 0)
})

it('stops at a letter of a topic that is not read', async () => {
  const replay = replayOf([{ records: lettersOf('b', '{"id":1}'), next: 9n, error: undefined }])
  expect(await kindsOf(replay)).toEqual([0n, expect.stringContaining('no entry of topics')])
})

it('reads on only when there is room, and nothing more once it is halted', async () => {
  const chunk = (at: number): Replayed => ({
    records: letters('{"id":1}'),
    next: BigInt(100 * (at + 1)),
    error: undefined,
  })
  const replay = replayOf(Array.from({ length: 40 }, (_, at) => chunk(at)))
  await new Promise((resolve) => setImmediate(resolve))
  expect(replay.chunksRead()).toBe(16)
  const kinds = await kindsOf(replay)
  expect(kinds.filter((kind) => kind === 'record')).toHaveLength(40)
  const halted = replayOf(Array.from({ length: 40 }, (_, at) => chunk(at)))
  halted.member.halt()
  await new Promise((resolve) => setImmediate(resolve))
  expect(halted.chunksRead()).toBeLessThanOrEqual(1)
  halted.end.abort()
  await halted.running
})

it('fails, and ends with it, when it cannot be kept how far the file is replayed', async () => {
  const unkept = new ConnectorError('config', 'program.fault', 'cannot be kept')
  const chunk = { records: letters('{"id":1}'), next: 90n, error: undefined }
  const replay = replayOf([chunk], {}, undefined, undefined, unkept)
  expect(await kindsOf(replay)).toEqual(['record', 90n, 90n])
  await replay.source.commit()
  expect(replay.warnings).toEqual([expect.stringContaining('cannot be kept')])
  replay.end.abort()
  await expect(replay.running).rejects.toBe(unkept)
})
