import { expect, it } from 'vitest'
import { settle, TestClock } from '../kafka/test-clock.ts'
import type { Asked } from './ask.ts'
import { PatientAsk } from './patient-ask.ts'
import { answered } from './test-registry.ts'

interface World {
  readonly asker: PatientAsk
  readonly clock: TestClock
  /** When each was asked, from the start. */
  readonly times: number[]
  readonly lines: string[]
  asked: Asked
}

function world(asked: Asked): World {
  const clock = new TestClock()
  const start = clock.now()
  const made: Omit<World, 'asker'> = { clock, times: [], lines: [], asked }
  const asker = new PatientAsk({
    address: 'http://registry',
    clock,
    ask: async () => {
      made.times.push(clock.now() - start)
      return made.asked
    },
    said: (level, message) => made.lines.push(`${level} ${message}`),
  })
  return Object.assign(made, { asker })
}

const never = new AbortController().signal

it.each([200, 204, 301, 400, 401, 403, 404, 422, 501, 600])('%i is an answer at once', async (status) => {
  const { asker, times } = world(answered(status))
  expect(await asker.ask('/x', never)).toMatchObject({ status })
  expect(times).toEqual([0])
})

it.each([
  [{ failed: 'the connection was refused' }, 'the connection was refused'],
  [{ failed: 'it was closed', remedy: 'Check it.' }, 'it was closed'],
  [answered(408), 'it answered 408'],
  [answered(429), 'it answered 429'],
  [answered(500, '', { words: 'secret innards' }), 'it answered 500'],
  [answered(503), 'it answered 503'],
])('%j is waited out, ever longer and never longer than 5 s', async (asked, reason) => {
  const given = world(asked)
  const { asker, clock, times, lines } = given
  const hint = 'remedy' in asked ? ' Check it.' : ''
  expect(asker.waitsBecause).toBeUndefined()
  const asking = asker.ask('/x', never)
  await clock.pass(120_000)
  // the clock's chance is always half
  expect(times.slice(0, 9)).toEqual([0, 75, 225, 525, 1_125, 2_325, 4_725, 8_475, 12_225])
  expect(times.length).toBeGreaterThan(30)
  expect(asker.waitsBecause).toBe(`the schema registry http://registry cannot be asked: ${reason}`)
  expect(lines).toEqual([
    `WARN The schema registry http://registry cannot be asked: ${reason}. What needs its schemas waits for it.${hint}`,
  ])
  given.asked = answered(200)
  await clock.pass(5_000)
  expect(await asking).toMatchObject({ status: 200 })
  expect(asker.waitsBecause).toBeUndefined()
  expect(lines.slice(1)).toEqual([expect.stringMatching(/^INFO .* answers again, after 12\d s\.$/)])
})

it('what is over within a second is not told', async () => {
  const given = world(answered(503))
  const asking = given.asker.ask('/x', never)
  await given.clock.pass(500)
  given.asked = answered(200)
  await given.clock.pass(500)
  await asking
  expect(given.lines).toEqual([])
})

it.each([
  [7_000, 7_000],
  [600_000, 60_000],
  [0, 75],
])('Retry-After of %i ms is honoured, up to a minute', async (retryAfterMs, next) => {
  const given = world(answered(429, '', { retryAfterMs }))
  const asking = given.asker.ask('/x', never)
  await settle()
  given.asked = answered(200)
  await given.clock.pass(next - 1)
  expect(given.times).toEqual([0])
  // another question waits for it as well
  const other = given.asker.ask('/y', never)
  await settle()
  expect(given.times).toHaveLength(retryAfterMs === 0 ? 2 : 1)
  await given.clock.pass(1)
  await Promise.all([asking, other])
  expect(given.times.at(-1)).toBe(next)
})

it('an end that is wanted ends the waiting with its reason, and nothing waits behind it', async () => {
  const { asker, clock, times, lines } = world({ failed: 'no' })
  const aborter = new AbortController()
  const asking = asker.ask('/x', aborter.signal)
  const ended = expect(asking).rejects.toThrow('enough')
  await clock.pass(3_000)
  aborter.abort(new Error('enough'))
  await ended
  expect(asker.waitsBecause).toBeUndefined()
  const count = times.length
  await clock.pass(10_000)
  expect(times).toHaveLength(count)
  expect(lines).toHaveLength(1)
  await expect(asker.ask('/x', aborter.signal)).rejects.toThrow('enough')
  expect(times).toHaveLength(count)
})
