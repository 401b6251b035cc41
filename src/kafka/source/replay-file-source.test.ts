import { expect, it } from 'vitest'
import { ConnectorError } from '../../core/errors.ts'
import type { Replayed } from '../dead-letters/dead-letter-replay.ts'
import { topicShared } from '../topics/topic-mapper.ts'
import { PrefixSpace } from '../../mapping/row-prefix.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import type { ValueDecoder } from '../../registry/types.ts'
import { ReplayFileSource } from './replay-file-source.ts'
import { StreamTopics } from './stream-topics.ts'
import { recordOf, topicConfig } from './testing/topics.ts'

const never = new AbortController().signal

function sourceOf(
  chunks: readonly Replayed[],
  over: Parameters<typeof topicConfig>[0] = {},
  schemas?: Pick<SchemaStore, 'known' | 'load'>,
  clock = { now: () => 0 },
) {
  const committed: bigint[] = []
  const turns: unknown[] = []
  const shared = topicShared('', new PrefixSpace())
  const topics = new StreamTopics([topicConfig({ topic: { name: 'a' }, ...over })], shared)
  const file = {
    bytes: 1,
    async *read() {
      yield* chunks
    },
    commit: (next: bigint) => Promise.resolve(void committed.push(next)),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
  const source = new ReplayFileSource({
    file,
    space: shared.space,
    keepsRecords: true,
    topic: (name) => topics.find(name),
    schemas,
    clock,
    turn: () => {
      turns.push(committed.length)
      return Promise.resolve()
    },
  })
  return { source, committed, turns }
}

async function kindsOf(source: ReplayFileSource): Promise<unknown[]> {
  const kinds: unknown[] = []
  try {
    for await (const items of source.read(never))
      for (const item of items) kinds.push(item.kind === 'checkpoint' ? item.checkpoint : item.kind)
  } catch (error) {
    kinds.push((error as Error).message)
  }
  return kinds
}

const run = (...values: (string | null)[]) => [
  { topic: 'a', partition: 4, records: values.map((value) => recordOf(value, null)) },
]

it('makes items of letters, and a checkpoint behind each chunk of them', async () => {
  const { source, committed } = sourceOf([
    { runs: run('{"id":1}', '[]', null), next: 90n, error: undefined },
    { runs: [], next: 95n, error: new ConnectorError('config', 'no letter') },
  ])
  expect(await kindsOf(source)).toEqual(['record', 'rejected', 90n, 95n, 'no letter'])
  await source.settled(90n, { written: 1, rejected: 1, superseded: 0 })
  expect([committed, source.counts]).toEqual([[90n], { written: 1, rejected: 1 }])
})

it('hands on what came before a letter that stops the run by policy, and no checkpoint', async () => {
  const { source } = sourceOf([{ runs: run('{"id":1}', null), next: 90n, error: undefined }], { tombstones: 'fail' })
  expect(await kindsOf(source)).toEqual(['record', expect.stringContaining('tombstones')])
})

it.each([
  ['much time', 10, 'x'],
  ['many bytes', 0, 'x'.repeat(2 ** 20 + 2 ** 19)],
])('hands letters on that take %s some at a time, the checkpoint behind the last', async (_, ms, text) => {
  let now = 0
  const decoder: ValueDecoder = {
    type: 'AVRO',
    decode: (bytes) => {
      now += ms
      return bytes[5] === 4 ? { problem: 'is none' } : { json: Buffer.from(`{"id":${bytes[5]},"x":"${text}"}`) }
    },
  }
  const store = { known: () => decoder, load: () => Promise.resolve() }
  const records = Array.from({ length: 8 }, (_, at) => recordOf(Buffer.from([0, 0, 0, 0, 1, at]), null, BigInt(at)))
  const chunks = [{ runs: [{ topic: 'a', partition: 4, records }], next: 90n, error: undefined }]
  const { source, turns } = sourceOf(chunks, { valueEncoding: 'registry' }, store, { now: () => now })
  const lengths: number[] = []
  for await (const items of source.read(never)) lengths.push(items.length)
  // the one that cannot be read is short
  expect(lengths).toEqual(ms > 0 ? [3, 3, 3] : [3, 4, 2])
  expect(turns).toHaveLength(2)
})

it('stops at a letter of a topic that is not read', async () => {
  const { source } = sourceOf([{ runs: [{ topic: 'b', partition: 0, records: [] }], next: 9n, error: undefined }])
  expect(await kindsOf(source)).toEqual([expect.stringContaining('no entry of topics')])
})
