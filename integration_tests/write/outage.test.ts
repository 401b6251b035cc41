// How a run of `write` ends while the service is down: what it waits for is said, and a signal is heard. What it says of an outage
// otherwise is in promises/outage.test.ts and src/telemetry/outage-watch.test.ts.

import { expect, it } from 'vitest'
import { airbyteDoor } from '../promises/airbyte-door.ts'
import type { Running } from '../promises/door.ts'
import { versions } from '../promises/service.ts'
import { TakeableService } from './takeable-service.ts'

async function inOutage(use: (running: Running, service: TakeableService) => Promise<void>): Promise<void> {
  await using service = await TakeableService.open()
  await service.turn('refused')
  const plan = { url: service.url, records: versions([1]), config: { retry_for_seconds: 120 } }
  await using entrance = await airbyteDoor.open(plan)
  await using running = await entrance.start()
  await running.says('warn', 'is unavailable')
  await use(running, service)
}

it('tells the cause while the end waits for it', async () => {
  await inOutage(async (running, service) => {
    running.child.stdin!.end()
    expect(await running.says('info', 'Nothing more is read')).toMatch(
      /the service has been down for \d+ s \(connection refused\)/,
    )
    await service.turn('up')
    expect(await running.ended, running.toString()).toBe(0)
  })
})

it('ends by SIGTERM in the middle of it', async () => {
  await inOutage(async (running) => expect(await running.end('SIGTERM'), running.toString()).toBe(143))
})
