// The job of the connection test in the list of A9 (decisions.md#a9-ends-with-the-job-type). A job just queued has no id yet.

import type { JobAnswer } from '../service/onboarding/onboarding-answers.ts'
import { TEST_JOB_TYPE } from '../service/onboarding/onboarding-requests.ts'

/** Finds the job by its id, or while that is not known, as the newest test that is not in `seen`. `undefined` when it is not
 *  listed. */
export function testJob(
  jobs: readonly JobAnswer[],
  id: number | undefined,
  seen: readonly number[],
): JobAnswer | undefined {
  if (id !== undefined) return jobs.find((job) => job.id === id)
  return newTests(jobs, seen).toSorted((a, b) => (b.id ?? -1) - (a.id ?? -1))[0]
}

/** Tests that are not in `seen`, in the order of the list: newest first. */
export function newTests(jobs: readonly JobAnswer[], seen: readonly number[]): JobAnswer[] {
  return jobs.filter(({ id, type }) => {
    const isTest = type?.id === undefined || type.id === null || type.id === TEST_JOB_TYPE
    return isTest && !(typeof id === 'number' && seen.includes(id))
  })
}
