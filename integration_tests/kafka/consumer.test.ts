// The kafkajs consumer as a member of its group, on a real broker: lets go before others begin, and stays as long as it
// should.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { KafkaClient } from './client.ts'
import { ConsumerCases, at, groupOf, letters, whole } from './consumer-cases.ts'

const cases = new ConsumerCases()

cases.describe('a rebalance', () => {
  it.concurrent('waits for what is let go, longer than the session, and commits are taken until then', async () => {
    const topic = await cases.topicOf(4)
    for (let partition = 0; partition < 4; partition++) await cases.fill(topic, letters, partition)
    const join = cases.joiner(topic, { sessionTimeoutMs: 1500 })
    let members = 0
    await using first = join({
      onRevoked: async (member) => {
        await sleep(3000)
        members += member.consumer.isMember() ? 1 : 0
        await member.consumer.commit(whole(member))
      },
    })
    await first.until(({ values }) => values.length === 24)
    await using second = join()
    await second.until(({ partitions }) => partitions.length === 2)
    await first.until((member) => member.of('assigned').length === 2)
    expect(first.story).toEqual(['assigned', 'revoked', 'let go', 'assigned'])
    expect(members).toBe(1)
    const letGo = first.of('let go')[0]!.at
    expect(second.of('assigned')[0]!.at).toBeGreaterThan(letGo)
    // the pauses of a generation are forgotten, and nobody reads anything twice
    for (let partition = 0; partition < 4; partition++) await cases.fill(topic, ['new'], partition)
    await first.until(({ values }) => values.length === 26)
    await second.until(({ values }) => values.length === 2)
    expect(second.values).toEqual(['new', 'new'])
    expect([...first.partitions, ...second.partitions].sort((a, b) => a - b)).toEqual([0, 1, 2, 3])
    expect(second.consumer.generation).toBe(first.consumer.generation)
  })

  it.concurrent('tells no batch between letting go and the next assignment', async () => {
    const topic = await cases.topicOf(2)
    const join = cases.joiner(topic, { onRevoked: () => sleep(500) })
    await using first = join()
    await cases.fill(topic, letters)
    await first.until(({ values }) => values.length === 6)
    const writing = new AbortController()
    const written = (async () => {
      while (!writing.signal.aborted) await Promise.all([cases.fill(topic, letters), cases.fill(topic, letters, 1)])
    })()
    const second = await join().until(({ partitions }) => partitions.length === 1)
    await second.stop()
    await first.until((one) => one.of('assigned').length === 3 && one.told.at(-1)?.kind === 'batch')
    writing.abort()
    await written
    const kinds = first.told.map(({ kind }) => kind).filter((kind) => kind !== 'said')
    for (const [index, kind] of kinds.entries())
      if (kind === 'batch') expect(['assigned', 'batch']).toContain(kinds[index - 1])
    const bounds = new Map<number, bigint>()
    for (const told of first.told) {
      if (told.kind === 'assigned') for (const { partition, offset } of told.positions) bounds.set(partition, offset)
      if (told.kind !== 'batch') continue
      expect(told.batch.records[0]?.offset).toBe(bounds.get(told.batch.partition))
      bounds.set(told.batch.partition, told.batch.next)
    }
  })

  it.concurrent('leaves a member that has nothing to do with no partitions', async () => {
    const topic = await cases.topicOf(1)
    const join = cases.joiner(topic)
    await using first = join()
    await first.until(({ partitions }) => partitions.length === 1)
    await using second = join()
    await second.until((member) => member.of('assigned').length > 0)
    await first.until((member) => member.of('assigned').length === 2)
    expect(first.partitions.length + second.partitions.length).toBe(1)
  })

  it.concurrent('commits nothing of what another member owns', async () => {
    const topic = await cases.topicOf(2)
    await cases.fill(topic, letters, 0)
    await cases.fill(topic, letters, 1)
    const join = cases.joiner(topic)
    await using first = join()
    await first.until(({ values }) => values.length === 12)
    await using second = join()
    await second.until(({ partitions }) => partitions.length === 1)
    await first.until(({ partitions }) => partitions.length === 1)
    await first.consumer.commit([at(topic, 3n, 0), at(topic, 3n, 1)])
    const expected = first.partitions[0] === 0 ? [3n, 0n] : [0n, 3n]
    expect(await cases.committed(topic)).toEqual(expected)
  })
})

cases.describe('membership', () => {
  it.concurrent('outlives the fetching that is halted, so that a stop can commit', async () => {
    const topic = await cases.topicOf(1)
    await cases.fill(topic, letters)
    const join = cases.joiner(topic)
    const member = await join().until(({ values }) => values.length === 6)
    member.consumer.halt()
    await sleep(300)
    await cases.fill(topic, ['after'])
    await sleep(500)
    expect(member.values).toHaveLength(6)
    expect(member.consumer.isMember()).toBe(true)
    await member.consumer.commit(whole(member))
    await member.stop()
    expect(member.story).toEqual(['assigned'])
    expect(await cases.client.describeGroup(groupOf(topic))).toMatchObject({ state: 'Empty' })
    expect(await cases.committed(topic)).toEqual([6n])
    expect(member.consumer.isMember()).toBe(false)
  })

  it.concurrent('ends with a topic that is deleted', async () => {
    const topic = await cases.topicOf(1)
    // a client that was asked about a topic asks for it ever after: not the common one
    await using filler = await KafkaClient.connect(cases.broker.bootstrap)
    await filler.produce(topic, [{ value: 'one' }])
    await using member = cases.joiner(topic)()
    await member.until(({ values }) => values.length === 1)
    await cases.client.deleteTopic(topic)
    await member.until((one) => one.of('said').some(({ text }) => text.includes(`do not exist: ${topic}`)))
    expect(member.story).toEqual(['assigned', 'lost'])
    expect(await cases.client.admin.listTopics()).not.toContain(topic)
  })
})
