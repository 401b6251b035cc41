import { expect, it } from 'vitest'
import { ConnectorError } from '../../core/errors.ts'
import type { Replayed } from '../../kafka/dead-letters/dead-letter-replay.ts'
import { HeadSpace } from '../../mapping/head-space.ts'
import { ReplayFileSource } from './replay-file-source.ts'
import { StreamTopics } from './stream-topics.ts'
import { recordOf, topicConfig } from './test-topics.ts'
import { topicShared } from '../topics/topic-mapper.ts'

const never = new AbortController().signal

function sourceOf(chunks: readonly Replayed[], over: Parameters<typeof topicConfig>[0] = {}) {
  const committed: bigint[] = []
  const shared = topicShared('', new HeadSpace())
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
    schemas: undefined,
  })
  return { source, committed }
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
  await source.commit(90n, { written: 1, rejected: 1, superseded: 0 })
  expect([committed, source.counts]).toEqual([[90n], { written: 1, rejected: 1 }])
})

it('hands on what came before a letter that stops the run by policy, and no checkpoint', async () => {
  const { source } = sourceOf([{ runs: run('{"id":1}', null), next: 90n, error: undefined }], { tombstones: 'fail' })
  expect(await kindsOf(source)).toEqual(['record', expect.stringContaining('tombstones')])
})

it('stops at a letter of a topic that is not read', async () => {
  const { source } = sourceOf([{ runs: [{ topic: 'b', partition: 0, records: [] }], next: 9n, error: undefined }])
  expect(await kindsOf(source)).toEqual([expect.stringContaining('no entry of topics')])
})
