// Answers endpoints A6 and A7 (service-interface.md#a6-add-a-connection): A6 adds an input connection to a client, A7 lists them. A
// connection's credentials are checked and not kept.

import { z } from 'zod'
import { json, timestamp } from '../answers.ts'
import { mustBe } from '../json-body.ts'
import { onClient } from './call.ts'
import type { Onboarding } from './onboarding.ts'
import { startedAt, type StatusPlace } from './plans.ts'
import { hasSucceeded, wordOf, stateAt } from './progress.ts'
import { headerFaults, members, only, readJson, text, textOrNull } from './read-json.ts'
import type { Connection } from './records.ts'

const CONNECTIONS_NAMESPACE = 'input-connections'

const NEW_CONNECTION = members({
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

/** Answers A6. The same body twice makes two connections. Content-Type, which `readJson` checks, is the only header that is asked for. */
export const createConnection = onClient(
  { read: (call) => readJson(call, NEW_CONNECTION) },
  ({ id: clientId }, { type, name, display_name, properties }, onboarding) => {
    const connection: Connection = {
      metaId: onboarding.ids.next(),
      id: onboarding.ids.next(),
      clientId,
      type,
      name,
      displayName: display_name,
      // not kept, as its name says that it is a secret
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
  },
)

/** Answers A7 with the client's connections and, where the plans say so, how far each is. */
export const listConnections = onClient(
  { faults: ({ headers, query }) => [...headerFaults(headers, ['accept']), ...queryFaults(query)] },
  ({ id: clientId }, _body, { plans, records, now }) => {
    const connections = records.all('connection').filter((it) => it.clientId === clientId)
    const listed = connections.map((it) => listedConnection(it, plans.connectionStatus, now()))
    return json(200, listed)
  },
)

function queryFaults(query: string): string[] {
  const [value, ...others] = new URLSearchParams(query).getAll('include_deleted')
  const name = 'the query parameter include_deleted'
  if (value === undefined) return [`${name} is missing`]
  if (others.length > 0) return [`${name} is there more than once`]
  return value === 'true' || value === 'false' ? [] : [`${name} must be true or false`]
}

/** Finds a connection of a client by its id or its `meta_id` (A6 answers both, and either is taken). `undefined` when there is none. */
export function connectionOf(number: number, clientId: number, { records }: Onboarding): Connection | undefined {
  const byId = records.get('connection', number)
  const connection = byId ?? records.all('connection').find(({ metaId }) => metaId === number)
  return connection?.clientId === clientId ? connection : undefined
}

/** An item of the list of connections.
 *  @param place the member that says how far the connection is
 *  @param now milliseconds since 1970 */
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
      ...(place === 'integration_type.pipeline_state' && { pipeline_state: word }),
      display_name: 'MySQL',
      type,
    },
    ...(place === 'status' && { status: word }),
    ...(place === 'status.name' && { status: { name: word } }),
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

/** `YYYY-MM-DD HH:MM:SS.f`, UTC, with tenths of a second. `at`: milliseconds since 1970. */
function withFraction(at: number): string {
  return new Date(at).toISOString().slice(0, 21).replace('T', ' ')
}
