// Every job of interface A with the states it has been in, for the page under /_local/. Nothing secret is in it.

import type { Onboarding } from './onboarding.ts'
import type { JobKind } from './plans.ts'
import { HANGS, type JobProgress, runsFrom } from './progress.ts'

export interface JobStates {
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
