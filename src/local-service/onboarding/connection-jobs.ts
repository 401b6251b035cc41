// Answers endpoints A8 to A11, for the two kinds of jobs that run on a connection: A8 starts a test and A9 lists tests, A10 starts the
// creation of dashboards and A11 tells its state (service-interface.md#a8-start-the-test and what follows it).

import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { json, refusal, timestamp } from '../answers.ts'
import { mustBe } from '../json-body.ts'
import { callerByCookies, onClient } from './call.ts'
import { connectionOf } from './connections.ts'
import { startedAt } from './plans.ts'
import { isSuccess, runsFrom, stateAt, wordOf, type Phase } from './progress.ts'
import { headerFaults, digits, filledText, members, readForm, readJson, text, wholeNumber } from './read-json.ts'
import type { Job } from './records.ts'

/** The service's name and number for the type of a test. */
const TEST_TYPE = { name: 'Connection Test', id: 27 } as const
const QUEUED = { name: 'Queued', id: 1 } as const

const TEST_FORM = members({
  jobType: z.literal('27', mustBe('27')),
  'workload[connectionId]': digits,
  'workload[syncAndSample]': z.literal('1', mustBe('1')),
})

/** Answers A8, which starts a test. The answer says that it is queued, whatever plan it has. */
export const startTest = onClient(
  {
    identify: callerByCookies,
    faults: ({ headers }) => headerFaults(headers, ['accept', 'referer']),
    read: (call) => readForm(call, TEST_FORM),
  },
  ({ id: clientId }, form, onboarding) => {
    const connection = connectionOf(form['workload[connectionId]'], clientId, onboarding)
    if (connection === undefined) return refusal(404, ['workload[connectionId] is not a connection of that client'])
    const progress = startedAt(onboarding.now(), onboarding.plans.connectionTest)
    const job = { id: onboarding.ids.next(), clientId, connectionId: connection.id, progress }
    onboarding.records.keep(['job', job.id, job])
    return json(201, { id: null, status: QUEUED, type: TEST_TYPE, start: null, end: null })
  },
)

/** Answers A9 with the client's tests, newest first, whatever job type the path ends with (decisions.md#a9-ends-with-the-job-type). */
export const listJobs = onClient(
  { identify: callerByCookies, faults: ({ headers }) => headerFaults(headers, ['accept']) },
  ({ id: clientId }, _body, { records, now }) => {
    const jobs = records.all('job').filter((it) => it.clientId === clientId)
    const newestFirst = jobs.toReversed().map((job) => listedJob(job, now()))
    return json(200, newestFirst)
  },
)

function listedJob({ id, progress }: Job, now: number): object {
  const { phase, since } = stateAt(progress, now)
  return {
    id: phase === 'queued' ? null : id,
    status: statusOf(phase, progress.outcome),
    type: TEST_TYPE,
    start: phase === 'queued' ? null : timestamp(runsFrom(progress)),
    end: phase === 'ended' ? timestamp(since) : null,
  }
}

/** The service's name and number for the state of a test. */
function statusOf(phase: Phase, outcome: string): { readonly name: string; readonly id: number } {
  if (phase === 'queued') return QUEUED
  if (phase === 'running') return { name: 'Running', id: 2 }
  return { name: outcome === 'completed' ? 'Completed' : outcome, id: isSuccess(outcome) ? 3 : 4 }
}

const DASHBOARDS = members({
  connections: members({ db: members({ connection_id: wholeNumber, database: text, table_prefix: text }) }),
  package: filledText,
  // may be left out (decisions.md#user-ids-come-from-the-answers-first)
  user_id: wholeNumber.optional(),
})

/** Answers A10, which starts the creation of dashboards. The same body twice makes two jobs. */
export const createDashboards = onClient(
  { read: (call) => readJson(call, DASHBOARDS) },
  ({ id: clientId }, { connections }, onboarding) => {
    const connection = connectionOf(connections.db.connection_id, clientId, onboarding)
    if (connection === undefined) {
      return refusal(404, ['connections.db.connection_id is not a connection of that client'])
    }
    const id = randomUUID()
    const progress = startedAt(onboarding.now(), onboarding.plans.dashboards)
    onboarding.records.keep(['dashboards', id, { id, clientId, connectionId: connection.id, progress }])
    return json(201, { id })
  },
)

/** Answers A11 with the state of a dashboard creation job. */
export const readDashboards = onClient(
  { faults: ({ headers }) => headerFaults(headers, ['content-type']) },
  ({ id: clientId }, _body, { records, now }, { id }) => {
    const job = records.get('dashboards', id ?? '')
    if (job?.clientId !== clientId) return refusal(404, ['that client has no dashboard creation job of that id'])
    return json(200, { status: wordOf(job.progress, now()), job_id: job.id })
  },
)
