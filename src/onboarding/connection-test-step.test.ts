import { expect, it } from 'vitest'
import { newTests, testJob } from './connection-test-step.ts'
import type { JobAnswer } from '../service/onboarding/onboarding-answers.ts'

const job = (id: number | null, type: number | null = 27): JobAnswer => ({ id, status: 'Queued', type: { id: type } })

it('is found by its id', () => {
  expect(testJob([job(9), job(5)], 5, [])?.id).toBe(5)
  expect(testJob([job(9), job(null)], 5, [])).toBeUndefined()
})

it('is the newest test that was not there before, while its id is not known', () => {
  expect(testJob([job(3), job(9), job(7)], undefined, [9])?.id).toBe(7)
  expect(testJob([job(null), job(null)], undefined, [])?.id).toBeNull()
  expect(testJob([job(9), job(8)], undefined, [9, 8])).toBeUndefined()
})

it('is of the type of connection tests, where a type is named', () => {
  const untyped: JobAnswer = { id: 1, status: 'Queued' }
  expect(newTests([job(9, 12), job(8), untyped, job(7, null)], []).map(({ id }) => id)).toEqual([8, 1, 7])
})
