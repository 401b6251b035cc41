import { expect, it } from 'vitest'
import { ConnectorError } from '../core/errors.ts'
import type { NetworkCause } from '../core/network.ts'
import type { Outcome } from '../core/types.ts'
import type { OutageState } from './outage-watch.ts'
import { WatchedTransport } from './watched-transport.ts'

const REQUEST = { table: 'x', body: Buffer.from('[]'), points: 1 }
const never = new AbortController().signal

function transportOf(answers: readonly Outcome[]) {
  let now = 0
  let mayBegin = true
  const left = [...answers]
  const happened: string[] = []
  const outage = {
    state: undefined as OutageState | undefined,
    began: () => happened.push('began'),
    answered: () => happened.push('answered'),
    throttled: () => happened.push('throttled'),
    failed: ({ words }: NetworkCause, remedy?: string) => happened.push(`failed: ${words}, ${remedy}`),
    ended: () => happened.push('ended'),
  }
  const transport = new WatchedTransport({
    transport: {
      send() {
        now += 10
        return Promise.resolve(left.shift()!)
      },
    },
    clock: { now: () => now },
    outage,
    mayBegin: () => mayBegin,
  })
  return { transport, left, outage, happened, leave: () => (mayBegin = false) }
}

const failed: Outcome = { status: 'retry', cause: 'server', ambiguous: true, congestion: false, reason: '500' }

it('sends nothing that the group no longer counts on: to be repeated, and certain not to have arrived', async () => {
  const { transport, left, happened, leave } = transportOf([{ status: 'delivered' }])
  leave()
  expect(await transport.send(REQUEST, never)).toMatchObject({ status: 'retry', ambiguous: false, congestion: false })
  expect(left).toHaveLength(1)
  expect(happened).toEqual([])
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

it('counts how long attempts took, by what came of them; not those that were broken off or never sent', async () => {
  const stopped: Outcome = { status: 'stop', error: new ConnectorError('config', 'program.fault', 'no') }
  const answers: Outcome[] = [{ status: 'delivered' }, failed, { status: 'too-large' }, stopped, failed]
  const { transport, leave } = transportOf(answers)
  for (let count = 0; count < 4; count++) await transport.send(REQUEST, never)
  await transport.send(REQUEST, AbortSignal.abort())
  leave()
  await transport.send(REQUEST, never)
  expect(transport.durations.all.map(({ result, counts, sumMs }) => [result, counts.slice(0, 3), sumMs])).toEqual([
    ['delivered', [0, 1, 0], 10],
    ['refused', [0, 2, 0], 20],
    ['failed', [0, 1, 0], 10],
  ])
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

it.each<[string, Outcome]>([
  ['answered', { status: 'delivered' }],
  ['answered', { status: 'refused', reason: 'no' }],
  ['answered', { status: 'too-large' }],
  ['throttled', { ...failed, cause: 'throttled' }],
  ['failed: 500, undefined', failed],
  ['failed: timeout, Wait.', { ...failed, why: { words: 'timeout' }, remedy: 'Wait.' }],
  // of a connection that had been idle for too long, and of what ends the run, nothing is told
  ['ended', { ...failed, stale: true }],
  ['ended', { status: 'stop', error: new ConnectorError('config', 'program.fault', 'no') }],
])('is %s after %j', async (expected, outcome) => {
  const { transport, happened } = transportOf([outcome, outcome])
  await transport.send(REQUEST, never)
  expect(happened).toEqual(['began', expected])
  await transport.send(REQUEST, AbortSignal.abort())
  expect(happened.at(-1)).toBe(outcome.status === 'retry' || outcome.status === 'stop' ? 'ended' : expected)
})

it('takes neither an attempt that was aborted nor a stale connection for a service that is down', async () => {
  const stale: Outcome = { ...failed, stale: true }
  const { transport } = transportOf([failed, stale, failed, { status: 'delivered' }, stale, failed])
  const aborted = AbortSignal.abort()
  const seen: unknown[] = []
  for (const signal of [aborted, never, never, never, never, aborted]) {
    await transport.send(REQUEST, signal)
    seen.push(transport.failingSince)
  }
  expect(seen).toEqual([undefined, undefined, 30, undefined, undefined, undefined])
})

it('knows since when a service hangs that fails nothing, and why attempts fail', () => {
  const { transport, outage } = transportOf([])
  expect(transport).toMatchObject({ failingSince: undefined, failingCause: undefined })
  outage.state = { since: 7, cause: 'timeout', isLogged: true }
  expect(transport).toMatchObject({ failingSince: 7, failingCause: 'timeout' })
})
