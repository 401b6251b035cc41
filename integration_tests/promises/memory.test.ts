import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { promise } from './promise.ts'
import { versions, WatchedService } from './service.ts'

/** 100 MB: more than a buffer holds. */
const RECORDS = 50_000
const BYTES = 2_000
/** MB at most. The program is not bundled here, and the compiler of types is in it. */
const MOST = { Airbyte: 190, Kafka: 240, Replay: 240 }
const STALL_MS = 4_000

promise('memory', (door) => {
  it('reads no more than its buffers hold, and delivers all when the service goes on', async () => {
    const text = `,"text":"${'x'.repeat(BYTES)}"`
    const records = versions([...Array(RECORDS).keys()], () => text)
    await using service = await WatchedService.open()
    await using entrance = await door.open({ url: service.url, records })
    service.hold(() => true)
    await using running = await entrance.start()
    await running.until(() => service.underWay > 0, 'it sends nothing')
    await pause(STALL_MS)
    const stalled = await running.peak()
    expect(service.acknowledged.size).toBe(0)
    service.letGo()
    await entrance.finish(running)
    expect(service.rows).toHaveLength(RECORDS)
    expect(stalled).toBeLessThan(MOST[door.name])
    if (process.platform === 'linux') expect(stalled).toBeGreaterThan(50)
  })
})
