// A connection as the list of them shows it (service document 2.5). Pure.

import { timestamp } from '../answers.ts'
import type { StatusPlace } from './plans.ts'
import { hasSucceeded, stateAt, wordOf } from './progress.ts'
import type { Connection } from './records.ts'

export const CONNECTIONS_NAMESPACE = 'input-connections'

/** `place`: where it says how far it is. `now`: milliseconds since 1970. */
export function listedConnection(connection: Connection, place: StatusPlace, now: number): object {
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
