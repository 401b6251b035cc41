import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { healthOf } from './health.ts'
import type { StreamFacts } from './stream-facts.ts'
import { anyFacts, facts, partition } from './testing/facts.ts'

const STALL = 900_000

const at = (now: number, known: StreamFacts): unknown => healthOf({ ...known, at: now }, now, STALL)
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
    unready('stopped by an error (config): the log tells which'),
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
  expect(at(STALL + 1000, waits)).toEqual(
    unready('schemas are waited for for 900 s: the schema registry does not answer'),
  )
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
