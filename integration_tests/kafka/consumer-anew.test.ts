// A topic that is deleted and created again while nothing of it is fetched, on a real broker: only its id tells that its offsets
// mean other records now.

import { expect, it } from 'vitest'
import { KafkaClient } from './client.ts'
import { ConsumerCases, at, letters, whole, type Join } from './consumer-cases.ts'
import type { Member, MemberOptions } from './member.ts'

/** One test after another: a client that several share fails with everything while a topic of one of them is gone. */
const cases = new ConsumerCases()
/** More than the old topic had: no end tells. */
const anew = Array.from({ length: 20 }, (_, index) => `new ${index}`)

/** A member that has read all of the topic, and fetches nothing more: a fetch that is under way would notice a deletion. */
async function holding(join: Join, more: Partial<MemberOptions> = {}): Promise<Member> {
  const first = await join().until(({ values }) => values.length === letters.length)
  await first.consumer.commit(whole(first))
  await first.stop()
  return join({ ...more, holds: true }).until(({ partitions }) => partitions.length === 1)
}

async function again(topic: string): Promise<void> {
  // one that has asked about a topic fails with everything while that is gone
  await using client = await KafkaClient.connect(cases.broker.bootstrap)
  await client.recreateTopic(topic)
  await cases.fill(topic, anew)
}

cases.describe('a topic created again while its partition is held', () => {
  // the other policies: stream/topic-anew.test.ts
  it('is read from its end where `out_of_range` is latest', async () => {
    const topic = await cases.topicOf(1)
    await cases.fill(topic, letters)
    await using member = await holding(cases.joiner(topic, { outOfRangeOf: () => 'latest' }))
    await again(topic)
    await member.until(({ told }) => told.some((one) => one.kind === 'said' && one.text.includes('created again')))
    member.consumer.resume({ topic, partition: 0 })
    await member.until(({ batches }) => batches.some(({ isMove }) => isMove))
    expect(await cases.committed(topic)).toEqual([20n])
    await cases.fill(topic, ['last'])
    await member.until(({ values }) => values.includes('last'))
    expect(member.values).toEqual(['last'])
    await member.consumer.commit(whole(member))
    expect(await cases.committed(topic)).toEqual([21n])
    expect(member.story).toEqual(['assigned'])
  })

  it('is noticed by whoever finds an offset that was committed too late', async () => {
    const topic = await cases.topicOf(1)
    await cases.fill(topic, letters)
    const join = cases.joiner(topic, { outOfRangeOf: () => 'earliest' })
    // it looks for no ids, nor for anything else
    const first = await holding(join, { fetch: { metadataMaxAgeMs: 3_600_000 } })
    await again(topic)
    await first.consumer.commit([at(topic, 6n)])
    await first.stop()
    expect(await cases.committed(topic)).toEqual([6n])
    await using second = join()
    await second.until(({ values }) => values.length === anew.length)
    expect(second.values).toEqual(anew)
    expect(second.of('said').map(({ text }) => text)).toContainEqual(expect.stringContaining('created again'))
  })
})
