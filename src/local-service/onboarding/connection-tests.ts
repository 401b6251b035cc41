// Endpoints A8 and A9: connection tests of a client (service-interface.md#a8-start-the-test,
// service-interface.md#a9-poll-the-test).

import { json, refusal, timestamp } from '../answers.ts'
import type { Answer } from '../types.ts'
import { headerFaults, onClient } from './call.ts'
import type { Call } from './call.ts'
import { connectionOf } from './connections.ts'
import { callerByCookies } from './identify.ts'
import type { Onboarding } from './onboarding.ts'
import { startedAt } from './plans.ts'
import { isSuccess, runsFrom, stateAt } from './progress.ts'
import type { Phase } from './progress.ts'
import { readForm } from './read-form.ts'
import type { Job } from './records.ts'

const TYPE = { name: 'Connection Test', id: 27 } as const
const QUEUED = { name: 'Queued', id: 1 } as const

const FORM = { jobType: TYPE.id, 'workload[connectionId]': 'whole', 'workload[syncAndSample]': 1 } as const

/** A8. What it answers is queued, whatever comes of it. */
export function startTest(call: Call, onboarding: Onboarding): Answer {
  return onClient(
    call,
    onboarding,
    ({ id: clientId }) => {
      const faults = headerFaults(call.headers, ['accept', 'referer'])
      if (faults.length > 0) return refusal(400, faults)
      const read = readForm<keyof typeof FORM>(call, FORM)
      if ('refused' in read) return read.refused
      const connection = connectionOf(read.value['workload[connectionId]'], clientId, onboarding)
      if (connection === undefined) return refusal(404, ['workload[connectionId] is no connection of that client'])
      const progress = startedAt(onboarding.now(), onboarding.plans.connectionTest)
      const job = { id: onboarding.ids.next(), clientId, connectionId: connection.id, progress }
      onboarding.records.keep(['job', job.id, job])
      return json(201, { id: null, status: QUEUED, type: TYPE, start: null, end: null })
    },
    callerByCookies,
  )
}

/** A9. Newest first; for a number that is no job's type, all of them (decisions.md#a9-ends-with-the-job-type): there
 *  are jobs of one type only. */
export function listJobs(call: Call, onboarding: Onboarding): Answer {
  return onClient(
    call,
    onboarding,
    ({ id: clientId }) => {
      const faults = headerFaults(call.headers, ['accept'])
      if (faults.length > 0) return refusal(400, faults)
      const jobs = onboarding.records.all('job').filter((it) => it.clientId === clientId)
      return json(
        200,
        jobs.toReversed().map((it) => listedJob(it, onboarding.now())),
      )
    },
    callerByCookies,
  )
}

function listedJob({ id, progress }: Job, now: number): object {
  const { phase, since } = stateAt(progress, now)
  return {
    id: phase === 'queued' ? null : id,
    status: statusOf(phase, progress.outcome),
    type: TYPE,
    start: phase === 'queued' ? null : timestamp(runsFrom(progress)),
    end: phase === 'ended' ? timestamp(since) : null,
  }
}

function statusOf(phase: Phase, outcome: string): { readonly name: string; readonly id: number } {
  if (phase === 'queued') return QUEUED
  if (phase === 'running') return { name: 'Running', id: 2 }
  return { name: outcome === 'completed' ? 'Completed' : outcome, id: isSuccess(outcome) ? 3 : 4 }
}
