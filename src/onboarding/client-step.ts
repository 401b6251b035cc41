// The steps for the client, its user and its properties: A2 signs the client up and A3 is polled until it exists; A4 creates the user; A5
// sets the properties, and is sent again in a later run if they have changed.

import { createHash } from 'node:crypto'
import type { SignupJob } from '../service/onboarding/onboarding-answers.ts'
import { updateBody } from '../service/onboarding/onboarding-requests.ts'
import { createOnce } from './create.ts'
import { failure } from './failures.ts'
import { follow, stateOf, type Judged } from './poll.ts'
import { confirmationOf } from './halt.ts'
import { requestUntilAnswered } from './retry.ts'
import { withToken } from './sessions.ts'
import type { Run } from './types.ts'

/** Signs the client up, unless an earlier run has or the user named one, and waits until it exists. @returns its id */
export async function clientStep(run: Run): Promise<number> {
  const { journal, plan, api, steps } = run
  const { clientId } = journal.known
  if (clientId !== undefined) {
    steps.skip('client', `client ${clientId}`)
    return clientId
  }
  steps.begin('client')
  await createOnce(run, 'A2', (limit) => api.createClient(limit, plan.client))
  const { A2: signup } = journal.known.made
  const signupId = String(signup.id)
  const { learnt } = await follow(run, 'A2', {
    attempt: (limit) => api.readSignup(limit(), signupId),
    judge: (job: SignupJob) => judge(job, signupId, run.scrub),
    problem: (word) => failedSignup(run, signupId, word),
  })
  // `judge` gives `learnt` for every signup that is done
  return learnt!.client_id
}

const ASK_OPERATOR =
  'Ask the operator of the service. Running the same command again asks once more; --client-id N continues with client N.'

/** Judges an answer of A3. Throws a ConnectorError when it is another signup's, or has no client id although it is done. */
function judge(job: SignupJob, signupId: string, scrub: Run['scrub']): Judged {
  if (typeof job.id === 'string' && job.id.toLowerCase() !== signupId.toLowerCase()) {
    throw failure('system', `A3 was answered for another signup than ${signupId}. ${ASK_OPERATOR}`)
  }
  const state = stateOf(job.status)
  if (state !== 'done') return { state, word: job.status }
  if (typeof job.client_id !== 'number') {
    throw failure(
      'config',
      `A3: the signup is ${JSON.stringify(scrub(job.status))}, but \`client_id\` is missing. ${ASK_OPERATOR}`,
    )
  }
  // a key that holds a secret is left out, as the journal may not hold one
  const pubkey = typeof job.pubkey === 'string' && scrub(job.pubkey) === job.pubkey ? { pubkey: job.pubkey } : {}
  return { state, word: job.status, learnt: { client_id: job.client_id, ...pubkey } }
}

function failedSignup({ journal, plan }: Run, signupId: string, word: string): string {
  const { A2: signup } = journal.known.made
  return (
    `A3: the signup ${signupId} of ${JSON.stringify(plan.client.company)} ended as ${JSON.stringify(word)}. ` +
    `Ask the operator of the service why. Then run the same command again with --client-id N if the client exists anyway, ` +
    `or, if it does not and will not, with --not-created ${confirmationOf('A2', signup)} to sign up again.`
  )
}

/** Creates the user, unless an earlier run has. There is no job to wait for. */
export async function userStep(run: Run, clientId: number): Promise<void> {
  const { journal, plan, api, steps } = run
  const { email } = plan.user
  const { A4: user } = journal.known.made
  if (user.state === 'done') {
    steps.skip('user', email)
    return
  }
  steps.begin('user')
  await createOnce(run, 'A4', (limit, session) => api.createUser(limit, session, clientId, plan.user))
  steps.report('done', email)
}

/** Sets the properties, unless the last ones that were set were the same: the journal has a digest of these and the client. */
export async function propertiesStep(run: Run, clientId: number): Promise<void> {
  const { journal, plan, api, steps } = run
  const digest = createHash('sha256')
    .update(`${clientId} ${updateBody(plan.update)}`)
    .digest('hex')
    .slice(0, 16)
  if (journal.known.updated === digest) {
    steps.skip('properties')
    return
  }
  steps.begin('properties')
  const request = withToken(run, (limit, session) => api.setProperties(limit, session, clientId, plan.update))
  await requestUntilAnswered(run, 'A5', request)
  journal.append({ event: 'updated', digest })
  steps.report('done')
}
