import { expect, it } from 'vitest'
import { Random } from '../engine/random.ts'
import { promise } from './promise.ts'
import { lastRows, versions, WatchedService } from './service.ts'

const RECORDS = 3_000
const IDS = 40

promise('order', (door) => {
  it('while answers come late, fail, or are lost after the row was stored', async () => {
    const random = new Random(5)
    const records = versions(Array.from({ length: RECORDS }, () => random.below(IDS)))
    await using service = await WatchedService.open({ latency: { from: 0, to: 60 }, random: () => random.next() })
    service.service.fault({ every: 7, answer: { status: 503 } })
    service.service.fault({ every: 11, reset: 'after' })
    const config = { max_points: 3, late_write_guard_seconds: 0 }
    await using entrance = await door.open({ url: service.url, records, config })
    await using running = await entrance.start()
    await entrance.finish(running)
    expect([...service.faults]).toEqual([])
    expect(service.rows.toSorted()).toEqual(lastRows(records))
  })
})
