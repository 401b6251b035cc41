import { expect, it } from 'vitest'
import { ConnectorError } from '../../core/errors.ts'
import { PrefixSpace } from '../../mapping/row-prefix.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import type { ValueDecoder } from '../../registry/types.ts'
import type { Replayed } from '../dead-letters/dead-letter-replay.ts'
import { topicShared } from '../topics/topic-mapper.ts'
import { AwaitedSchemas } from './awaited-schemas.ts'
import { KafkaSource } from './kafka-source.ts'
import { ReplayFileMember } from './replay-file-member.ts'
import { StreamTopics } from './stream-topics.ts'
import { recordOf, topicConfig } from './testing/topics.ts'

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
  const shared = topicShared('', new PrefixSpace())
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
    [Symbol.asyncDispose]: () => Promise.resolve(),
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

type Replay = ReturnType<typeof replayOf>

async function kindsOf({ source }: Replay): Promise<unknown[]> {
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
    { records: [], next: 95n, error: new ConnectorError('config', 'no letter') },
  ])
  expect(await kindsOf(replay)).toEqual(['record', 'rejected', 90n, 95n, 'no letter'])
  await replay.source.commit()
  expect([replay.committed, replay.member.counts.records, replay.warnings]).toEqual([[95n], 0, []])
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
  const unkept = new ConnectorError('config', 'cannot be kept')
  const chunk = { records: letters('{"id":1}'), next: 90n, error: undefined }
  const replay = replayOf([chunk], {}, undefined, undefined, unkept)
  expect(await kindsOf(replay)).toEqual(['record', 90n, 90n])
  await replay.source.commit()
  expect(replay.warnings).toEqual([expect.stringContaining('cannot be kept')])
  replay.end.abort()
  await expect(replay.running).rejects.toBe(unkept)
})
