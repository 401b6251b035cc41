import { expect, it } from 'vitest'
import { stateOf } from './poll.ts'

it.each([
  ['completed', 'done'],
  ['COMPLETE', 'done'],
  [' Completed ', 'done'],
  ['success', 'done'],
  ['Succeeded', 'done'],
  ['completed (2 of 2)', 'done'],
  ['Completed With Errors', 'failed'],
  ['completed, one failed', 'failed'],
  ['Failed', 'failed'],
  ['error', 'failed'],
  ['Cancelled', 'failed'],
  ['canceling', 'failed'],
  ['REJECTED', 'failed'],
  ['expired', 'failed'],
  ['success with errors', 'failed'],
  ['completed with warnings', 'running'],
  ['successful', 'running'],
  ['incomplete', 'running'],
  ['not completed', 'running'],
  ['Queued', 'running'],
  ['done', 'running'],
  ['', 'running'],
])('%j is %s', (word, state) => {
  expect(stateOf(word)).toBe(state)
})
