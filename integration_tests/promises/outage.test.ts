import { expect, it } from 'vitest'
import { AUTHORITY, TakeableService, type Mood } from '../write/takeable-service.ts'
import { promise } from './promise.ts'
import { versions } from './service.ts'

const CASES: readonly [mood: Mood, cause: string, config: object][] = [
  ['refused', 'connection refused (ECONNREFUSED)', {}],
  ['away', '503 Service Unavailable', {}],
  ['tls', 'TLS handshake failed (ECONNRESET)', { ca_certificate: AUTHORITY }],
  ['hanging', 'timeout', { request_timeout_seconds: 1 }],
]

promise('outage', (door) => {
  // a replay differs in its end alone
  it.each(door.name === 'Replay' ? CASES.slice(0, 1) : CASES)('that is %s: %s', async (mood, cause, config) => {
    await using service = await TakeableService.open(mood === 'tls')
    const records = versions([...Array(2_000).keys()])
    const own = { max_points: 5, concurrency: 2, retry_for_seconds: 120, late_write_guard_seconds: 0, ...config }
    await using entrance = await door.open({ url: service.url, records, config: own })
    await using running = await entrance.start()
    await running.until(() => service.arrived.length > 3, 'it sends nothing')
    await service.turn(mood)
    const told = await running.says('warn', 'is unavailable')
    expect(told).toContain(`The service at ${service.place} is unavailable: ${cause}. Requests are retried for up to `)
    await service.turn('up')
    await entrance.finish(running)
    expect(running.saying('warn', 'unavailable')).toHaveLength(1)
    expect(running.saying('info', 'answers again')).toEqual([
      expect.stringMatching(/^The service at \S+ answers again, after [\d.]+ s and \d+ retr(y|ies)\.$/),
    ])
  })
})
