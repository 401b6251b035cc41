// The step for the dashboards: A10 starts a job that creates them, and A11 is polled until that is done.

import type { DashboardsJob } from '../service/onboarding/onboarding-answers.ts'
import { createOnce } from './create.ts'
import { failure } from './failures.ts'
import { follow, stateOf, type Judged } from './poll.ts'
import { confirmationOf } from './halt.ts'
import { withToken } from './sessions.ts'
import type { Run } from './types.ts'

/** Has the dashboards created, unless an earlier run has, and waits until they are. */
export async function dashboardsStep(run: Run, clientId: number, connectionId: number): Promise<void> {
  const { journal, plan, api, steps } = run
  const { userId } = journal.known
  const { A10: earlier } = journal.known.made
  if (earlier.state === 'done') {
    steps.skip('dashboards', String(earlier.id))
    return
  }
  steps.begin('dashboards')
  await createOnce(run, 'A10', (limit, session) => {
    // decisions.md#user-ids-come-from-the-answers-first
    const owner = userId ?? plan.dashboards.userId ?? session.userId
    return api.createDashboards(limit, session, clientId, connectionId, plan.dashboards, owner)
  })
  const { A10: dashboards } = journal.known.made
  const id = String(dashboards.id)
  await follow(run, 'A10', {
    attempt: withToken(run, (limit, session) => api.readDashboards(limit, session, clientId, id)),
    judge: (job: DashboardsJob) => judge(job, id),
    problem: (word) => failedJob(run, id, word),
  })
}

/** Judges an answer of A11. Throws a ConnectorError when it is another job's. */
function judge(job: DashboardsJob, id: string): Judged {
  if (typeof job.job_id === 'string' && job.job_id.toLowerCase() !== id.toLowerCase()) {
    throw failure(
      'system',
      `A11 was answered for another job than ${id}. Ask the operator of the service; running the same command again asks once more.`,
    )
  }
  return { state: stateOf(job.status), word: job.status }
}

function failedJob({ journal, plan }: Run, id: string, word: string): string {
  const { A10: dashboards } = journal.known.made
  return (
    `A11: the job ${id} for the dashboards ${JSON.stringify(plan.dashboards.package)} ended as ${JSON.stringify(word)}. ` +
    `Check dashboards.package, dashboards.database and dashboards.table_prefix, and look at what is there in the product. Then run the ` +
    `same command again with --not-created ${confirmationOf('A10', dashboards)} to start another.`
  )
}
