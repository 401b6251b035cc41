// Which of the jobs A9 lists is our connection test. Pure.

import type { JobAnswer } from '../../service/onboarding/onboarding-answers.ts'
import { TEST_JOB_TYPE } from '../../service/onboarding/onboarding-requests.ts'

/** By its id; while that is not known (a job just queued has none), the newest test that is not one of `seen`.
 *  undefined: not listed. */
export function testJob(
  jobs: readonly JobAnswer[],
  id: number | undefined,
  seen: readonly number[],
): JobAnswer | undefined {
  if (id !== undefined) return jobs.find((job) => job.id === id)
  return newTests(jobs, seen).reduce<JobAnswer | undefined>(newer, undefined)
}

/** Tests that are not one of `seen`, in the order of the list: newest first (assumptions 37). */
export function newTests(jobs: readonly JobAnswer[], seen: readonly number[]): JobAnswer[] {
  return jobs.filter(({ id, type }) => {
    const isTest = type?.id === undefined || type.id === null || type.id === TEST_JOB_TYPE
    return isTest && !(typeof id === 'number' && seen.includes(id))
  })
}

function newer(best: JobAnswer | undefined, job: JobAnswer): JobAnswer {
  if (best === undefined) return job
  return (job.id ?? -1) > (best.id ?? -1) ? job : best
}
