// Answers to fetches as no broker should give them: nothing is lost or invented in silence, and nothing asked for in vain for
// ever.

import { describe, expect, it } from 'vitest'
import { probeBroker } from '../../src/kafka/check/check-cluster.ts'
import { batchBytes, recordBytes } from '../../src/kafka/log/testing/log.ts'
import { FakeBroker, type FakeFetch, type FakeLog } from './fake-broker.ts'
import { Member } from './member.ts'

type Write = (fetch: FakeFetch, broker: FakeBroker) => void

const GONE = Buffer.alloc(0)
const good = batch(0, 3)
const behind = batch(6, 2)

function batch(first: number, count: number, more: object = {}): Buffer {
  const packed = Buffer.concat(
    Array.from({ length: count }, (_, offsetDelta) =>
      recordBytes({
        timestampDelta: 0n,
        offsetDelta,
        key: null,
        value: Buffer.from(`${first + offsetDelta}`),
        headers: [],
      }),
    ),
  )
  return batchBytes({ firstOffset: BigInt(first), count, packed, ...more })
}

/** Batches that a compacted topic keeps of producers. */
function empty(first: number, count: number): Buffer {
  return batchBytes({ firstOffset: BigInt(first), count: 0, lastOffsetDelta: count - 1, packed: GONE })
}

function changed(whole: Buffer, change: (batch: Buffer) => void): Buffer {
  const copy = Buffer.from(whole)
  change(copy)
  return copy
}

/** All of a log from the batch on that holds the offset. */
function from(log: readonly Buffer[], offset: bigint): Buffer {
  const last = (one: Buffer): bigint => one.readBigInt64BE(0) + BigInt(Math.max(0, one.readInt32BE(23)))
  return Buffer.concat(log.slice(log.findIndex((one) => last(one) >= offset)))
}

/** One that answers out of a log, and then with nothing. */
function serving(log: readonly Buffer[], more: Partial<FakeLog> = {}): Write {
  return (fetch, broker) => {
    const offset = fetch.offsets.get(0)
    if (offset === undefined || offset >= 8n) broker.wait(fetch)
    else fetch.socket.write(broker.answer(fetch, new Map([[0, { batches: from(log, offset), ...more }]])))
  }
}

async function withMember(answer: Write, use: (member: Member, broker: FakeBroker) => Promise<void>): Promise<void> {
  await using broker = await FakeBroker.start(answer)
  await using member = new Member({ brokers: [broker.bootstrap], group: 'group', topics: [broker.topic] })
  await use(member, broker)
}

describe.concurrent('a batch that is damaged', () => {
  const bad = batch(3, 3)
  const all = [
    [
      'says it holds more than it can',
      changed(bad, (one) => one.writeInt32BE(2 ** 31 - 1, 57)),
      'the batch of the offsets 3 to 5',
    ],
    ['says it holds nothing', changed(bad, (one) => one.writeInt32BE(0, 57)), 'the batch of the offsets 3 to 5'],
    ['names a codec that is none', changed(bad, (one) => one.writeInt16BE(6, 21)), 'the batch of the offsets 3 to 5'],
    ['says it is a marker', changed(bad, (one) => one.writeInt16BE(0x20, 21)), 'the batch of the offsets 3 to 5'],
    ['ends before it begins', changed(bad, (one) => one.writeInt32BE(-1, 23)), 'what comes at offset 3'],
    ['is of no length', changed(bad, (one) => one.writeInt32BE(0, 8)), 'what comes at offset 3'],
    ['is as long as can be', changed(bad, (one) => one.writeInt32BE(2 ** 31 - 1, 8)), 'what comes at offset 3'],
    ['is of a format to come', changed(bad, (one) => one.writeInt8(3, 16)), 'what comes at offset 3'],
  ] as const

  it.each(all)('ends reading where it is, and is named, where it %s', (_, damaged, place) =>
    withMember(serving([good, damaged, behind]), async (member) => {
      await member.until(({ story }) => story.includes('failed'))
      expect(member.values).toEqual(['0', '1', '2'])
      const { error } = member.of('failed')[0]!
      expect(error).toMatchObject({ kind: 'system' })
      expect(error.message).toContain(`Topic "topic-0", partition 0: ${place} is damaged: `)
    }),
  )

  it('ends reading too where it is cut, and comes first', () =>
    withMember(serving([good, bad.subarray(0, -1)]), async (member) => {
      await member.until(({ story }) => story.includes('failed'))
      expect(member.values).toEqual(['0', '1', '2'])
      expect(member.of('failed')[0]!.error.message).toContain('what comes at offset 3 is damaged: ')
    }))
})

describe.concurrent('an answer that holds only what was read before', () => {
  it('loses no record: the same offset is fetched again', () => {
    const log = [good, batch(3, 1), batch(4, 4)]
    let early = 0
    const write: Write = (fetch, broker) => {
      const offset = fetch.offsets.get(0)
      if (offset === 0n || (offset === 3n && early++ < 2))
        fetch.socket.write(broker.answer(fetch, new Map([[0, { batches: good }]])))
      else serving(log)(fetch, broker)
    }
    return withMember(write, async (member) => {
      await member.until(({ values }) => values.includes('7'))
      expect(member.values).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
      expect(early).toBe(3)
    })
  })
})

describe.concurrent('what is too old, or too new', () => {
  it.each([0, 1])('ends reading at records of message format %i, and says so', (magic) =>
    withMember(serving([good, changed(batch(3, 3), (one) => one.writeInt8(magic, 16)), behind]), async (member) => {
      await member.until(({ story }) => story.includes('failed'))
      expect(member.values).toEqual(['0', '1', '2'])
      const { error } = member.of('failed')[0]!
      expect(error).toMatchObject({ kind: 'config' })
      expect(error.message).toMatch(
        /^Topic "topic-0", partition 0: what comes at offset 3 is in the format of Kafka before 0\.11 .*which is not supported\./,
      )
    }),
  )

  it.each([
    ['older', [0, 10], /is older than Kafka 2\.3 .*Kafka 2\.3 or newer is needed/],
    ['newer', [12, 17], /is too new for this program/],
  ] as const)('refuses a broker that is %s, before anything is read and in a check', async (_, range, words) => {
    await using broker = await FakeBroker.start((fetch, broker) => broker.wait(fetch))
    broker.fetchVersions = range
    await using member = new Member({ brokers: [broker.bootstrap], group: 'group', topics: [broker.topic] })
    await member.until(({ story }) => story.includes('failed'))
    expect(member.of('failed')[0]!.error).toMatchObject({
      kind: 'config',
      message: expect.stringMatching(words) as string,
    })
    expect(broker.fetches).toBe(0)
    const connection = { brokers: [], clientId: 'c', tls: undefined, sasl: undefined, allowInsecureLogin: false }
    const probe = await probeBroker(connection, broker.bootstrap, AbortSignal.timeout(20_000))
    expect(probe).toMatchObject({ found: 'refused', text: expect.stringMatching(words) as string })
  })
})

describe.concurrent('a batch of more than is taken', () => {
  const MIB = 1024 * 1024
  const large = (bytes: number): Buffer => batchBytes({ firstOffset: 3n, count: 3, packed: Buffer.alloc(bytes, 1) })

  it.each([
    ['a little more', large(128 * MIB + 1)],
    ['so much more that it is not even read', large(300 * MIB)],
  ])('ends reading where it is, and is named: %s', (_, bad) =>
    withMember(
      (fetch, broker) => {
        const offset = fetch.offsets.get(0)
        if (offset === undefined) broker.wait(fetch)
        else fetch.socket.write(broker.answer(fetch, new Map([[0, { batches: offset < 3n ? good : bad }]])))
      },
      async (member) => {
        await member.until(({ story }) => story.includes('failed'))
        // again where it had to join again, as unpacking takes long on a busy machine
        expect([...new Set(member.values)]).toEqual(['0', '1', '2'])
        const { error } = member.of('failed')[0]!
        expect(error).toMatchObject({ kind: 'config' })
        expect(error.message).toMatch(
          /^Topic "topic-0", partition 0: the batch of the offsets 3 to 5 is too large: it unpacks to more than 128 MiB\. .*to 6 while nothing runs/,
        )
      },
    ),
  )
})

describe.concurrent('batches without records', () => {
  it('are passed over, also where an answer holds nothing else', () =>
    withMember(
      (fetch, broker) => {
        const offset = Number(fetch.offsets.get(0) ?? 8n)
        if (offset >= 8) return broker.wait(fetch)
        const batches = offset < 6 ? empty(offset, 2) : behind
        fetch.socket.write(broker.answer(fetch, new Map([[0, { batches }]])))
      },
      async (member) => {
        await member.until(({ values }) => values.length === 2)
        expect(member.batches.map(({ records, next }) => [records.length, next])).toEqual([
          [0, 2n],
          [0, 4n],
          [0, 6n],
          [2, 8n],
        ])
      },
    ))
})

describe.concurrent('answers on their way', () => {
  const log = [good, batch(3, 3), behind]
  const whole: Write = serving(log)
  const answerOf = (fetch: FakeFetch, broker: FakeBroker): Buffer =>
    broker.answer(fetch, new Map([[0, { batches: Buffer.concat(log) }]]))
  /** Only the first fetch of all is answered so. */
  const first = (write: Write): Write => {
    let isFirst = true
    return (fetch, broker) => {
      // what is paused at first is not asked for
      const isIt: boolean = isFirst && fetch.offsets.get(0) === 0n
      if (isIt) isFirst = false
      return isIt ? write(fetch, broker) : whole(fetch, broker)
    }
  }
  const size = (bytes: number): Buffer => changed(Buffer.alloc(4), (four) => four.writeInt32BE(bytes))

  it.each<[string, Write]>([
    [
      'byte by byte',
      (fetch, broker) => {
        for (const byte of answerOf(fetch, broker)) fetch.socket.write(Buffer.of(byte))
      },
    ],
    [
      'behind one that nobody asked for',
      (fetch, broker) => {
        const unasked = broker.answer({ correlationId: 77_777 }, new Map([[0, { batches: batch(0, 8) }]]))
        fetch.socket.write(Buffer.concat([unasked, answerOf(fetch, broker)]))
      },
    ],
    [
      'twice',
      (fetch, broker) => {
        fetch.socket.write(Buffer.concat([answerOf(fetch, broker), answerOf(fetch, broker)]))
      },
    ],
    ['cut off', (fetch, broker) => void fetch.socket.end(answerOf(fetch, broker).subarray(0, -20))],
    ['of no size', (fetch) => void fetch.socket.write(size(0))],
    ['of a negative size', (fetch) => void fetch.socket.write(size(-1))],
    ['larger than any', (fetch) => void fetch.socket.write(size(2 ** 31 - 1))],
    [
      'with more topics than it holds',
      (fetch, broker) =>
        void fetch.socket.write(changed(answerOf(fetch, broker), (answer) => answer.writeInt32BE(2 ** 31 - 1, 18))),
    ],
    [
      'with a log that reaches beyond it',
      (fetch, broker) => {
        fetch.socket.write(broker.answer(fetch, new Map([[0, { batches: good, size: 2 ** 31 - 1 }]])))
      },
    ],
    [
      'with a log too short for a batch',
      (fetch, broker) =>
        void fetch.socket.write(broker.answer(fetch, new Map([[0, { batches: good.subarray(0, 60) }]]))),
    ],
  ])('are read once and whole where one comes %s', (_, write) =>
    withMember(first(write), async (member) => {
      await member.until(({ values }) => values.length >= 8)
      expect(member.values).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
      expect(member.story).not.toContain('failed')
    }),
  )
})
