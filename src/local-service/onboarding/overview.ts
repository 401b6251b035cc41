// Shows what interface A (onboarding) has made so far, and every job with the states it has been in: for tests, for the page under
// /_local/, and for people who try things out. Shows no secret.

import type { Onboarding } from './onboarding.ts'
import type { JobKind } from './plans.ts'
import { hasSucceeded, statesUntil, wordIn, wordOf, type JobProgress } from './progress.ts'
import type { Job, Kinds } from './records.ts'

/** The clients and what each has: first those the service was started with, then the others in the order of their signups. `properties`
 *  are null when never set (service-interface.md#client-properties); `import_keys` is their number. */
export function clientOverview({ clients, records, now }: Onboarding) {
  const time = now()
  const jobOverview = <I>({ id, connectionId, progress }: Job<I>) => ({
    id,
    connection_id: connectionId,
    status: wordOf(progress, time),
  })
  return clients.ids().map((clientId) => {
    const { name, properties } = clients.get(clientId)!
    const ofThisClient = <K extends 'invite' | 'connection' | 'job' | 'dashboards'>(kind: K): Kinds[K][] =>
      records.all(kind).filter((it) => it.clientId === clientId)
    return {
      id: clientId,
      name,
      properties,
      users: ofThisClient('invite').map(({ id, email }) => ({ id, email })),
      connections: ofThisClient('connection').map(({ id, metaId, name, progress }) => ({
        id,
        meta_id: metaId,
        name,
        status: wordOf(progress, time),
      })),
      connection_tests: ofThisClient('job').map(jobOverview),
      dashboards: ofThisClient('dashboards').map(jobOverview),
      import_keys: clients.keyCount(clientId),
    }
  })
}

/** Signups in the order they came, whatever their state. `client_id` is null until the signup has succeeded. */
export function signupOverview({ records, now }: Onboarding) {
  const time = now()
  return records.all('signup').map(({ id, company, clientId, progress }) => ({
    id,
    company,
    status: wordOf(progress, time),
    client_id: hasSucceeded(progress, time) ? clientId : null,
  }))
}

const MAX_JOBS = 200
/** Most characters of a name or a state. */
const MAX_TEXT = 200

/** How many jobs there are, and the last 200 that started, newest first, each with its states up to now and when each began. `client_id` is
 *  null for a signup that has not succeeded. Times are milliseconds since 1970. */
export function jobStates({ records, now, clients }: Onboarding) {
  type JobRecord = { readonly id: string | number; readonly clientId: number; readonly progress: JobProgress }
  const jobsOf = <T extends JobRecord>(kind: JobKind, all: readonly T[], about: (job: T) => string) =>
    all.map((job) => {
      const client_id = clients.has(job.clientId) ? job.clientId : null
      return { kind, id: String(job.id), client_id, about: about(job).slice(0, MAX_TEXT), progress: job.progress }
    })
  const newestFirst = [
    ...jobsOf('signup', records.all('signup'), ({ company }) => company),
    ...jobsOf('connection', records.all('connection'), ({ name }) => name),
    ...jobsOf('connectionTest', records.all('job'), ({ connectionId }) => `connection ${connectionId}`),
    ...jobsOf('dashboards', records.all('dashboards'), ({ connectionId }) => `connection ${connectionId}`),
  ].sort((one, other) => other.progress.started - one.progress.started)
  const time = now()
  const jobs = newestFirst.slice(0, MAX_JOBS).map(({ progress, ...job }) => {
    const states = statesUntil(progress, time).map(({ phase, since }) => ({
      state: wordIn(phase, progress).slice(0, MAX_TEXT),
      since,
    }))
    return Object.assign(job, { states })
  })
  return { total: newestFirst.length, jobs }
}
