import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { promise } from './promise.ts'
import { lastRows, versions, WatchedService } from './service.ts'

/** The record whose answer is held; it is of the first partition. */
const HELD = 700
const RECORDS = 2_000
/** Several times as long as offsets are kept before they are committed. */
const LONG_MS = 2_500

promise('checkpoint', (door) => {
  it('stays before a record without an answer, however much behind it is stored, and passes it then', async () => {
    const records = versions([...Array(RECORDS).keys()])
    await using service = await WatchedService.open()
    await using entrance = await door.open({ url: service.url, records })
    service.hold((points) => points.some(({ id }) => id === HELD))
    await using running = await entrance.start()
    await running.until(() => service.acknowledged.has(RECORDS - 1), 'the last record is never stored')
    await running.until(async () => (await entrance.covered()).length > HELD / 4, 'nothing is committed')
    await pause(LONG_MS)
    const covered = await entrance.covered()
    expect(covered).not.toContain(HELD)
    expect(covered.filter((at) => !service.acknowledged.has(at))).toEqual([])
    service.letGo()
    await entrance.finish(running)
    expect(service.rows.toSorted()).toEqual(lastRows(records))
  })
})
