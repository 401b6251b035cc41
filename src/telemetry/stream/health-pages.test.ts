import { expect, test } from 'vitest'
import { healthPages } from './health-pages.ts'
import type { PageAnswer } from './health-server.ts'
import { startHealthServer } from './health-server.ts'
import { facts, partition } from './testing/facts.ts'

const never = new AbortController().signal

/** @param onWait what the turn of timers does that comes before the answer */
async function asked(path: string, known: () => ReturnType<typeof facts>, now = 1500, onWait = (): void => {}) {
  const clock = { now: () => now, wait: async () => onWait() }
  const answer: PageAnswer = await healthPages({ facts: known, clock, stallDeadlineMs: 900_000 }).get(path)!(never)
  return { status: answer.status, body: JSON.parse(answer.body) as unknown }
}

test('/healthz tells whether the loop ticks', async () => {
  expect(await asked('/healthz', () => facts({ at: 1000 }))).toEqual({
    status: 200,
    body: { live: true, seconds_since_tick: 0.5, uptime_seconds: 1.5 },
  })
  expect(await asked('/healthz', () => facts({ at: 1000 }), 61_000)).toEqual({
    status: 503,
    body: {
      live: false,
      reason: 'the loop has not ticked for 60 s',
      seconds_since_tick: 60,
      uptime_seconds: 61,
    },
  })
})

test('a process that slept and woke up is alive: its overdue tick comes before the answer', async () => {
  let known = facts({ at: 1000 })
  const woken = await asked(
    '/healthz',
    () => known,
    61_000,
    () => (known = facts({ at: 61_000 })),
  )
  expect(woken).toMatchObject({ status: 200, body: { live: true } })
})

test('/readyz tells the figures it judges by', async () => {
  const busy = facts({
    at: 1000,
    group: { generation: '5', partitions: [partition({}), partition({ partition: 1, held: 'fetched_ahead' })] },
    delivery: { outstanding: 7, settledAt: 1200, oldestAt: 500, inFlight: 2, failingSince: 1400, pausedUntil: 2000 },
  })
  expect(await asked('/readyz', () => busy)).toEqual({
    status: 200,
    body: {
      ready: true,
      reason: 'the service has been down for 0 s and asked for a pause of another 0 s',
      stopping: false,
      joined: true,
      generation: '5',
      partitions: 2,
      partitions_held: 1,
      outstanding_records: 7,
      oldest_unsettled_seconds: 1,
      seconds_since_settled: 0.3,
      requests_in_flight: 2,
      service_failing_seconds: 0.1,
      pause_left_seconds: 0.5,
    },
  })
  expect(await asked('/readyz', () => facts({ at: 1000, group: { joined: false } }))).toMatchObject({
    status: 503,
    body: { ready: false, reason: 'joining the group for 1 s', oldest_unsettled_seconds: null },
  })
})

test('they are served beside pages of others', async () => {
  const clock = { now: () => 0, wait: async () => {} }
  const pages = healthPages({ facts: () => facts(), clock, stallDeadlineMs: 1000 })
  pages.set('/metrics', () => ({ status: 200, type: 'text/plain', body: 'up 1\n' }))
  await using server = await startHealthServer({ host: '127.0.0.1', port: 0, pages })
  const got = async (path: string): Promise<string> => (await fetch(`http://127.0.0.1:${server.port}${path}`)).text()
  expect(await got('/')).toBe('/healthz\n/readyz\n/metrics\n')
  expect(await got('/readyz')).toContain('"ready":true')
  expect(await got('/metrics')).toBe('up 1\n')
})
