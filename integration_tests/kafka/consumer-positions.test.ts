// Where the kafkajs consumer reads on a real broker: the right beginning, records as they lie there, and no offset passed
// over in silence.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ConsumerCases, at, letters, whole, type Join } from './consumer-cases.ts'

const cases = new ConsumerCases()

cases.describe('a position', () => {
  it.concurrent('is the first record, when nothing was committed and the policy is earliest', async () => {
    const topic = await cases.topicOf(1)
    await cases.fill(topic, letters)
    await cases.deleteBefore(topic, 2)
    await using member = cases.joiner(topic)()
    await member.until(({ values }) => values.length === 4)
    expect(member.of('assigned')[0]?.positions).toEqual([at(topic, 2n)])
    expect(member.values).toEqual(['c', 'd', 'e', 'f'])
    expect(member.consumer.end({ topic, partition: 0 })).toBe(6n)
  })

  it.concurrent('at the end is kept when the process ends before it committed anything', async () => {
    const topic = await cases.topicOf(1)
    await cases.fill(topic, letters)
    const join = cases.joiner(topic, { startOf: () => 'latest' })
    await join()
      .until(({ partitions }) => partitions.length === 1)
      .then((first) => first.stop())
    await cases.fill(topic, ['in between'])
    await using second = join()
    await second.until(({ values }) => values.length > 0)
    expect(second.values).toEqual(['in between'])
  })

  it.concurrent('by a time is the first record not older, and the end when all are', async () => {
    const topic = await cases.topicOf(2)
    await cases.client.produce(topic, [
      { partition: 0, value: 'old', timestamp: 1_000n },
      { partition: 0, value: 'young', timestamp: 3_000n },
      { partition: 1, value: 'old too', timestamp: 1_000n },
    ])
    await using member = cases.joiner(topic)({ startOf: () => ({ timestamp: 2_000n }) })
    await member.until(({ values }) => values.length > 0)
    expect(member.values).toEqual(['young'])
    expect(await cases.committed(topic)).toEqual([1n, 1n])
  })

  it.concurrent('is the committed one, within a transaction that is still open too', async () => {
    const topic = await cases.topicOf(1)
    const producer = cases.client.kafka.producer({ transactionalId: topic, maxInFlightRequests: 1, idempotent: true })
    await producer.connect()
    const transaction = await producer.transaction()
    await transaction.send({ topic, messages: [{ value: 'read uncommitted' }] })
    const join = cases.joiner(topic)
    const first = await join().until(({ partitions }) => partitions.length === 1)
    // as a consumer that reads uncommitted records
    await first.consumer.commit([at(topic, 1n)])
    await first.stop()
    await using second = join()
    await second.until(({ partitions }) => partitions.length === 1)
    expect(second.of('assigned')[0]?.positions).toEqual([at(topic, 1n)])
    await transaction.commit()
    await producer.disconnect()
    await cases.fill(topic, ['after'])
    await second.until(({ values }) => values.length > 0)
    expect(second.values).toEqual(['after'])
    expect(second.story).toEqual(['assigned'])
  })
})

cases.describe('an offset that is gone', () => {
  /** A group that committed, and a topic that lost what it was to read next. */
  async function gone(side: 'below' | 'above'): Promise<{ topic: string; join: Join }> {
    const topic = await cases.topicOf(1)
    await cases.fill(topic, letters)
    const join = cases.joiner(topic)
    const first = await join().until(({ values }) => values.length === 6)
    // as after a leader was elected that did not have the last records
    await first.consumer.commit([at(topic, side === 'below' ? 2n : 9n)])
    await first.stop()
    if (side === 'below') await cases.deleteBefore(topic, 5)
    return { topic, join }
  }

  it.concurrent.each(['below', 'above'] as const)('stops the consumer by default (%s)', async (side) => {
    const { topic, join } = await gone(side)
    await using member = join()
    await member.ended
    const { kind, message } = member.of('failed')[0]!.error
    expect(kind).toBe('config')
    expect(message).toContain(`Topic ${topic}, partition 0`)
    expect(message).toContain('out_of_range')
    expect(message).toMatch(side === 'below' ? /offset 2\b.*\b5\b.*the 3 offsets/ : /offset 9\b.*ends at offset 6/)
    expect(member.story).toEqual(['failed'])
    expect(await cases.committed(topic)).toEqual([side === 'below' ? 2n : 9n])
  })

  it.concurrent('is passed over when the policy says so, and that is said', async () => {
    const { topic, join } = await gone('below')
    await using member = join({ outOfRangeOf: () => 'earliest' })
    await member.until(({ values }) => values.length === 1)
    expect(member.values).toEqual(['f'])
    expect(member.of('said').map(({ text }) => text)).toContainEqual(expect.stringContaining('the 3 offsets between'))
    expect(await cases.committed(topic)).toEqual([5n])
  })

  it.concurrent('is passed over to the end when the policy says so', async () => {
    const { topic, join } = await gone('above')
    await using member = join({ outOfRangeOf: () => 'latest' })
    await member.until(({ partitions }) => partitions.length === 1)
    await cases.fill(topic, ['z'])
    await member.until(({ values }) => values.length > 0)
    expect(member.values).toEqual(['z'])
  })

  it.concurrent.each(['stop', 'earliest'] as const)('is noticed while running, policy %s', async (policy) => {
    const topic = await cases.topicOf(2)
    await cases.fill(topic, ['a', 'b'])
    await using member = cases.joiner(topic)({ outOfRangeOf: () => policy })
    await member.until(({ values }) => values.length === 2)
    await member.consumer.commit([at(topic, 1n)])
    member.consumer.pause({ topic, partition: 0 })
    await sleep(300)
    await cases.fill(topic, letters)
    await cases.deleteBefore(topic, 6)
    member.consumer.resume({ topic, partition: 0 })
    if (policy === 'stop') {
      await member.until(({ story }) => story.includes('failed'))
      expect(member.of('failed')[0]?.error.message).toMatch(/offset 2\b.*offset 6\b.*the 4 offsets/)
      // kafkajs would have committed "the beginning": what was lost could not be known any more
      expect(await cases.committed(topic)).toEqual([1n, 0n])
      // what was read is settled and committed, and nothing more is read
      await cases.fill(topic, ['other'], 1)
      await sleep(300)
      expect(member.consumer.isMember()).toBe(true)
      await member.consumer.commit([at(topic, 2n)])
      expect(await cases.committed(topic)).toEqual([2n, 0n])
      expect(member.values).toEqual(['a', 'b'])
      expect(member.story).toEqual(['assigned', 'failed'])
      return
    }
    await member.until(({ values }) => values.length === 4)
    expect(member.values).toEqual(['a', 'b', 'e', 'f'])
    expect(member.of('said').map(({ text }) => text)).toContainEqual(expect.stringContaining('the 4 offsets between'))
    // nobody else was disturbed
    expect(member.story).toEqual(['assigned'])
    await cases.fill(topic, ['other'], 1)
    await member.until(({ values }) => values.includes('other'))
  })
})

cases.describe('records', () => {
  it.concurrent('keep keys, values and headers byte for byte, in their order', async () => {
    const topic = await cases.topicOf(1)
    const binary = Buffer.of(0, 0xff, 0x80)
    await cases.client.produce(topic, [
      {
        key: binary,
        value: binary,
        headers: [
          ['b', binary],
          ['a', ''],
          ['b', 'again'],
          ['1', 'one'],
          ['constructor', 'c'],
        ],
        timestamp: 7n,
      },
      {
        key: 'k',
        value: null,
        headers: [
          ['z', 'z'],
          ['0', 'zero'],
        ],
      },
      { key: null, value: null, headers: [['only', 'h']] },
      { key: '', value: '' },
    ])
    await using member = cases.joiner(topic)()
    await member.until(({ batches }) => batches.at(-1)?.next === 4n)
    const records = member.batches.flatMap((batch) => batch.records)
    expect(records.map(({ key, value }) => [key, value])).toEqual([
      [binary, binary],
      [Buffer.from('k'), null],
      [null, null],
      [Buffer.alloc(0), Buffer.alloc(0)],
    ])
    expect(records[0]?.timestamp).toBe(7n)
    // kafkajs's producer puts them in this order
    expect(records[0]?.headers).toEqual([
      ['1', Buffer.from('one')],
      ['b', binary],
      ['b', Buffer.from('again')],
      ['a', Buffer.alloc(0)],
      ['constructor', Buffer.from('c')],
    ])
    expect(records[1]?.headers.map(([name]) => name)).toEqual(['0', 'z'])
    expect(records[2]?.headers).toEqual([['only', Buffer.from('h')]])
  })

  it.concurrent('that a transaction took back are passed over, and so are its marks, up to the end', async () => {
    const topic = await cases.topicOf(1)
    const producer = cases.client.kafka.producer({ transactionalId: topic, maxInFlightRequests: 1, idempotent: true })
    await producer.connect()
    for (const outcome of ['commit', 'abort'] as const) {
      const transaction = await producer.transaction()
      await transaction.send({ topic, messages: [{ value: outcome }] })
      await transaction[outcome]()
      await sleep(400)
    }
    await producer.disconnect()
    await using member = cases.joiner(topic)()
    await member.until(({ batches }) => batches.at(-1)?.next === 4n)
    expect(member.values).toEqual(['commit'])
    expect(member.consumer.end({ topic, partition: 0 })).toBe(4n)
    await member.consumer.commit(whole(member))
    expect(await cases.committed(topic)).toEqual([4n])
  })
})
