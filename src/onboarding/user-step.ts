// The user: A4. And the properties of the client: A5, sent again whenever they have changed.

import { createHash } from 'node:crypto'
import { updateBody } from '../service/onboarding/onboarding-requests.ts'
import { create } from './create.ts'
import { identityOf } from './identity.ts'
import { ask } from './poll.ts'
import { safely } from './safely.ts'
import { attemptWithToken } from './sessions.ts'
import type { Got, Run } from './types.ts'

const DONE = { status: 'got', value: undefined } as const

export async function userStep(run: Run, clientId: number): Promise<Got<undefined>> {
  const { journal, plan, api, track } = run
  const { state } = journal.known.made.A4
  if (state === 'done') {
    track.skip('user', plan.user.email)
    return DONE
  }
  track.begin('user')
  if (state !== 'none') return ask(run, 'A4')
  const created = await create(run, {
    endpoint: 'A4',
    of: identityOf('A4', plan),
    request: (limit, session) => api.createUser(limit, session, clientId, plan.user),
    kept: ({ id, user_id: userId }) => ({ id, ...(typeof userId === 'number' ? { user_id: userId } : {}) }),
  })
  if (created.status === 'unknown') return ask(run, 'A4')
  if (created.status !== 'got') return created
  track.tell('done', plan.user.email)
  return DONE
}

export async function propertiesStep(run: Run, clientId: number): Promise<Got<undefined>> {
  const { journal, plan, api, track } = run
  const digest = createHash('sha256')
    .update(`${clientId} ${updateBody(plan.update)}`)
    .digest('hex')
    .slice(0, 16)
  if (journal.known.updated === digest) {
    track.skip('properties')
    return DONE
  }
  track.begin('properties')
  const got = await safely(run, 'A5', (limit) =>
    attemptWithToken(run, (limit, session) => api.setProperties(limit, session, clientId, plan.update), limit),
  )
  if (got.status !== 'got') return got
  journal.append({ event: 'updated', digest })
  track.tell('done')
  return DONE
}
