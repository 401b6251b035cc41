// What interface A has made so far and every job with the states it has been in: for tests, for the page under /_local/,
// and for people who try things out. Nothing secret is in it.

import type { Onboarding } from './onboarding.ts'
import type { JobKind } from './plans.ts'
import { HANGS, hasSucceeded, runsFrom, wordOf } from './progress.ts'
import type { JobProgress } from './progress.ts'

/** Of one client; times are left out. */
export interface ClientOverview {
  readonly id: number
  readonly name: string
  /** service-interface.md#client-properties; null: never set. */
  readonly properties: Readonly<Record<string, unknown>> | null
  readonly users: readonly { readonly id: number; readonly email: string }[]
  readonly connections: readonly {
    readonly id: number
    readonly meta_id: number
    readonly name: string
    readonly status: string
  }[]
  readonly connection_tests: readonly { readonly id: number; readonly connection_id: number; readonly status: string }[]
  readonly dashboards: readonly { readonly id: string; readonly connection_id: number; readonly status: string }[]
  /** How many. */
  readonly import_keys: number
}

export interface SignupOverview {
  readonly id: string
  readonly company: string
  readonly status: string
  /** Null until there is one. */
  readonly client_id: number | null
}

/** Those the service was started with first, then in the order of their signups. */
export function clientOverview({ clients, records, now }: Onboarding): readonly ClientOverview[] {
  const at = now()
  return clients.ids().map((clientId) => {
    const { name, properties } = clients.get(clientId)!
    const isIts = (it: { readonly clientId: number }): boolean => it.clientId === clientId
    return {
      id: clientId,
      name,
      properties,
      users: records
        .all('invite')
        .filter(isIts)
        .map(({ id, email }) => ({ id, email })),
      connections: records
        .all('connection')
        .filter(isIts)
        .map(({ id, metaId, name, progress }) => ({ id, meta_id: metaId, name, status: wordOf(progress, at) })),
      connection_tests: records
        .all('job')
        .filter(isIts)
        .map(({ id, connectionId, progress }) => ({ id, connection_id: connectionId, status: wordOf(progress, at) })),
      dashboards: records
        .all('dashboards')
        .filter(isIts)
        .map(({ id, connectionId, progress }) => ({ id, connection_id: connectionId, status: wordOf(progress, at) })),
      import_keys: clients.keyCount(clientId),
    }
  })
}

/** In the order they came, those that failed or still go on too. */
export function signupOverview({ records, now }: Onboarding): readonly SignupOverview[] {
  const at = now()
  return records.all('signup').map(({ id, company, clientId, progress }) => ({
    id,
    company,
    status: wordOf(progress, at),
    client_id: hasSucceeded(progress, at) ? clientId : null,
  }))
}

interface JobStates {
  readonly kind: JobKind
  readonly id: string
  /** Null: a signup whose client there is not yet. */
  readonly client_id: number | null
  /** A company, a connection, what is tested or shown. */
  readonly about: string
  /** Those it has been in and the one it is in, with when they began (milliseconds since 1970). */
  readonly states: readonly JobState[]
}

interface JobState {
  readonly state: string
  readonly since: number
}

const MAX_JOBS = 200
const MAX_TEXT = 200

/** The newest 200 by when they started, and how many there are. */
export function jobStates({ records, now, clients }: Onboarding): {
  readonly total: number
  readonly jobs: readonly JobStates[]
} {
  const at = now()
  const found: (Omit<JobStates, 'states'> & { readonly progress: JobProgress })[] = [
    ...records.all('signup').map(({ id, clientId, company, progress }) => ({
      kind: 'signup' as const,
      id,
      client_id: clients.has(clientId) ? clientId : null,
      about: company.slice(0, MAX_TEXT),
      progress,
    })),
    ...records.all('connection').map(({ id, clientId, name, progress }) => ({
      kind: 'connection' as const,
      id: String(id),
      client_id: clientId,
      about: name.slice(0, MAX_TEXT),
      progress,
    })),
    ...records.all('job').map(({ id, clientId, connectionId, progress }) => ({
      kind: 'connectionTest' as const,
      id: String(id),
      client_id: clientId,
      about: `connection ${connectionId}`,
      progress,
    })),
    ...records.all('dashboards').map(({ id, clientId, connectionId, progress }) => ({
      kind: 'dashboards' as const,
      id,
      client_id: clientId,
      about: `connection ${connectionId}`,
      progress,
    })),
  ]
  found.sort((one, other) => other.progress.started - one.progress.started)
  const jobs = found.slice(0, MAX_JOBS).map((job) => ({
    kind: job.kind,
    id: job.id,
    client_id: job.client_id,
    about: job.about,
    states: statesOf(job.progress, at),
  }))
  return { total: found.length, jobs }
}

/** A state that took no time is left out. */
function statesOf(progress: JobProgress, now: number): readonly JobState[] {
  const { started, durationMs, outcome } = progress
  const ended = outcome === HANGS ? Infinity : started + durationMs
  const running = runsFrom(progress)
  const all = [
    { state: 'pending', since: started, until: running },
    { state: 'running', since: running, until: ended },
    { state: outcome.slice(0, MAX_TEXT), since: ended, until: Infinity },
  ]
  return all
    .filter(({ since, until }, index) => since < until && (since <= now || index === 0))
    .map(({ state, since }) => ({ state, since }))
}
