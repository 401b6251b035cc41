// What interface A has made so far, for tests and for people who try things out. Nothing secret is in it.

import type { Onboarding } from './onboarding.ts'
import { hasSucceeded, wordOf } from './progress.ts'

/** Of one client; times are left out. */
export interface ClientOverview {
  readonly id: number
  readonly name: string
  /** Service document 2.4; null: never set. */
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
  return clients.all().map(({ id: clientId, name, properties }) => {
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
