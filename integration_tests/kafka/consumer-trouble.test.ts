// The kafkajs consumer when its process sleeps and when its broker hangs, restarts and dies.

import { expect, it } from 'vitest'
import { ConsumerCases, at, letters, whole } from './consumer-cases.ts'

const cases = new ConsumerCases()

cases.describe('trouble', () => {
  it('a process that slept knows at once that it may be a member no longer, and joins again', async () => {
    const topic = await cases.topicOf(1)
    await cases.fill(topic, letters)
    await using member = cases.joiner(topic)({ sessionTimeoutMs: 1500 })
    await member.until(({ values }) => values.length === 6)
    await member.consumer.commit([at(topic, 4n)])
    expect(member.consumer.isMember()).toBe(true)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500)
    expect(member.consumer.isMember()).toBe(false)
    await member.until(({ values }) => values.length === 8)
    expect(member.story).toEqual(['assigned', 'lost', 'assigned'])
    expect(member.values.slice(6)).toEqual(['e', 'f'])
    expect(member.consumer.isMember()).toBe(true)
  })

  it('a broker that hangs is left for a new connection', async () => {
    const topic = await cases.topicOf(1)
    await cases.fill(topic, letters)
    const fetch = { metadataMaxAgeMs: 1000, silenceMs: 1500 }
    await using member = cases.joiner(topic)({ sessionTimeoutMs: 2000, fetch })
    await member.until(({ values }) => values.length === 6)
    process.kill(cases.broker.pid!, 'SIGSTOP')
    try {
      await member.until(({ story }) => story.includes('lost'))
      expect(member.consumer.isMember()).toBe(false)
    } finally {
      process.kill(cases.broker.pid!, 'SIGCONT')
    }
    await member.until((one) => one.of('assigned').length === 2)
    await cases.fill(topic, ['after'])
    await member.until(({ values }) => values.includes('after'))
    expect(member.of('failed')).toEqual([])
  })

  it('a stop ends soon, and a deadline ends all tries, while the broker is dead', async () => {
    const topic = await cases.topicOf(1)
    await cases.fill(topic, letters)
    const join = cases.joiner(topic)
    await using stopped = join()
    await using failing = join({ group: 'another', brokerDeadlineMs: 1000 })
    await stopped.until(({ values }) => values.length === 6)
    await failing.until(({ values }) => values.length === 6)
    await cases.broker.kill()
    await expect(stopped.consumer.commit(whole(stopped))).rejects.toThrow(/did not take the offsets/)
    await stopped.stop()
    expect(stopped.of('failed')).toEqual([])
    await failing.ended
    expect(failing.of('failed')[0]?.error).toMatchObject({
      kind: 'transient',
      message: expect.stringContaining(cases.broker.bootstrap),
    })
  })
})
