import { expect, it } from 'vitest'
import type { Outcome } from '../core/types.ts'
import { WatchedTransport } from './watched-transport.ts'

const REQUEST = { table: 'x', body: Buffer.from('[]'), points: 1 }
const never = new AbortController().signal

function transportOf(answers: readonly Outcome[]) {
  let now = 0
  let isMember = true
  const left = [...answers]
  const transport = new WatchedTransport({
    transport: { send: () => Promise.resolve(left.shift()!) },
    clock: { now: () => (now += 10) },
    isMember: () => isMember,
  })
  return { transport, left, leave: () => (isMember = false) }
}

const failed: Outcome = { status: 'retry', cause: 'server', ambiguous: true, congestion: false, reason: '500' }

it('sends nothing that the group no longer counts on: to be repeated, and certain not to have arrived', async () => {
  const { transport, left, leave } = transportOf([{ status: 'delivered' }])
  leave()
  expect(await transport.send(REQUEST, never)).toMatchObject({ status: 'retry', ambiguous: false, congestion: false })
  expect(left).toHaveLength(1)
  expect(transport.failingSince).toBeUndefined()
})

it('knows since when every attempt has failed', async () => {
  const { transport } = transportOf([failed, failed, { status: 'refused', reason: 'no' }, failed])
  const seen: unknown[] = []
  for (let count = 0; count < 4; count++) {
    await transport.send(REQUEST, never)
    seen.push(transport.failingSince)
  }
  expect(seen).toEqual([10, 10, undefined, 40])
})

it('knows until when the service asked for a pause', async () => {
  const throttled: Outcome = { ...failed, cause: 'throttled', ambiguous: false, congestion: true, afterMs: 3000 }
  const { transport } = transportOf([throttled, { ...throttled, afterMs: 100 }, { ...failed, afterMs: 90_000 }])
  for (let count = 0; count < 3; count++) await transport.send(REQUEST, never)
  expect(transport.pausedUntil).toBe(3010)
})

it('tells a service that throttles from one that fails', async () => {
  const throttled: Outcome = { ...failed, cause: 'throttled', ambiguous: false, congestion: true, reason: '429' }
  const { transport } = transportOf([failed, throttled, throttled, failed, throttled, { status: 'delivered' }])
  const seen: unknown[] = []
  for (let count = 0; count < 6; count++) {
    await transport.send(REQUEST, never)
    seen.push([transport.failingSince, transport.throttledSince])
  }
  expect(seen).toEqual([
    [10, undefined],
    [10, 20],
    [10, 20],
    [10, undefined],
    [10, 50],
    [undefined, undefined],
  ])
})
