import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PageAnswer } from './health-server.ts'
import { healthOf, healthPages } from './health.ts'
import type { RunFacts } from '../run/run-facts.ts'
import { anyFacts, facts, partition } from '../run/testing/facts.ts'

const STALL = 900_000

const at = (now: number, known: RunFacts): unknown => healthOf({ ...known, at: now }, now, STALL)
const ready = (reason: string): unknown => ({ live: true, ready: true, reason })
const unready = (reason: string): unknown => ({ live: true, ready: false, reason })

test('caught up, moving, and with nothing assigned it is ready', () => {
  expect(at(5e6, facts())).toEqual(ready('caught up'))
  expect(at(5e6, facts({ group: { partitions: [partition({ lag: 7n })] } }))).toEqual(
    ready('nothing is waiting to be sent'),
  )
  expect(at(5e6, facts({ delivery: { outstanding: 3, settledAt: 5e6 - 1 } }))).toEqual(ready('moving'))
  expect(at(5e6, facts({ group: { partitions: [] } }))).toEqual(
    ready('no partition is assigned: the group has more members than partitions'),
  )
})

test('not before it has joined, not once it stops', () => {
  expect(at(12_000, facts({ group: { joined: false } }))).toEqual(unready('joining the group for 12 s'))
  expect(at(12_000, facts({ stopping: true }))).toEqual(unready('stopping'))
  expect(at(12_000, facts({ stopping: true, failed: 'config' }))).toEqual(
    unready('stopped by an error (config): see the log'),
  )
})

test('with something there, it is ready until nothing was settled for the stall deadline', () => {
  const stuck = facts({ delivery: { outstanding: 1, settledAt: 1000 } })
  expect(at(STALL + 999, stuck)).toEqual(ready('moving'))
  expect(at(STALL + 1000, stuck)).toEqual(unready('nothing was settled for 900 s'))
  expect(at(STALL + 2000, { ...stuck, delivery: { ...stuck.delivery, outstanding: 0 } })).toEqual(ready('caught up'))
})

test('a known pause is ready, and told, until the stall deadline', () => {
  const down = facts({ delivery: { outstanding: 1, settledAt: 500, failingSince: 1000 } })
  expect(at(600_000, down)).toEqual(ready('the service has been down for 599 s'))
  expect(at(STALL + 1000, down)).toEqual(unready('the service has been down for 900 s'))
  const asked = facts({ delivery: { outstanding: 1, settledAt: 0, pausedUntil: 40_000 } })
  expect(at(10_000, asked)).toEqual(ready('the service asked for a pause of another 30 s'))
  expect(at(STALL, asked)).toEqual(unready('nothing was settled for 900 s'))
  const both = facts({ delivery: { outstanding: 1, failingSince: 0, pausedUntil: 40_000 } })
  expect(at(10_000, both)).toEqual(ready('the service has been down for 10 s and asked for a pause of another 30 s'))
})

test('a service that failed and is no longer asked anything holds nothing up', () => {
  expect(at(5e6, facts({ delivery: { outstanding: 0, failingSince: 0 } }))).toEqual(ready('caught up'))
})

test('schemas that are waited for are a known pause, told until the stall deadline', () => {
  const waits = facts({ group: { schemasSince: 1000 } })
  expect(at(61_000, waits)).toEqual(ready('waiting for the schema registry for 60 s'))
  expect(at(STALL + 1000, waits)).toEqual(unready('waiting for schemas for 900 s: the schema registry does not answer'))
})

test('it is alive as long as the loop ticks, whatever else', () => {
  const known = facts({ at: 1000, group: { joined: false } })
  expect(healthOf(known, 11_000, STALL)).toEqual(unready('joining the group for 11 s'))
  expect(healthOf(known, 11_001, STALL)).toEqual({
    live: false,
    ready: false,
    reason: 'the loop has not ticked for 10 s',
  })
})

test('of any facts: ready is joined, alive and not stopping; a reason is always there', () => {
  fc.assert(
    fc.property(anyFacts, fc.nat(1e9), fc.nat(2e6), (known, now, deadline) => {
      const { live, ready, reason } = healthOf(known, now, deadline)
      expect(reason).toMatch(/^[ -~]+$/)
      expect(live).toBe(now - known.at <= 10_000)
      if (!ready) return
      expect(live && known.group.joined && !known.stopping && known.failed === undefined).toBe(true)
      const { outstanding, settledAt } = known.delivery
      expect(outstanding === 0 || now - settledAt < deadline).toBe(true)
    }),
  )
})

const never = new AbortController().signal

/** @param onWait what the turn of timers does that comes before the answer */
async function asked(path: string, known: () => ReturnType<typeof facts>, now = 1500, onWait = (): void => {}) {
  const clock = { now: () => now, wait: async () => onWait() }
  const answer: PageAnswer = await healthPages(known, clock, 900_000).get(path)!(never)
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
    group: {
      generation: '5',
      partitions: [partition({}), partition({ partition: 1, held: 'fetched_ahead' })],
      oldestAt: 500,
    },
    delivery: { outstanding: 7, settledAt: 1200, inFlight: 2, failingSince: 1400, pausedUntil: 2000 },
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

test('not without a token, which is said before all that follows from it', () => {
  const token = {
    place: 'idp:443',
    expiresAt: 60_000,
    fetched: 1,
    failed: 0,
    failingSince: undefined,
    cause: undefined,
  }
  const failing = { ...token, failed: 3, failingSince: 30_000, cause: 'connection refused' }
  const known = (of: object, group: object = {}): RunFacts =>
    facts({ group: { tokens: [{ ...token, ...of }], ...group } })
  expect(at(40_000, known({}))).toEqual(ready('caught up'))
  expect(at(40_000, known(failing))).toEqual(
    ready('no new token from idp:443 for 10 s, 20 s left (connection refused)'),
  )
  expect(at(60_000, known(failing))).toEqual(
    unready('no new token from idp:443 for 30 s, none is left (connection refused)'),
  )
  expect(at(58_000, known(failing, { joined: false }))).toEqual(
    unready('no new token from idp:443 for 28 s, 2 s left (connection refused)'),
  )
  const none = { expiresAt: undefined, joined: false }
  expect(at(5_000, known(none, { joined: false }))).toEqual(unready('waiting for a token of idp:443'))
})
