import { expect, it } from 'vitest'
import { settle, TestClock } from '../kafka/client/testing/clock.ts'
import { RetryingClient, type RegistryResult } from './retrying-client.ts'
import { answered } from './testing/registry.ts'

interface World {
  readonly client: RetryingClient
  readonly clock: TestClock
  /** When each was asked, from the start. */
  readonly times: number[]
  /** How each question ended, but for its beginning. */
  readonly told: unknown[]
  asked: RegistryResult
}

function world(asked: RegistryResult): World {
  const clock = new TestClock()
  const start = clock.now()
  let begun = 0
  const made: Omit<World, 'client'> = { clock, times: [], told: [], asked }
  const client = new RetryingClient({
    address: 'http://registry',
    clock,
    ask: async () => {
      expect(begun).toBe(made.told.length + 1)
      made.times.push(clock.now() - start)
      return made.asked
    },
    outage: {
      began: () => (begun += 1),
      answered: () => made.told.push('answered'),
      throttled: () => made.told.push('throttled'),
      failed: (cause, remedy) => made.told.push(remedy === undefined ? cause.words : [cause.words, remedy]),
      ended: () => made.told.push('ended'),
    },
  })
  return Object.assign(made, { client })
}

const never = new AbortController().signal

it.each([200, 204, 301, 400, 401, 403, 404, 422, 501, 600])('%i is an answer at once', async (status) => {
  const { client, times } = world(answered(status))
  expect(await client.ask('/x', never)).toMatchObject({ status })
  expect(times).toEqual([0])
})

it.each([
  [{ failed: 'the connection was refused' }, 'the connection was refused', 'the connection was refused'],
  [{ failed: 'it was closed', remedy: 'Check it.' }, 'it was closed', ['it was closed', 'Check it.']],
  [{ failed: 'it was cut', why: { words: 'connection reset' } }, 'it was cut', 'connection reset'],
  [answered(408), 'it answered 408', '408 Request Timeout'],
  [answered(429), 'it answered 429', 'throttled'],
  [answered(500, '', { words: 'secret innards' }), 'it answered 500', '500 Internal Server Error'],
  [answered(503), 'it answered 503', '503 Service Unavailable'],
])('%j is waited out, ever longer and never longer than 5 s', async (asked, reason, how) => {
  const given = world(asked)
  const { client, clock, times, told } = given
  expect(client.waitsBecause).toBeUndefined()
  const asking = client.ask('/x', never)
  await clock.pass(120_000)
  // the clock's chance is always half
  expect(times.slice(0, 9)).toEqual([0, 75, 225, 525, 1_125, 2_325, 4_725, 8_475, 12_225])
  expect(times.length).toBeGreaterThan(30)
  expect(client.waitsBecause).toBe(`the schema registry http://registry cannot be asked: ${reason}`)
  expect(told).toEqual(times.map(() => how))
  given.asked = answered(200)
  await clock.pass(5_000)
  expect(await asking).toMatchObject({ status: 200 })
  expect(client.waitsBecause).toBeUndefined()
  expect(told.at(-1)).toBe('answered')
})

it.each([
  [7_000, 7_000],
  [600_000, 60_000],
  [0, 75],
])('Retry-After of %i ms is honoured, up to a minute', async (retryAfterMs, next) => {
  const given = world(answered(429, '', { retryAfterMs }))
  const asking = given.client.ask('/x', never)
  await settle()
  given.asked = answered(200)
  await given.clock.pass(next - 1)
  expect(given.times).toEqual([0])
  // another question waits for it as well
  const other = given.client.ask('/y', never)
  await settle()
  expect(given.times).toHaveLength(retryAfterMs === 0 ? 2 : 1)
  await given.clock.pass(1)
  await Promise.all([asking, other])
  expect(given.times.at(-1)).toBe(next)
})

it('an end that is wanted ends the waiting with its reason, and nothing waits behind it', async () => {
  const { client, clock, times, told } = world({ failed: 'no' })
  const aborter = new AbortController()
  const asking = client.ask('/x', aborter.signal)
  const ended = expect(asking).rejects.toThrow('enough')
  await clock.pass(3_000)
  aborter.abort(new Error('enough'))
  await ended
  expect(client.waitsBecause).toBeUndefined()
  const count = times.length
  await clock.pass(10_000)
  expect(times).toHaveLength(count)
  expect(told).toHaveLength(count)
  await expect(client.ask('/x', aborter.signal)).rejects.toThrow('enough')
  expect(times).toHaveLength(count)
})
