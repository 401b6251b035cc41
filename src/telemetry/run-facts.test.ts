import { expect, test } from 'vitest'
import { Tally } from '../core/tally.ts'
import { DeliverySource } from './run-facts.ts'

test('what held the last attempt back holds nothing back where nothing is to be sent', () => {
  const tally = new Tally()
  const nothing = { failingSince: undefined, failingCause: undefined, throttledSince: undefined, pausedUntil: 0 }
  const source = new DeliverySource(
    { tally, permits: { limit: 8, heldBy: 'rate', rate: undefined }, transport: nothing },
    0,
  )
  const heldBy = (outstanding: number): unknown => {
    tally.engine = { outstanding, settled: 0, bytes: 0, checkpoints: 0, inFlight: 0, retrying: 0, guarded: 0 }
    return source.take(1000).heldBy
  }
  expect([heldBy(1), heldBy(0), heldBy(2)]).toEqual(['rate', undefined, 'rate'])
})
