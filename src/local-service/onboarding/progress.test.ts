import { property, assert, string, nat, constantFrom, oneof } from 'fast-check'
import { expect, it } from 'vitest'
import { hasSucceeded, isSuccess, stateAt, wordOf } from './progress.ts'

const ORDER = ['queued', 'running', 'ended']

it('goes from queued to running to ended, never back, and says since when', () => {
  const outcomes = oneof(constantFrom('completed', 'Failed', 'hangs'), string({ minLength: 1 }))
  assert(
    property(nat(), nat(9999), outcomes, nat(20_000), nat(20_000), (started, durationMs, outcome, a, b) => {
      const progress = { started, durationMs, outcome }
      const [earlier, later] = [
        stateAt(progress, started + Math.min(a, b)),
        stateAt(progress, started + Math.max(a, b)),
      ]
      expect(ORDER.indexOf(later.phase)).toBeGreaterThanOrEqual(ORDER.indexOf(earlier.phase))
      expect(later.since).toBeGreaterThanOrEqual(earlier.since)
      expect(earlier.since).toBeLessThanOrEqual(started + Math.min(a, b))
      expect(later.phase === 'ended').toBe(outcome !== 'hangs' && Math.max(a, b) >= durationMs)
    }),
  )
})

it('hangs for ever, is queued while the clock stands before its start, and takes no time when it has none', () => {
  const progress = { started: 1000, durationMs: 300, outcome: 'hangs' }
  expect(stateAt(progress, 1e15)).toEqual({ phase: 'running', since: 1100, until: Infinity })
  expect(wordOf(progress, 0)).toBe('pending')
  expect(wordOf({ ...progress, outcome: 'completed', durationMs: 0 }, 1000)).toBe('completed')
  expect(wordOf({ ...progress, outcome: 'completed', durationMs: 1e300 }, 1e15)).toBe('pending')
})

it('tells words of success from others', () => {
  for (const word of ['completed', 'Complete', 'COMPLETED', 'success', 'succeeded']) expect(isSuccess(word)).toBe(true)
  for (const word of ['Completed With Errors', 'completed with warnings', 'complete failure', 'done', 'Failed', '']) {
    expect(isSuccess(word)).toBe(false)
  }
  expect(hasSucceeded({ started: 0, durationMs: 5, outcome: 'completed' }, 4)).toBe(false)
  expect(hasSucceeded({ started: 0, durationMs: 5, outcome: 'completed' }, 5)).toBe(true)
})
