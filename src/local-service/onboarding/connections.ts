// Endpoints A6 to A11: a client's input connections, whose credentials are read and dropped, their tests, and dashboards
// from a template (service-interface.md#a6-add-a-connection and what follows it).

import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { json, refusal, timestamp } from '../answers.ts'
import { mustBe } from '../json-body.ts'
import type { Answer } from '../types.ts'
import { onClient } from './call.ts'
import type { Call } from './call.ts'
import { headerFaults } from './header-faults.ts'
import { callerByCookies } from './identify.ts'
import type { Onboarding } from './onboarding.ts'
import { startedAt } from './plans.ts'
import type { StatusPlace } from './plans.ts'
import { hasSucceeded, wordOf, stateAt, isSuccess, runsFrom } from './progress.ts'
import type { Phase } from './progress.ts'
import { digits, filledText, readForm, members, only, readJson, text, textOrNull, wholeNumber } from './read-json.ts'
import type { Connection, Job } from './records.ts'

const BODY = members({
  type: only('mysql'),
  name: text,
  display_name: text,
  credentials: members({ password: text, encryption_password: textOrNull }),
  properties: members({
    dbName: textOrNull,
    host: textOrNull,
    port: text,
    username: textOrNull,
    sourceTZ: textOrNull,
    desiredTZ: textOrNull,
    status: only('1'),
    useSSL: z.enum(['true', 'false'], mustBe('"true" or "false"')),
    noPhpPasswordEncryption: only('1'),
    encryption_type: text,
    encryption_username: textOrNull,
    encryption_gatewayAddress: textOrNull,
    encryption_groupName: textOrNull,
    encryption_groupSecret: textOrNull,
    encryption_sshHostAddress: textOrNull,
    encryption_sshPort: textOrNull,
    encryption_sshUsername: textOrNull,
  }),
})

/** A6. The same body twice makes two. */
export function createConnection(call: Call, onboarding: Onboarding): Answer {
  return onClient(call, onboarding, ({ id: clientId }) => {
    const read = readJson(call, BODY)
    if ('refused' in read) return read.refused
    const { type, name, display_name, properties } = read.value
    const connection: Connection = {
      metaId: onboarding.ids.next(),
      id: onboarding.ids.next(),
      clientId,
      type,
      name,
      displayName: display_name,
      // A secret by its name, wherever it stands.
      properties: { ...properties, encryption_groupSecret: null },
      progress: startedAt(onboarding.now(), onboarding.plans.connection),
    }
    onboarding.records.keep(['connection', connection.id, connection])
    return json(201, {
      meta_id: connection.metaId,
      id: connection.id,
      namespace: CONNECTIONS_NAMESPACE,
      client_id: clientId,
      type,
      name,
      display_name,
      properties: connection.properties,
    })
  })
}

/** A7. */
export function listConnections(call: Call, onboarding: Onboarding): Answer {
  return onClient(call, onboarding, ({ id: clientId }) => {
    const faults = [...headerFaults(call.headers, ['accept']), ...queryFaults(call.route.query)]
    if (faults.length > 0) return refusal(400, faults)
    const place = onboarding.plans.connectionStatus
    const connections = onboarding.records.all('connection').filter((it) => it.clientId === clientId)
    return json(
      200,
      connections.map((it) => listedConnection(it, place, onboarding.now())),
    )
  })
}

function queryFaults(query: string): string[] {
  const [value, ...more] = new URLSearchParams(query).getAll('include_deleted')
  const name = 'the query parameter include_deleted'
  if (value === undefined) return [`${name} is missing`]
  if (more.length > 0) return [`${name} is there more than once`]
  return value === 'true' || value === 'false' ? [] : [`${name} must be true or false`]
}

/** The client's connection. `undefined` when the client has none of that number. */
function connectionOf(number: number, clientId: number, { records }: Onboarding): Connection | undefined {
  const named = records.get('connection', number) ?? records.all('connection').find(({ metaId }) => metaId === number)
  return named?.clientId === clientId ? named : undefined
}

const CONNECTIONS_NAMESPACE = 'input-connections'

/** `place`: where it says how far it is. `now`: milliseconds since 1970. */
function listedConnection(connection: Connection, place: StatusPlace, now: number): object {
  const { id, metaId, clientId, type, name, displayName, properties, progress } = connection
  const word = wordOf(progress, now)
  const { since } = stateAt(progress, now)
  return {
    namespace: CONNECTIONS_NAMESPACE,
    created_at: withFraction(progress.started),
    updated_at: withFraction(since),
    display_name: displayName,
    id,
    meta_id: metaId,
    client_id: clientId,
    type,
    name,
    integration_type: {
      protocol: 'mysql',
      directions: ['input'],
      cbi_is_available: true,
      pricing_tier: 'standard',
      replication_type: 'database',
      ...(place === 'integration_type.pipeline_state' ? { pipeline_state: word } : {}),
      display_name: 'MySQL',
      type,
    },
    ...statusMember(place, word),
    properties: {
      ...properties,
      blackout: null,
      frequency: null,
      sslCa: null,
      sslCert: null,
      sslKey: null,
      created: timestamp(progress.started),
      established: hasSucceeded(progress, now) ? timestamp(since) : null,
    },
  }
}

function statusMember(place: StatusPlace, word: string): { status?: string | { name: string } } {
  if (place === 'status') return { status: word }
  return place === 'status.name' ? { status: { name: word } } : {}
}

/** `YYYY-MM-DD HH:MM:SS.f`, UTC, with one digit of the fraction. */
function withFraction(at: number): string {
  return new Date(at).toISOString().slice(0, 21).replace('T', ' ')
}

const TYPE = { name: 'Connection Test', id: 27 } as const
const QUEUED = { name: 'Queued', id: 1 } as const

const FORM = members({
  jobType: z.literal('27', mustBe('27')),
  'workload[connectionId]': digits,
  'workload[syncAndSample]': z.literal('1', mustBe('1')),
})

/** A8. What it answers is queued, whatever comes of it. */
export function startTest(call: Call, onboarding: Onboarding): Answer {
  return onClient(
    call,
    onboarding,
    ({ id: clientId }) => {
      const faults = headerFaults(call.headers, ['accept', 'referer'])
      if (faults.length > 0) return refusal(400, faults)
      const read = readForm(call, FORM)
      if ('refused' in read) return read.refused
      const connection = connectionOf(read.value['workload[connectionId]'], clientId, onboarding)
      if (connection === undefined) return refusal(404, ['workload[connectionId] is not a connection of that client'])
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

const DASHBOARDS = members({
  connections: members({ db: members({ connection_id: wholeNumber, database: text, table_prefix: text }) }),
  package: filledText,
  // Not insisted on (decisions.md#user-ids-come-from-the-answers-first).
  user_id: wholeNumber.optional(),
})

/** A10. The same body twice makes two. */
export function createDashboards(call: Call, onboarding: Onboarding): Answer {
  return onClient(call, onboarding, ({ id: clientId }) => {
    const read = readJson(call, DASHBOARDS)
    if ('refused' in read) return read.refused
    const connection = connectionOf(read.value.connections.db.connection_id, clientId, onboarding)
    if (connection === undefined) {
      return refusal(404, ['connections.db.connection_id is not a connection of that client'])
    }
    const id = randomUUID()
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
