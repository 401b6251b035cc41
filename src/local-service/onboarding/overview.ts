// What interface A has made so far and every job with the states it has been in: for tests, for the page under /_local/,
// and for people who try things out. Nothing secret is in it.

import type { Onboarding } from './onboarding.ts'
import type { JobKind } from './plans.ts'
import { hasSucceeded, statesUntil, wordIn, wordOf, type JobProgress } from './progress.ts'
import type { Job as KeptJob, Kinds } from './records.ts'

/** Clients as the overview has them: those the service was started with first, then in the order of their signups;
 *  times are left out. `properties`: service-interface.md#client-properties, null when never set. `import_keys`: how
 *  many. */
export function clientOverview({ clients, records, now }: Onboarding) {
  const at = now()
  return clients.ids().map((clientId) => {
    const { name, properties } = clients.get(clientId)!
    const jobOverview = <I>({ id, connectionId, progress }: KeptJob<I>) => ({
      id,
      connection_id: connectionId,
      status: wordOf(progress, at),
    })
    const its = <K extends 'invite' | 'connection' | 'job' | 'dashboards'>(kind: K): Kinds[K][] =>
      records.all(kind).filter((it) => it.clientId === clientId)
    return {
      id: clientId,
      name,
      properties,
      users: its('invite').map(({ id, email }) => ({ id, email })),
      connections: its('connection').map(({ id, metaId, name, progress }) => ({
        id,
        meta_id: metaId,
        name,
        status: wordOf(progress, at),
      })),
      connection_tests: its('job').map(jobOverview),
      dashboards: its('dashboards').map(jobOverview),
      import_keys: clients.keyCount(clientId),
    }
  })
}

/** Signups in the order they came, those that failed or still go on too. `client_id` is null until there is one. */
export function signupOverview({ records, now }: Onboarding) {
  const at = now()
  return records.all('signup').map(({ id, company, clientId, progress }) => ({
    id,
    company,
    status: wordOf(progress, at),
    client_id: hasSucceeded(progress, at) ? clientId : null,
  }))
}

const MAX_JOBS = 200
const MAX_TEXT = 200

/** How many jobs there are, and the last 200 that started, newest first, each with the states up to now and when each began.
 *  `client_id` is null for a signup whose client there is not yet. Times are milliseconds since 1970. */
export function jobStates({ records, now, clients }: Onboarding) {
  type Kept = { readonly id: string | number; readonly clientId: number; readonly progress: JobProgress }
  const jobsOf = <T extends Kept>(kind: JobKind, all: readonly T[], about: (it: T) => string) =>
    all.map((it) => {
      const client_id = clients.has(it.clientId) ? it.clientId : null
      return { kind, id: String(it.id), client_id, about: about(it).slice(0, MAX_TEXT), progress: it.progress }
    })
  const found = [
    ...jobsOf('signup', records.all('signup'), ({ company }) => company),
    ...jobsOf('connection', records.all('connection'), ({ name }) => name),
    ...jobsOf('connectionTest', records.all('job'), ({ connectionId }) => `connection ${connectionId}`),
    ...jobsOf('dashboards', records.all('dashboards'), ({ connectionId }) => `connection ${connectionId}`),
  ].sort((one, other) => other.progress.started - one.progress.started)
  const at = now()
  const jobs = found.slice(0, MAX_JOBS).map(({ progress, ...job }) => {
    const states = statesUntil(progress, at).map(({ phase, since }) => ({
      state: wordIn(phase, progress).slice(0, MAX_TEXT),
      since,
    }))
    return Object.assign(job, { states })
  })
  return { total: found.length, jobs }
}
