// Replays of a file of dead letters: delivered by the engine and stopped anywhere, and item by item.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert, asyncProperty, nat, record } from 'fast-check'
import { expect, it } from 'vitest'
import { ConnectorError } from '../../core/errors.ts'
import { MapperSpace } from '../../mapping/mapper-space.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import type { ValueDecoder } from '../../registry/types.ts'
import type { Replayed } from '../dead-letters/dead-letter-replay.ts'
import { toLine } from '../dead-letters/letter-line.ts'
import { letterOf } from '../dead-letters/testing/letters.ts'
import { topicShared } from '../topics/topic-tables.ts'
import { AwaitedSchemas } from './awaited-schemas.ts'
import { openReplayFile, type ReplayFile } from './replay-file.ts'
import { ReplayFileSource } from './replay-file-source.ts'
import { StreamTopics } from './stream-topics.ts'
import { delivering } from './testing/delivery.ts'
import { recordOf, TOPIC, topicConfig } from './testing/topics.ts'
import { ownFolder } from '../../process/testing/own-folder.ts'

const folder = ownFolder('file')

interface Given {
  readonly entry?: Parameters<typeof topicConfig>[0]
  readonly store?: SchemaStore
  readonly now?: () => number
}

function sourceOf(file: Pick<ReplayFile, 'from' | 'read' | 'commit'>, { entry, store, now = () => 0 }: Given = {}) {
  const shared = topicShared('', new MapperSpace())
  const topics = new StreamTopics([topicConfig({ topic: { name: TOPIC }, ...entry })], shared)
  const topic = (name: string) => topics.find(name)
  const clock = { now }
  const schemas = store && new AwaitedSchemas({ store, clock, topic })
  const turns = { count: 0 }
  const turn = (): Promise<void> => {
    turns.count++
    return new Promise((resolve) => setImmediate(resolve))
  }
  const source = new ReplayFileSource({ file, space: shared.space, clock, keepsRecords: true, topic, schemas, turn })
  return { source, schemas, turns }
}

it('replays every letter, over runs that are stopped anywhere, and keeps as done only what is delivered', async () => {
  let files = 0
  const plan = record({ letters: nat(1200), longest: nat(2000), stopAfter: nat(700) })
  await assert(
    asyncProperty(plan, async ({ letters, longest, stopAfter }) => {
      const path = join(folder, `letters-${files++}.jsonl`)
      const lines = Array.from({ length: letters }, (_, id) => {
        const value = Buffer.from(JSON.stringify({ id, v: 0, at: id, x: 'x'.repeat((id * 37) % (longest + 1)) }))
        return `${toLine(letterOf({ topic: TOPIC, value }), '2026-11-21T00:00:00.000Z').toString()}\n`
      })
      await writeFile(path, lines.join(''))
      const stored = new Set<number>()
      for (let isComplete = false; !isComplete;) {
        await using file = await openReplayFile(path, () => Promise.resolve())
        const done = lines.findIndex((_, id) => !stored.has(id))
        const to = done === -1 ? lines.length : done
        expect(file.from).toBeLessThanOrEqual(BigInt(Buffer.byteLength(lines.slice(0, to).join(''))))
        const { source } = sourceOf(file)
        let left = stopAfter + 200
        const { run, stop } = delivering(source, (points) => {
          for (const { id } of points) stored.add(id)
          if ((left -= points.length) <= 0) stop.abort()
          return Promise.resolve({ status: 'delivered' })
        })
        isComplete = (await run) === 'complete'
        if (isComplete) expect(source.progress.unsettled).toBe(0)
      }
      expect(stored.size).toBe(letters)
      await using file = await openReplayFile(path, () => Promise.resolve())
      expect(file.from).toBe(BigInt(Buffer.byteLength(lines.join(''))))
    }),
    { numRuns: 20, seed: 7 },
  )
})

const letters = (values: readonly (string | Buffer | null)[], topic = TOPIC) =>
  values.map((value, index) =>
    Object.assign(recordOf(value, null, BigInt(500 + index)), {
      from: { topic, partition: 4 },
      letterOffset: BigInt(10 * index),
    }),
  )
const chunk = (values: readonly (string | Buffer | null)[], over: Partial<Replayed> = {}): Replayed => {
  return { records: letters(values), next: 90n, error: undefined, ...over }
}
const unread: Partial<Replayed> = { error: new ConnectorError('config', 'program.fault', 'no letter') }

/** Kinds of its items, where its checkpoints are, and what it fails with. */
async function kindsOf(chunks: readonly Replayed[], given: Given = {}): Promise<unknown[]> {
  const read = async function* () {
    yield* chunks
  }
  const { source } = sourceOf({ from: 0n, read, commit: () => Promise.resolve() }, given)
  const kinds: unknown[] = []
  try {
    for await (const items of source.read(new AbortController().signal))
      for (const item of items) kinds.push(item.kind === 'checkpoint' ? item.checkpoint.next : item.kind)
  } catch (error) {
    kinds.push((error as Error).message)
  }
  return kinds
}

it.each<[string, readonly Replayed[], Given['entry'], readonly unknown[]]>([
  ['nothing', [], {}, []],
  ['a checkpoint behind them', [chunk(['{"id":1}', '[]', null])], {}, ['record', 'rejected', 90n]],
  ['what lies before no letter', [chunk([]), chunk([], { next: 95n, ...unread })], {}, [90n, 95n, 'no letter']],
  [
    'what lies before one that a policy stops at',
    [chunk(['{"id":1}', null])],
    { tombstones: 'fail' },
    ['record', 10n, expect.stringContaining('tombstones')],
  ],
  [
    'nothing of a topic that is not read',
    [chunk([], { records: letters(['{"id":1}'], 'b') })],
    {},
    [0n, expect.stringContaining('no entry of topics')],
  ],
])('makes of letters: %s', async (_, chunks, entry, kinds) => {
  expect(await kindsOf(chunks, entry ? { entry } : {})).toEqual(kinds)
})

const AVRO = { valueEncoding: 'registry' } as const
const encoded = Array.from({ length: 8 }, (_, at) => Buffer.from([0, 0, 0, 0, 1, at]))

it('lets answers through while letters take long', async () => {
  let now = 0
  const decode: ValueDecoder['decode'] = (bytes) => {
    now += 10
    return { json: Buffer.from(`{"id":${bytes[5]}}`) }
  }
  const store = {
    known: () => ({ type: 'AVRO', decode }) as const,
    load: () => Promise.resolve(),
    waitsBecause: undefined,
  }
  const read = async function* () {
    yield chunk(encoded)
  }
  const file = { from: 0n, read, commit: () => Promise.resolve() }
  const { source, turns } = sourceOf(file, { entry: AVRO, store, now: () => now })
  const sizes: number[] = []
  for await (const items of source.read(new AbortController().signal)) {
    expect(turns.count).toBe(sizes.length)
    sizes.push(items.length - 1)
  }
  expect(sizes).toEqual([3, 3, 2])
})

it('waits for schemas until they come, the registry refuses us, or it is to end', async () => {
  const refused = new ConnectorError('config', 'registry.refused', 'refused')
  for (const answer of ['known', 'refused', 'none'] as const) {
    const answered = Promise.withResolvers<void>()
    let decoder: ValueDecoder | undefined
    const store = { known: () => decoder, load: () => answered.promise, waitsBecause: undefined }
    const read = async function* () {
      yield chunk(encoded)
    }
    const { source, schemas } = sourceOf({ from: 0n, read, commit: () => Promise.resolve() }, { entry: AVRO, store })
    const end = new AbortController()
    const first = source.read(end.signal).next()
    await new Promise((resolve) => setImmediate(resolve))
    expect(schemas!.since).toBe(0)
    if (answer === 'none') end.abort()
    else if (answer === 'refused') answered.reject(refused)
    else {
      decoder = { type: 'AVRO', decode: (bytes) => ({ json: Buffer.from(`{"id":${bytes[5]}}`) }) }
      answered.resolve()
    }
    if (answer === 'known') expect((await first).value).toHaveLength(9)
    else if (answer === 'none') expect(await first).toEqual({ done: true, value: undefined })
    else await expect(first).rejects.toBe(refused)
  }
})

it('ends the run when it cannot be kept how far the file is replayed', async () => {
  const unkept = new ConnectorError('config', 'dead-letters.place-unkept', 'cannot be kept')
  const read = async function* () {
    yield chunk(['{"id":1,"v":0,"at":0}'])
  }
  const { source } = sourceOf({ from: 0n, read, commit: () => Promise.reject(unkept) })
  await expect(delivering(source, () => Promise.resolve({ status: 'delivered' })).run).rejects.toBe(unkept)
})
