// The connection test: A8 starts it, A9 is asked until it is over. One that failed is started anew by the next run: it makes
// nothing that stays.

import { TEST_JOB_TYPE } from '../service/onboarding/onboarding-requests.ts'
import { create } from './create.ts'
import { identityOf } from './identity.ts'
import { ask, follow, stateOf } from './poll.ts'
import type { Judged } from './poll.ts'
import { confirmationOf } from './questions.ts'
import { pollPause, safely } from './safely.ts'
import { attemptWithToken } from './sessions.ts'
import type { Got, Halt, Run } from './types.ts'
import type { JobAnswer } from '../service/onboarding/onboarding-answers.ts'

const LOOKS = 3

export async function testStep(run: Run, clientId: number, connectionId: number): Promise<Got<unknown>> {
  const { journal, track } = run
  const { state, id } = journal.known.made.A8
  if (state === 'done') {
    track.skip('test', id === undefined ? undefined : `job ${id}`)
    return { status: 'got', value: undefined }
  }
  track.begin('test')
  if (state === 'sent' || state === 'unknown') {
    const halt = await adopt(run, clientId)
    if (halt !== undefined) return halt
  }
  if (state === 'none' || state === 'failed') {
    const started = await start(run, clientId, connectionId)
    if (started.status !== 'got') return started
  }
  return await awaitTest(run, clientId)
}

async function start(run: Run, clientId: number, connectionId: number): Promise<Got<unknown>> {
  const { plan, api, journal } = run
  const before = await testsBefore(run, clientId)
  if (before.status !== 'got') return before
  const created = await create(run, {
    endpoint: 'A8',
    of: identityOf('A8', plan),
    seen: before.value,
    request: (limit, session) => api.startTest(limit, session, clientId, connectionId, plan.test),
    kept: ({ id }) => ({ id }),
  })
  if (created.status !== 'unknown') return created
  return (await adopt(run, clientId)) ?? { status: 'got', value: journal.known.made.A8.id }
}

/** Of a client that was not made here: its tests must not be taken for ours. */
async function testsBefore(run: Run, clientId: number): Promise<Got<number[]>> {
  if (!run.journal.known.made.A2.adopted) return { status: 'got', value: [] }
  const listed = await list(run, clientId)
  if (listed.status !== 'got') return listed
  return { status: 'got', value: listed.value.flatMap(({ id }) => (typeof id === 'number' ? [id] : [])) }
}

/** Enters the one test that can be ours into the journal; undefined: done. The list may lag behind. */
async function adopt(run: Run, clientId: number): Promise<Halt | undefined> {
  const { journal, track, plan, clock, signal } = run
  for (let look = 1; ; look++) {
    const listed = await list(run, clientId)
    if (listed.status !== 'got') return listed
    const [test, ...more] = newTests(listed.value, journal.known.made.A8.seen)
    if (more.length > 0) return ask(run, 'A8', `The list of jobs shows ${more.length + 1} that could be it.`)
    if (test !== undefined) {
      const { id } = test
      if (typeof id !== 'number') journal.append({ event: 'answered', endpoint: 'A8', id: null })
      else journal.append({ event: 'adopted', endpoint: 'A8', id, of: identityOf('A8', plan) })
      track.note('The connection test is under way already, by the list of jobs.')
      return undefined
    }
    if (look >= LOOKS || clock.now() >= run.deadline) {
      return ask(run, 'A8', 'The list of jobs shows none that could be it.')
    }
    await clock.wait(pollPause(run, look), signal)
    if (signal.aborted) return { status: 'stopped' }
  }
}

async function list(run: Run, clientId: number): Promise<Got<JobAnswer[]>> {
  return await safely(run, 'A9', (limit) =>
    attemptWithToken(run, (limit, session) => run.api.listTests(limit, session, clientId, run.plan.test), limit),
  )
}

async function awaitTest(run: Run, clientId: number): Promise<Got<unknown>> {
  const { plan, api } = run
  const polling = {
    endpoint: 'A9',
    forMs: plan.timing.stepMs.test,
    limit: 'timeouts.test_seconds',
    attempt: (limit: Parameters<typeof attemptWithToken>[2]) =>
      attemptWithToken(run, (limit, session) => api.listTests(limit, session, clientId, plan.test), limit),
    judge: (jobs: JobAnswer[]) => judge(run, jobs),
  } as const
  return await follow(run, 'A8', polling, (word) => problem(run, word))
}

function judge({ journal }: Run, jobs: readonly JobAnswer[]): Judged<undefined> {
  const { id, seen } = journal.known.made.A8
  const job = testJob(jobs, typeof id === 'number' ? id : undefined, seen)
  if (job === undefined) return { state: 'running', word: 'not listed' }
  // from now on it is this one, whatever is listed later
  if (id === undefined && typeof job.id === 'number') journal.append({ event: 'answered', endpoint: 'A8', id: job.id })
  const state = stateOf(job.status)
  return state === 'running' ? { state, word: job.status } : { state, word: job.status, value: undefined }
}

function problem({ journal, plan }: Run, word: string): string {
  const { id } = journal.known.made.A8
  return (
    `A9: the connection test${id === undefined ? '' : ` ${id}`} of ${JSON.stringify(plan.connection.name)} ended as ${JSON.stringify(word)}. ` +
    `Check that the service reaches the database, and correct host, port, user and password of the connection in the product; then run ` +
    `the same command again, which starts another test. Or delete the connection there, correct the config, and run again with ` +
    `--not-created ${confirmationOf('A6', journal.known.made.A6)}.`
  )
}

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

/** Tests that are not one of `seen`, in the order of the list: newest first
 *  (decisions.md#a9-ends-with-the-job-type). */
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
