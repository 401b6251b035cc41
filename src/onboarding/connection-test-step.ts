// The step that tests the connection: A8 starts a test, and A9, which lists jobs, is polled until it ends. After a failure the next run
// starts another, as a test leaves nothing behind. A queued test is listed without an id (decisions.md#a9-ends-with-the-job-type).

import type { JobAnswer } from '../service/onboarding/onboarding-answers.ts'
import { TEST_JOB_TYPE } from '../service/onboarding/onboarding-requests.ts'
import { create } from './create.ts'
import { isOpen, type MadeThing } from './journal-entries.ts'
import { findOrAsk, type LookUp } from './look-up.ts'
import { follow, stateOf, type Judged } from './poll.ts'
import { confirmationOf } from './halt.ts'
import { requestUntilAnswered } from './retry.ts'
import { withToken, type CallAttempt } from './sessions.ts'
import type { Run } from './types.ts'

/** Has the connection tested, unless an earlier run has with success, and waits until the test has succeeded. */
export async function testStep(run: Run, clientId: number, connectionId: number): Promise<void> {
  const { steps, plan, api } = run
  const { state, id } = lastTest(run)
  if (state === 'done') {
    steps.skip('test', id === undefined ? undefined : `job ${id}`)
    return
  }
  steps.begin('test')
  const list = withToken(run, (limit, session) => api.listTests(limit, session, clientId, plan.test))
  if (isOpen(state)) await findOrAsk(run, lookUpNew(run, list))
  if (state === 'none' || state === 'failed') {
    const seen = await testsBefore(run, list)
    const isRecorded = await create(
      run,
      'A8',
      (limit, session) => api.startTest(limit, session, clientId, connectionId, plan.test),
      seen,
    )
    if (!isRecorded) await findOrAsk(run, lookUpNew(run, list))
  }
  await follow(run, 'A8', {
    attempt: list,
    judge: (jobs) => judge(run, jobs),
    problem: (word) => failedTest(run, word),
  })
}

/** The journal's knowledge of the test that was started last. */
function lastTest({ journal }: Run): MadeThing {
  return journal.known.made.A8
}

type List = CallAttempt<JobAnswer[]>

/** Ids of older tests, which must not be taken for the one to be started. A client that this onboarding created has none. */
async function testsBefore(run: Run, list: List): Promise<number[]> {
  const { A2: client } = run.journal.known.made
  if (!client.adopted) return []
  const listed = await requestUntilAnswered(run, 'A9', list)
  return listed.flatMap(({ id }) => (typeof id === 'number' ? [id] : []))
}

function lookUpNew(run: Run, list: List): LookUp<JobAnswer[]> {
  return {
    creating: 'A8',
    list,
    candidates: (listed) => newTests(listed, lastTest(run).seen).map(({ id }) => id ?? null),
    words: {
      several: (ids) => `The list of jobs shows ${ids.length} that could be it.`,
      none: 'The list of jobs shows none that could be it.',
      found: () => 'The connection test is under way already, by the list of jobs.',
    },
  }
}

/** Judges an answer of A9. Writes the id of the test to the journal when it is listed with one for the first time. */
function judge(run: Run, jobs: readonly JobAnswer[]): Judged {
  const { id, seen } = lastTest(run)
  const job = testJob(jobs, typeof id === 'number' ? id : undefined, seen)
  if (job === undefined) return { state: 'running', word: 'not listed' }
  if (id === undefined && typeof job.id === 'number')
    run.journal.append({ event: 'answered', endpoint: 'A8', id: job.id })
  return { state: stateOf(job.status), word: job.status }
}

function failedTest(run: Run, word: string): string {
  const { id } = lastTest(run)
  const { A6: connection } = run.journal.known.made
  return (
    `A9: the connection test${id === undefined ? '' : ` ${id}`} of ${JSON.stringify(run.plan.connection.name)} ended as ${JSON.stringify(word)}. ` +
    `Check that the service reaches the database, and correct host, port, user and password of the connection in the product; then run ` +
    `the same command again, which starts another test. Or delete the connection there, correct the config, and run again with ` +
    `--not-created ${confirmationOf('A6', connection)}.`
  )
}

/** Finds a test by its id or, while that is not known, the newest not in `seen`, one without an id last. `undefined` when there is none. */
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
