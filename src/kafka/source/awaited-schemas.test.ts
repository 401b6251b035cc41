import { expect, it } from 'vitest'
import { ConnectorError } from '../../core/errors.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import type { SchemaId, SchemaProblem } from '../../registry/types.ts'
import { AwaitedSchemas } from './awaited-schemas.ts'
import type { ReadBatch } from './types.ts'
import { StreamTopics } from './stream-topics.ts'
import { TOPIC, recordOf, topicConfig } from './testing/topics.ts'
import { topicShared } from '../topics/topic-tables.ts'

function setUp(own?: Pick<SchemaStore, 'known' | 'load'>) {
  const known = new Map<SchemaId, SchemaProblem>()
  let answer = Promise.withResolvers<void>()
  const store: Pick<SchemaStore, 'known' | 'load'> = own ?? {
    known: (id) => known.get(id),
    async load(ids, signal) {
      const wanted = [...ids]
      const { promise } = answer
      await new Promise<void>((resolve, reject) => {
        promise.then(resolve, reject)
        signal.addEventListener('abort', () => reject(signal.reason))
      })
      for (const id of wanted) known.set(id, { problem: 'x' })
    },
  }
  const topics = new StreamTopics([topicConfig({ valueEncoding: 'registry' })], topicShared(''))
  const clock = { now: () => now }
  const schemas = new AwaitedSchemas({ store, clock, topic: (name) => topics.find(name) })
  let now = 100
  const done: (ConnectorError | undefined)[] = []
  const prepare = (batch: ReadBatch): void => schemas.prepare(batch, (error) => done.push(error))
  const answering = {
    now: (time: number) => (now = time),
    resolve: async () => {
      answer.resolve()
      await new Promise((resolve) => setImmediate(resolve))
      answer = Promise.withResolvers()
    },
    reject: async (error: Error) => {
      answer.reject(error)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
  return { schemas, prepare, done, answering }
}

const batch = (...ids: number[]): ReadBatch => ({
  topic: TOPIC,
  partition: 0,
  records: ids.map((id) => recordOf(Buffer.from([0, 0, 0, id >> 8, id, 1]))),
  bytes: 1,
  next: 9n,
  highWatermark: 9n,
})

it('is there at once where all is known, or none is named', async () => {
  const { prepare, schemas, done, answering } = setUp()
  const empty = batch()
  prepare(empty)
  expect([empty.schemas, schemas.since]).toEqual([new Map(), undefined])
  prepare(batch(1))
  await answering.resolve()
  const again = batch(1, 1)
  prepare(again)
  expect(again.schemas).toEqual(new Map([[1, { problem: 'x' }]]))
  expect(done).toEqual([undefined])
})

it('waits for those it does not know, and tells since when', async () => {
  const { prepare, schemas, done, answering } = setUp()
  const [one, other] = [batch(1), batch(2)]
  prepare(one)
  answering.now(200)
  prepare(other)
  expect([one.schemas, other.schemas, schemas.since]).toEqual(['awaited', 'awaited', 100])
  schemas.forget([one])
  expect(schemas.since).toBe(200)
  await answering.resolve()
  // the forgotten one is nobody's any more
  expect(done).toEqual([undefined])
  expect(other.schemas).toEqual(new Map([[2, { problem: 'x' }]]))
  expect(schemas.since).toBeUndefined()
})

it('tells a registry that refuses us', async () => {
  const { prepare, done, answering } = setUp()
  prepare(batch(1))
  await answering.reject(new ConnectorError('config', 'program.fault', 'refused'))
  expect(done).toMatchObject([{ kind: 'config', message: 'refused' }])
})

it('tells nothing once it is over', async () => {
  const { prepare, schemas, done } = setUp()
  prepare(batch(1))
  schemas.end()
  await new Promise((resolve) => setImmediate(resolve))
  expect(done).toEqual([])
})

it('leaves a topic nobody can read to its record', () => {
  const { prepare } = setUp()
  const strange = { ...batch(1), topic: 'strange' }
  prepare(strange)
  expect(strange.schemas).toEqual(new Map())
})

it('has everything that was asked for, also of a store that keeps only the ids it was asked for last, and not all of many', async () => {
  let kept = new Map<SchemaId, SchemaProblem>([[0, { problem: 'problem 0' }]])
  const asked: number[] = []
  const load = (given: Iterable<SchemaId>) => {
    const ids = [...given]
    const lasting = ids.filter((id) => id !== 7 || ids.length === 1)
    kept = new Map(lasting.map((id) => [id, { problem: `problem ${id}` }]))
    asked.push(ids.length)
    return Promise.resolve()
  }
  const { schemas } = setUp({ known: (id) => kept.get(id), load })
  const ids = Array.from({ length: 2_500 }, (_, id) => id)
  const large = batch(...ids)
  await new Promise<void>((resolve) => schemas.prepare(large, () => resolve()))
  expect(large.schemas).toEqual(new Map(ids.map((id) => [id, { problem: `problem ${id}` }])))
  // the first was known already
  expect(asked).toEqual([999, 1, 1000, 500])
})
