// Jobs of an onboarding that fail, hang, or end in words of their own; tokens that expire meanwhile.

import { describe, expect, it } from 'vitest'
import type { JobKind } from '../../src/local-service/onboarding/plans.ts'
import { ALL_AT_ONCE, ONE_OF_EACH, onboarding } from './driver.ts'

const KINDS: readonly (readonly [JobKind, string, string])[] = [
  ['signup', 'A3', 'A2'],
  ['connection', 'A7', 'A6'],
  ['connectionTest', 'A9', 'A8'],
  ['dashboards', 'A11', 'A10'],
]

describe.concurrent.each(KINDS)('the job %s', (kind, asked, made) => {
  it.each(['Failed', 'Completed With Errors', 'CANCELLED', 'rejected by hand', 'expired'])(
    'ends as %s',
    async (outcome) => {
      await using it = await onboarding({
        onboarding: { plans: { ...ALL_AT_ONCE, [kind]: { durationMs: 0, outcome } } },
      })
      const failed = await it.run()
      expect(failed.code).toBe(1)
      expect(failed.stderr).toMatch(new RegExp(`^onboard: ${asked}: .*"${outcome}"`))
      expect(it.result()).toBeUndefined()
      const before = it.made()

      // asked again, nothing is made but another test
      it.service.onboarding.plan(ALL_AT_ONCE)
      const again = await it.run()
      expect(it.made()).toEqual(kind === 'connectionTest' ? ONE_OF_EACH : before)
      expect(again.code, again.stderr).toBe(kind === 'connectionTest' ? 0 : 1)
      if (kind !== 'signup' && kind !== 'dashboards') return

      expect(failed.stderr).toContain(`--not-created ${made}`)
      const anew = await it.run({ 'not-created': [made] })
      expect(anew.code, anew.stderr).toBe(0)
      // the answer of yesterday is not one to a question of today
      const repeated = await it.run({ 'not-created': [made] })
      expect(repeated.code).toBe(0)
      expect(it.made()[kind === 'signup' ? 'signups' : 'dashboards']).toBe(2)
    },
  )

  it('hangs, and is waited for by the next run', async () => {
    let asks = 0
    await using it = await onboarding({
      onboarding: {
        plans: { ...ALL_AT_ONCE, [kind]: { durationMs: 0, outcome: 'hangs' } },
        onCall({ endpoint }) {
          if (endpoint === asked && ++asks === 3) it.passTime()
        },
      },
    })
    const hung = await it.run()
    expect(hung.code).toBe(1)
    expect(hung.stderr).toMatch(new RegExp(`^onboard: ${asked} .*not done in time.*[Rr]unning.*timeouts\\.`))
    it.service.onboarding.plan(ALL_AT_ONCE)
    const next = await it.run()
    expect(next.code, next.stderr).toBe(0)
    expect(it.made()).toEqual(ONE_OF_EACH)
  })
})

it('takes a connection that is listed without a state for done, and says so', async () => {
  await using it = await onboarding({ onboarding: { plans: { ...ALL_AT_ONCE, connectionStatus: 'none' } } })
  const { code, stdout } = await it.run()
  expect(code).toBe(0)
  expect(stdout).toContain('says nothing about their states')
})

it('ends when the total time is over', async () => {
  const hangs = { durationMs: 0, outcome: 'hangs' }
  await using it = await onboarding({
    onboarding: { plans: { ...ALL_AT_ONCE, signup: hangs } },
    config: { timeouts: { total_seconds: 0.2 } },
  })
  const { code, stderr } = await it.run()
  expect(code).toBe(1)
  expect(stderr).toContain('timeouts.total_seconds')
})

describe.concurrent('a token', () => {
  it.each(['A4', 'A5', 'A6', 'A7', 'A8', 'A9', 'A10', 'A11'])(
    'that is not taken any more at %s is renewed once',
    async (at) => {
      let now = Date.now()
      let expired = false
      const calls: string[] = []
      await using it = await onboarding({
        now: () => now,
        onboarding: {
          onCall({ endpoint }) {
            calls.push(endpoint)
            if (endpoint === at && !expired) {
              now += 14_400_000
              expired = true
            }
          },
        },
      })
      const { code, stderr } = await it.run()
      expect(code, stderr).toBe(0)
      expect(calls.filter((call) => call === 'A1')).toHaveLength(2)
      expect(it.made()).toEqual(ONE_OF_EACH)
      expect(it.tokens.size).toBe(2)
    },
  )
})
