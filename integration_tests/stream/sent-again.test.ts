// What of a topic is sent again although the service had acknowledged it: after a kill little, after a member that joins or
// leaves in order nothing.

import { expect, it } from 'vitest'
import { describeOwnKafka } from '../kafka/available.ts'
import { GroupRun } from './group-run.ts'

const KAFKA = { session_timeout_seconds: 6, rebalance_timeout_seconds: 30, heartbeat_seconds: 1 }

describeOwnKafka('what a group of stream processes sends again', (startBroker) => {
  it('after a kill: what was in flight, and what was settled in an unbroken row in the last two seconds', async ({
    signal,
  }) => {
    await using broker = await startBroker()
    await using run = await GroupRun.open({
      bootstrap: broker.bootstrap,
      name: 'kills',
      records: 10_000,
      recordsPerSecond: 1000,
      kafka: KAFKA,
      seed: 3,
      signal,
    })
    for (const member of [1, 2, 3]) {
      await run.start(member)
      await run.settled()
      await run.killAtWork(member)
    }
    await run.start(4)
    const { faults, ...figures } = await run.finish()
    expect(faults).toEqual([])
    expect(figures.acknowledged).toBeGreaterThan(figures.rows)
  }, 240_000)

  it('after members joined and left: nothing, and no row goes back to an older value', async ({ signal }) => {
    await using broker = await startBroker()
    await using run = await GroupRun.open({
      bootstrap: broker.bootstrap,
      name: 'rebalances',
      // some requests overtake others by far
      delayMs: { from: 5, to: 600 },
      records: 20_000,
      recordsPerSecond: 1000,
      kafka: KAFKA,
      seed: 4,
      signal,
    })
    await run.start(1)
    await run.settled()
    await run.join(2)
    await run.settled()
    await run.join(3)
    await run.settled()
    await run.stop(2)
    await run.settled()
    await run.join(4)
    await run.settled()
    const { faults, again, back } = await run.finish()
    expect(faults).toEqual([])
    expect({ again, back }).toEqual({ again: 0, back: 0 })
  }, 240_000)
})
