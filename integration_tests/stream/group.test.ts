// A group of `stream` processes through what happens to groups: members come, are killed, sleep and wake, the broker
// restarts, the service is cut off. Judged by its table, and by what was committed and sent at any moment.

import { expect, it } from 'vitest'
import { describeOwnKafka } from '../kafka/available.ts'
import { GroupRun } from './group-run.ts'
import { startIsolatingBroker } from './isolating-broker.ts'

const SESSION_SECONDS = 6

describeOwnKafka('a group of stream processes', (startBroker) => {
  it('stores what the model says, commits no more than is settled, and sends nothing of members that are out', async ({
    signal,
  }) => {
    await using cluster = await startIsolatingBroker(startBroker)
    const { broker, bootstrap, way } = cluster
    await using run = await GroupRun.open({
      bootstrap: broker.bootstrap,
      isolated: { member: 3, bootstrap, way },
      name: 'group',
      records: 60_000,
      recordsPerSecond: 800,
      kafka: { session_timeout_seconds: SESSION_SECONDS, rebalance_timeout_seconds: 12, heartbeat_seconds: 1 },
      config: { commit_every_seconds: 1, late_write_guard_seconds: 2, request_timeout_seconds: 30 },
      seed: 8,
      signal,
    })
    await run.start(1)
    await run.settled()
    await run.join(2, 3)
    await run.settled()
    await run.kill(2)
    await run.settled()
    await run.sleep(3, SESSION_SECONDS * 1000)
    await run.settled()
    await broker.restart()
    await run.settled()
    await run.cut(3000)
    await run.progressed()
    const { faults, ...figures } = await run.finish()
    expect(faults).toEqual([])
    for (const figure of ['letters', 'commits', 'upserts'] as const) expect(figures[figure], figure).toBeGreaterThan(10)
    expect(figures.acknowledged).toBeGreaterThan(figures.rows)
  }, 300_000)
})
