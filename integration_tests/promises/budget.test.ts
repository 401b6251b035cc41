import { expect, it } from 'vitest'
import type { Planned } from './door.ts'
import { promise } from './promise.ts'
import { versions, WatchedService } from './service.ts'

const GOOD = 60
const BAD = 12_000
/** A share counts from so many records on. */
const MOST = 10_000
const CANARY = 'canary-4711'
const REASON = /its key field "id" is missing\. No more of them are kept\./

promise('budget', (door) => {
  it('names the limit, the most frequent reason and where it was met, and nothing of the records', async () => {
    // the key field has another name
    const bad = Array.from({ length: BAD }, (_, at): Planned => ({ id: at, data: `{"ID":${at},"x":"${CANARY}"}` }))
    const records = [...versions([...Array(GOOD).keys()]), ...bad]
    await using service = await WatchedService.open()
    // of a replay so many may be rejected as there are
    const config = door.name === 'Replay' ? { max_rejected_share: 0.5 } : {}
    await using entrance = await door.open({ url: service.url, records, config, keepsRejects: true })
    await using running = await entrance.start()
    running.child.stdin!.end()
    expect(await running.ended, running.toString()).toBe(1)
    const [message] = running.saying('error', 'Too many records')
    expect(message).toMatch(
      /of (stream|topic) "[^"]+" are rejected: ([\d,]+) of 1\d,\d{3} received, and max_rejected_share is 0\.5\. .*\(\2 records; one of them: /,
    )
    expect(message).toMatch(entrance.place)
    expect(message).toMatch(REASON)
    expect(running.toString()).not.toContain(CANARY)
    expect(service.rows).toHaveLength(GOOD)
    const kept = await entrance.rejects()
    expect(kept.length).toBeGreaterThan(MOST - 1_000)
    expect(kept.length).toBeLessThan(MOST)
    // what was kept is committed, and nothing behind it
    const covered = await entrance.covered()
    for (const at of Array(GOOD).keys()) expect(covered).toContain(at)
    expect(covered.length).toBeLessThanOrEqual(GOOD + kept.length)
  })
})
