// The dashboards: A10 starts their making, A11 is asked until they are there.

import { ConnectorError } from '../core/errors.ts'
import type { DashboardsJob } from '../service/onboarding/onboarding-answers.ts'
import { create } from './create.ts'
import { identityOf } from './identity.ts'
import { ask, follow, stateOf } from './poll.ts'
import type { Judged } from './poll.ts'
import { confirmationOf } from './questions.ts'
import { attemptWithToken } from './sessions.ts'
import type { Got, Run } from './types.ts'

export async function dashboardsStep(run: Run, clientId: number, connectionId: number): Promise<Got<unknown>> {
  const { journal, plan, api, track } = run
  const { made, userId } = journal.known
  const { state } = made.A10
  if (state === 'done') {
    track.skip('dashboards', String(made.A10.id))
    return { status: 'got', value: undefined }
  }
  track.begin('dashboards')
  if (state === 'sent' || state === 'unknown') return ask(run, 'A10')
  if (state === 'none') {
    const created = await create(run, {
      endpoint: 'A10',
      of: identityOf('A10', plan),
      request: (limit, session) => {
        const owner = userId ?? plan.dashboards.userId ?? session.userId
        return api.createDashboards(limit, session, clientId, connectionId, plan.dashboards, owner)
      },
      kept: ({ id }) => ({ id }),
    })
    if (created.status === 'unknown') return ask(run, 'A10')
    if (created.status !== 'got') return created
  }
  return await awaitDashboards(run, clientId, String(journal.known.made.A10.id))
}

async function awaitDashboards(run: Run, clientId: number, id: string): Promise<Got<unknown>> {
  const { plan, api } = run
  const polling = {
    endpoint: 'A11',
    forMs: plan.timing.stepMs.dashboards,
    limit: 'timeouts.dashboards_seconds',
    attempt: (limit: Parameters<typeof attemptWithToken>[2]) =>
      attemptWithToken(run, (limit, session) => api.readDashboards(limit, session, clientId, id), limit),
    judge: (job: DashboardsJob) => judge(job, id),
  } as const
  return await follow(run, 'A10', polling, (word) => problem(run, id, word))
}

function judge(job: DashboardsJob, id: string): Judged<undefined> {
  if (typeof job.job_id === 'string' && job.job_id.toLowerCase() !== id.toLowerCase()) {
    throw new ConnectorError(
      'system',
      `A11 was answered for another job than ${id}. Ask the operator of the service; running the same command again asks once more.`,
    )
  }
  const state = stateOf(job.status)
  return state === 'running' ? { state, word: job.status } : { state, word: job.status, value: undefined }
}

function problem({ journal, plan }: Run, id: string, word: string): string {
  return (
    `A11: the job ${id} for the dashboards ${JSON.stringify(plan.dashboards.package)} ended as ${JSON.stringify(word)}. ` +
    `Check dashboards.package, dashboards.database and dashboards.table_prefix, and look at what is there in the product. Then run the ` +
    `same command again with --not-created ${confirmationOf('A10', journal.known.made.A10)} to start another.`
  )
}
