import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { ConnectorError } from '../../core/errors.ts'
import type { Outcome } from '../../core/types.ts'
import type { KafkaRecord } from '../types.ts'
import type { Decoded, SchemaId, ValueDecoder } from '../../registry/types.ts'
import { delivered, delivering, rows, until } from './testing/delivery.ts'
import { batchOf, position, sourceOf } from './testing/partitions.ts'
import { recordOf } from './testing/topics.ts'
import { partitionsInWords, settleAll } from './kafka-source.ts'

/** A service that answers once it is opened. */
function closedService() {
  const opened = Promise.withResolvers<void>()
  return { open: () => opened.resolve(), answer: () => opened.promise.then(delivered) }
}

describe('topics as a source', () => {
  it('delivers what is fetched and commits where to go on, markers included', async () => {
    const { source, consumer, topics } = sourceOf()
    const { run, stop, delivered: stored } = delivering(source, delivered)
    source.assigned([position(0, 0n), position(1, 5n)])
    source.batch(batchOf(0, rows(0, 1200), 1203n))
    source.batch(batchOf(1, [], 9n))
    await until(() => stored.length === 1200)
    await until(() => source.partitions.every(({ isDue }) => isDue))
    await source.commit()
    expect(consumer.committed).toEqual(
      new Map([
        [0, 1203n],
        [1, 9n],
      ]),
    )
    expect(topics.all[0]!.counts).toEqual({ records: 1200, written: 1200, rejected: 0 })
    stop.abort()
    expect(await run).toBe('stopped')
  })

  it('goes on in a topic that was created again once the old one is delivered, and commits no offset of the old one', async () => {
    const { source, consumer } = sourceOf()
    const gate = Promise.withResolvers<Outcome>()
    const { run, stop } = delivering(source, (points) => (points[0]!.at < 100 ? delivered() : gate.promise))
    source.assigned([position(0, 0n)])
    source.batch(batchOf(0, rows(0, 100)))
    await until(() => source.partitions[0]!.settledTo === 100n)
    source.batch(batchOf(0, rows(100, 150)))
    source.batch({ ...batchOf(0, [], 0n), isMove: true })
    await source.commit()
    expect(consumer.committed.size).toBe(0)
    source.batch(batchOf(0, rows(0, 40)))
    await source.commit()
    expect(consumer.committed.size).toBe(0)
    gate.resolve({ status: 'delivered' })
    await until(() => source.partitions[0]!.settledTo === 40n)
    await source.commit()
    expect(consumer.committed).toEqual(new Map([[0, 40n]]))
    stop.abort()
    expect(await run).toBe('stopped')
  })

  it('offers offsets again that were not taken', async () => {
    const { source, consumer, said } = sourceOf()
    const { run, stop } = delivering(source, delivered)
    source.assigned([position(0, 0n)])
    source.batch(batchOf(0, rows(0, 3)))
    await until(() => source.partitions[0]!.isDue)
    consumer.failsToCommit = true
    await source.commit()
    expect(said.slice(1)).toEqual(['Offsets were not committed and will be retried: the coordinator is away'])
    expect([source.commits, source.partitions[0]!.committedAt]).toEqual([{ taken: 0, failed: 1 }, undefined])
    expect(source.uncommittedPartitions).toBe(1)
    consumer.failsToCommit = false
    await source.commit()
    expect(consumer.committed).toEqual(new Map([[0, 3n]]))
    expect(source.uncommittedPartitions).toBe(0)
    // nothing is due any more
    await source.commit()
    expect([source.commits, source.partitions[0]!.committedAt]).toEqual([{ taken: 1, failed: 1 }, 1_700_000_000_000])
    stop.abort()
    await run
  })

  it('lets go of partitions: what is under way is awaited and committed, to the end of its step, the rest forgotten', async () => {
    const { source, consumer } = sourceOf()
    const asked = Promise.withResolvers<void>()
    let isAsked = false
    const answer = async (points: readonly { readonly at: number }[]): Promise<Outcome> => {
      if (points[0]!.at >= 10) await ((isAsked = true), asked.promise)
      return { status: 'delivered' }
    }
    const { run, stop, sent } = delivering(source, answer)
    source.assigned([position(0, 0n)])
    source.batch(batchOf(0, rows(0, 310)))
    await until(() => isAsked)
    let isDone = false
    const letGo = source.revoked(new AbortController().signal).then(() => (isDone = true))
    await pause(20)
    expect(isDone).toBe(false)
    source.batch(batchOf(0, rows(310, 320)))
    asked.resolve()
    await letGo
    expect(consumer.committed).toEqual(new Map([[0, 100n]]))
    expect([sent.length, source.partitions]).toEqual([100, []])
    stop.abort()
    await run
  })

  it('knows of partitions that were lost before all that is settled of them was committed', () => {
    const { source } = sourceOf()
    source.assigned([position(0, 0n), position(1, 0n)])
    source.batch(batchOf(0, rows(0, 3)))
    source.partitions[0]!.settle(3n, 3, 0, 3)
    source.lost()
    expect(source.uncommittedPartitions).toBe(1)
    source.lost()
    expect(source.uncommittedPartitions).toBe(1)
    source.assigned([position(0, 0n)])
    expect(source.uncommittedPartitions).toBe(0)
  })

  it.each(['let go of while nothing is settled', 'taken away', 'lost'] as const)(
    'knows how many records it read are settled, and how many will be read again, of partitions that are %s',
    async (how) => {
      const { source } = sourceOf()
      const { run, stop, sent } = delivering(source, (points) =>
        points[0]!.at < 100
          ? delivered()
          : Promise.resolve({ status: 'retry', cause: 'network', ambiguous: false, congestion: false, reason: 'down' }),
      )
      source.assigned([position(0, 0n), position(1, 0n)])
      const tombstone = recordOf(null, '7', 100n)
      source.batch(batchOf(0, [...rows(0, 100), tombstone]))
      await until(() => source.settledRecords === 101)
      expect(source.unsettledRecords).toBe(0)
      // ignored, but behind what is not settled
      source.batch(batchOf(0, [...rows(101, 130), recordOf(null, '7', 130n)]))
      await until(() => sent.some(({ at }) => at > 100))
      expect([source.settledRecords, source.unsettledRecords]).toEqual([101, 30])
      if (how === 'lost') source.lost()
      else if (how === 'taken away') await source.revoked(AbortSignal.timeout(20))
      else await source.finish(AbortSignal.timeout(20))
      stop.abort()
      await run
      expect([source.settledRecords, source.unsettledRecords]).toEqual([101, 30])
      source.lost()
      expect(source.unsettledRecords).toBe(30)
      source.assigned([position(0, 101n)])
      expect([source.settledRecords, source.unsettledRecords]).toEqual([101, 0])
    },
  )

  it('fetches no more of a partition while it is held, and others go on', async () => {
    const { source, consumer } = sourceOf()
    const {
      run,
      stop,
      delivered: stored,
    } = delivering(source, async (points) => {
      await until(() => points[0]!.id >= 10_000 || isOpen)
      return { status: 'delivered' }
    })
    let isOpen = false
    source.assigned([position(0, 0n), position(1, 0n)])
    for (let from = 0; from < 2000; from += 500) source.batch(batchOf(0, rows(from, from + 500)))
    await until(() => consumer.paused.has(0) && source.partitions[0]!.isHeld)
    expect([...consumer.paused]).toEqual([0])
    isOpen = true
    await until(() => stored.length === 2000)
    await until(() => consumer.paused.size === 0)
    expect(source.partitions[0]!.isHeld).toBe(false)
    source.batch(batchOf(1, rows(0, 20)))
    await until(() => stored.length === 2020)
    stop.abort()
    await run
  })

  it('waits for schemas with no more than the partitions that need them, however much those hold', async () => {
    const known = new Map<SchemaId, ValueDecoder>()
    const answered = Promise.withResolvers<void>()
    const store = { known: (id: SchemaId) => known.get(id), load: () => answered.promise, waitsBecause: undefined }
    const { source, consumer } = sourceOf({ valueEncoding: 'registry' }, false, undefined, store)
    const { run, stop, delivered: stored } = delivering(source, delivered)
    const json = (bytes: Buffer): Decoded => ({ json: Buffer.from(bytes.toString('utf8', 5).trimEnd()) })
    known.set(1, { type: 'AVRO', decode: json })
    const encoded = (id: number, from: number, to: number, spaces = 0): KafkaRecord[] =>
      rows(from, to).map(({ value, offset }) =>
        recordOf(Buffer.concat([Buffer.from([0, 0, 0, 0, id]), value!, Buffer.alloc(spaces, ' ')]), null, offset),
      )
    source.assigned([position(0, 0n), position(1, 0n)])
    source.batch(batchOf(0, encoded(2, 0, 10, 2 * 2 ** 20)))
    expect(consumer.paused).toEqual(new Set([0]))
    for (let from = 0; from < 2000; from += 100) {
      source.batch(batchOf(1, encoded(1, from, from + 100)))
      await until(() => stored.length === from + 100)
      expect(consumer.paused).toEqual(new Set([0]))
    }
    known.set(2, { type: 'AVRO', decode: json })
    answered.resolve()
    await until(() => stored.length === 2010)
    await until(() => consumer.paused.size === 0)
    stop.abort()
    await run
  })

  it('replays all that was there when it began, what is held meanwhile too, and ends', async () => {
    const replaying = {
      letters: { written: 0, rejected: 0 },
      read: <T>(batch: T) => batch,
      endOf: () => 900n,
    }
    const { source } = sourceOf({}, false, replaying)
    const { run, delivered: stored } = delivering(source, async () => {
      await pause(1)
      return { status: 'delivered' }
    })
    source.assigned([position(0, 0n), position(1, 0n), position(2, 900n)])
    for (let from = 0; from < 900; from += 300)
      for (const partition of [0, 1]) source.batch(batchOf(partition, rows(from, from + 300)))
    expect(await run).toBe('complete')
    expect(replaying.letters).toEqual({ written: 1800, rejected: 0 })
    expect(new Set(stored.map(({ id }) => id)).size).toBe(900)
  })

  it('is not done with a replay that is told to stop before all it had fetched is delivered', async () => {
    const letters = { written: 0, rejected: 0 }
    const { source } = sourceOf({}, false, { letters, read: <T>(batch: T) => batch, endOf: () => 900n })
    const service = closedService()
    const { run, stop, sent } = delivering(source, service.answer)
    source.assigned([position(0, 0n)])
    source.batch(batchOf(0, rows(0, 900)))
    await until(() => sent.length > 0)
    const finished = source.finish(new AbortController().signal)
    service.open()
    await finished
    stop.abort()
    expect(await run).toBe('stopped')
    expect(letters.written).toBeLessThan(900)
  })

  it.each(['stored', 'rejected', 'ignored'] as const)(
    'lets the event loop turn after 25 ms, all being %s',
    async (fate) => {
      const value = { stored: '{"id":1}', rejected: 'no JSON', ignored: null }[fate]
      const { source, time } = sourceOf({}, true)
      source.assigned([position(0, 0n)])
      for (let from = 0; from < 4000; from += 1000)
        source.batch(
          batchOf(
            0,
            Array.from({ length: 1000 }, (_, at) => recordOf(value, null, BigInt(from + at))),
          ),
        )
      const turnsBefore: number[] = []
      for await (const _ of source.read(new AbortController().signal, settleAll, settleAll)) {
        time.now += 10
        if (turnsBefore.push(time.turns) === 8) break
      }
      expect(turnsBefore).toEqual([0, 0, 0, 1, 1, 1, 2, 2])
    },
  )

  it('reads no more of a partition that was taken away while the event loop turned', async () => {
    const { source, time } = sourceOf()
    source.assigned([position(0, 0n), position(1, 0n)])
    source.batch(batchOf(0, rows(0, 2000)))
    source.batch(batchOf(1, rows(0, 10)))
    const read: number[] = []
    for await (const items of source.read(new AbortController().signal, settleAll, settleAll)) {
      time.now += 30
      const last = items.at(-1)!
      if (last.kind === 'checkpoint') read.push(last.checkpoint.partition.track.partition)
      if (read.length === 1) setImmediate(() => source.lost())
      if (read.length === 1) setImmediate(() => source.assigned([position(1, 0n)]))
      if (read.length === 1) setImmediate(() => source.batch(batchOf(1, rows(0, 10))))
      else break
    }
    expect(read).toEqual([0, 1])
  })

  it('ends so only when all that was fetched is delivered, also what it holds, and says meanwhile why', async () => {
    const { source, consumer, said } = sourceOf()
    const service = closedService()
    const { run, delivered: stored } = delivering(source, service.answer)
    source.assigned([position(0, 0n), position(1, 0n)])
    for (let from = 0; from < 4000; from += 2000) source.batch(batchOf(0, rows(from, from + 2000)))
    source.batch(batchOf(1, rows(10_000, 10_900)))
    await until(() => source.partitions.every(({ isHeld }) => isHeld))
    source.failed(new ConnectorError('config', 'program.fault', 'offset 4000 is gone'))
    await pause(5)
    expect(said.slice(1)).toEqual(['Reading has stopped; what was fetched is still delivered: offset 4000 is gone'])
    service.open()
    await expect(run).rejects.toThrow('offset 4000 is gone')
    expect(stored).toHaveLength(4900)
    await source.commit()
    expect(consumer.committed).toEqual(
      new Map([
        [0, 4000n],
        [1, 10_900n],
      ]),
    )
  })

  it('ends so without waiting for what was taken away, or for schemas that the registry refuses', async () => {
    const known = { 1: Promise.withResolvers<void>(), 2: Promise.withResolvers<void>() }
    const decoders = new Map<SchemaId, ValueDecoder>()
    const store = {
      known: (id: SchemaId) => decoders.get(id),
      load: (ids: Iterable<SchemaId>) => known[[...ids][0] as 1 | 2].promise,
      waitsBecause: undefined,
    }
    const { source } = sourceOf({ valueEncoding: 'registry' }, false, undefined, store)
    const { run, delivered: stored } = delivering(source, delivered)
    const encoded = (id: number) => recordOf(Buffer.from([0, 0, 0, 0, id, 7]), null, 0n)
    source.assigned([position(0, 0n), position(1, 0n)])
    source.batch(batchOf(0, [encoded(1)]))
    source.batch(batchOf(1, [encoded(2)]))
    known[1].reject(new ConnectorError('config', 'program.fault', 'the registry refuses'))
    await pause(5)
    decoders.set(2, { type: 'AVRO', decode: () => ({ json: Buffer.from('{"id":2}') }) })
    known[2].resolve()
    await expect(run).rejects.toThrow('the registry refuses')
    expect(stored.map(({ id }) => id)).toEqual([2])

    const lost = sourceOf()
    const service = closedService()
    const other = delivering(lost.source, service.answer)
    lost.source.assigned([position(0, 0n)])
    lost.source.batch(batchOf(0, rows(0, 2000)))
    await until(() => lost.source.partitions[0]!.isHeld)
    lost.source.failed(new ConnectorError('transient', 'program.fault', 'no broker'))
    lost.source.lost()
    service.open()
    await expect(other.run).rejects.toThrow('no broker')
  })

  it('stops at a record by policy with everything before it settled, and to be committed', async () => {
    const { source, consumer } = sourceOf({ tombstones: 'fail' })
    const { run, delivered: stored } = delivering(source, delivered)
    source.assigned([position(0, 0n)])
    source.batch(batchOf(0, [...rows(0, 620), recordOf(null, '620', 620n), ...rows(621, 700)]))
    await expect(run).rejects.toThrow(/tombstones/)
    expect(stored).toHaveLength(620)
    source.end()
    await source.commit()
    expect(consumer.committed).toEqual(new Map([[0, 620n]]))
  })
})

const at = (topic: string, partition: number): { topic: string; partition: number } => ({ topic, partition })

it('counts the partitions of each topic, names twenty and counts the rest', () => {
  expect(partitionsInWords([at('a', 0), at('b', 4), at('a', 2)])).toBe('2 partitions of "a", 1 partition of "b"')
  expect(partitionsInWords([])).toBe('no partition is left for this member')
  const many = Array.from({ length: 23 }, (_, index) => at(`t${index}`, 0))
  expect(partitionsInWords(many.slice(0, 20))).toMatch(/ of "t19"$/)
  expect(partitionsInWords(many.slice(0, 21))).toMatch(/ of "t19", and those of 1 more topic$/)
  expect(partitionsInWords(many)).toMatch(/ of "t19", and those of 3 more topics$/)
})
