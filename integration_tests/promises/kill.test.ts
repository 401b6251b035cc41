import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Random } from '../engine/random.ts'
import { promise } from './promise.ts'
import { lastRows, versions, WatchedService } from './service.ts'

const RECORDS = 6_000
const KILLS = { Airbyte: 6, Kafka: 3, Replay: 2 }
const SERVICE_MS = 25

promise('kill', (door) => {
  it(`ends in the tables of the model after ${KILLS[door.name]} kills at random moments`, async () => {
    const random = new Random(11)
    const ids = Array.from({ length: RECORDS }, (_, at) => (random.below(3) === 0 ? random.below(1 + at) : at))
    const records = versions(ids, () => `,"text":"${'x'.repeat(random.below(80))}"`)
    await using service = await WatchedService.open()
    service.service.fault({ every: 1, delay_ms: SERVICE_MS })
    const config = { concurrency: 3, max_points: 20, late_write_guard_seconds: 0 }
    await using entrance = await door.open({ url: service.url, records, config })
    let busy = 0
    for (let kills = 0; kills < KILLS[door.name]; kills++) {
      await using running = await entrance.start()
      const before = service.upserts
      await running.until(() => service.upserts > before + 3 || !running.isAlive, 'it sends nothing')
      await pause(random.below(300))
      // a kill between two requests would prove less
      await running.until(() => service.underWay > 0 || !running.isAlive, 'it sends nothing more')
      if (running.isAlive) busy++
      await running.end('SIGKILL')
      // what it left behind lands before the next process begins, as a platform has it
      await running.until(() => service.underWay === 0, 'an upsert is never answered')
    }
    expect(busy).toBeGreaterThan(KILLS[door.name] / 2)
    await using running = await entrance.start()
    await entrance.finish(running)
    expect(service.rows.toSorted()).toEqual(lastRows(records))
  })
})
