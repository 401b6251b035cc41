// Endpoints A10 and A11: dashboards from a template (service-interface.md#a10-make-dashboards,
// service-interface.md#a11-poll-the-dashboards).

import { json, refusal } from '../answers.ts'
import type { Answer } from '../types.ts'
import { headerFaults, onClient } from './call.ts'
import type { Call } from './call.ts'
import { connectionOf } from './connections.ts'
import type { Onboarding } from './onboarding.ts'
import { startedAt } from './plans.ts'
import { wordOf } from './progress.ts'
import { uuid } from './random-texts.ts'
import { filledText, members, readJson, text, wholeNumber } from './read-json.ts'

const BODY = members({
  connections: members({ db: members({ connection_id: wholeNumber, database: text, table_prefix: text }) }),
  package: filledText,
  // Not insisted on (decisions.md#user-ids-come-from-the-answers-first).
  user_id: wholeNumber.optional(),
})

/** A10. The same body twice makes two. */
export function createDashboards(call: Call, onboarding: Onboarding): Answer {
  return onClient(call, onboarding, ({ id: clientId }) => {
    const read = readJson(call, BODY)
    if ('refused' in read) return read.refused
    const connection = connectionOf(read.value.connections.db.connection_id, clientId, onboarding)
    if (connection === undefined) {
      return refusal(404, ['connections.db.connection_id is no connection of that client'])
    }
    const id = uuid(onboarding.random)
    const progress = startedAt(onboarding.now(), onboarding.plans.dashboards)
    onboarding.records.keep(['dashboards', id, { id, clientId, connectionId: connection.id, progress }])
    return json(201, { id })
  })
}

/** A11. */
export function readDashboards(call: Call, onboarding: Onboarding): Answer {
  return onClient(call, onboarding, ({ id: clientId }) => {
    const faults = headerFaults(call.headers, ['content-type'])
    if (faults.length > 0) return refusal(400, faults)
    const job = onboarding.records.get('dashboards', call.route.id ?? '')
    if (job?.clientId !== clientId) return refusal(404, ['that client has no dashboard creation job of that id'])
    return json(200, { status: wordOf(job.progress, onboarding.now()), job_id: job.id })
  })
}
