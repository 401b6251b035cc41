import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { promise } from './promise.ts'
import { lastRows, versions, WatchedService } from './service.ts'

const RECORDS = 3_000
const FIRST = 500

promise('stop', (door) => {
  it('with requests under way, and sends nothing again that was committed', async () => {
    const records = versions([...Array(RECORDS).keys()])
    await using service = await WatchedService.open()
    await using entrance = await door.open({ url: service.url, records, config: { max_points: 20 } })
    service.hold((points) => points.some(({ id }) => id >= FIRST))
    {
      await using running = await entrance.start()
      await running.until(() => service.acknowledged.size > FIRST / 5 && service.underWay > 2, 'it sends too little')
      const ended = running.end('SIGTERM')
      await pause(500)
      // it waits for their answers
      expect(running.isAlive, running.toString()).toBe(true)
      service.letGo()
      expect(await ended, running.toString()).toBe(143)
    }
    const covered = new Set(await entrance.covered())
    expect([...covered].filter((at) => !service.acknowledged.has(at))).toEqual([])
    // what was under way is committed with all before it
    expect(Math.max(...covered)).toBeGreaterThan(FIRST)
    service.sent.length = 0
    await using next = await entrance.start()
    await entrance.finish(next)
    expect(service.sent.filter((v) => covered.has(v))).toEqual([])
    expect(service.rows.toSorted()).toEqual(lastRows(records))
  })
})
