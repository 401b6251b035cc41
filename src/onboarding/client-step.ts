// The client: A2 signs up, A3 is asked until the client is there.

import { ConnectorError } from '../core/errors.ts'
import type { SignupJob } from '../service/onboarding/onboarding-answers.ts'
import { create } from './create.ts'
import { identityOf } from './identity.ts'
import { ask, follow, stateOf } from './poll.ts'
import type { Judged } from './poll.ts'
import { confirmationOf } from './questions.ts'
import type { Got, Run } from './types.ts'

/** The id of the client. */
export async function clientStep(run: Run): Promise<Got<number>> {
  const { journal, plan, api } = run
  const { made, clientId } = journal.known
  if (clientId !== undefined) {
    run.track.skip('client', `client ${clientId}`)
    return { status: 'got', value: clientId }
  }
  run.track.begin('client')
  if (made.A2.state === 'sent' || made.A2.state === 'unknown') return ask(run, 'A2')
  if (made.A2.state === 'none') {
    const created = await create(run, {
      endpoint: 'A2',
      of: identityOf('A2', plan),
      request: (limit) => api.createClient(limit, plan.client),
      kept: ({ id }) => ({ id }),
    })
    if (created.status === 'unknown') return ask(run, 'A2')
    if (created.status !== 'got') return created
  }
  return await awaitClient(run, String(journal.known.made.A2.id))
}

interface NewClient {
  readonly client_id: number
  readonly pubkey?: string
}

async function awaitClient(run: Run, signupId: string): Promise<Got<number>> {
  const polling = {
    endpoint: 'A3',
    forMs: run.plan.timing.stepMs.client,
    limit: 'timeouts.client_seconds',
    attempt: (limit: () => Parameters<typeof run.api.readSignup>[0]) => run.api.readSignup(limit(), signupId),
    judge: (job: SignupJob) => judge(job, signupId, run.scrub),
  } as const
  const over = await follow(
    run,
    'A2',
    polling,
    (word) => problem(run, signupId, word),
    (client) => client,
  )
  return over.status === 'got' ? { status: 'got', value: over.value.client_id } : over
}

function judge(job: SignupJob, signupId: string, scrub: Run['scrub']): Judged<NewClient> {
  if (typeof job.id === 'string' && job.id.toLowerCase() !== signupId.toLowerCase()) {
    throw new ConnectorError('system', `A3 was answered for another signup than ${signupId}. ${ASK}`)
  }
  const state = stateOf(job.status)
  if (state === 'running') return { state, word: job.status }
  if (state === 'failed') return { state, word: job.status, value: { client_id: 0 } }
  if (typeof job.client_id !== 'number') {
    throw new ConnectorError(
      'config',
      `A3: the signup is ${JSON.stringify(job.status)}, but \`client_id\` is missing. ${ASK}`,
    )
  }
  const pubkey = typeof job.pubkey === 'string' && scrub(job.pubkey) === job.pubkey ? { pubkey: job.pubkey } : {}
  return { state, word: job.status, value: { client_id: job.client_id, ...pubkey } }
}

const ASK =
  'Ask the operator of the service. Running the same command again asks once more; --client-id N goes on with client N.'

function problem({ journal, plan }: Run, signupId: string, word: string): string {
  return (
    `A3: the signup ${signupId} of ${JSON.stringify(plan.client.company)} ended as ${JSON.stringify(word)}. ` +
    `Ask the operator of the service why. Then run the same command again with --client-id N if the client is there all the same, ` +
    `or, if it is not and will not be, with --not-created ${confirmationOf('A2', journal.known.made.A2)} to sign up anew.`
  )
}
