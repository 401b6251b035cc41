// The catalog that fuzzed messages meet, and what each stream of it is, written down by hand.

import { stream } from '../write/driver.ts'

export interface WorldStream {
  readonly name: string
  readonly namespace: string | undefined
  readonly table: string
  /** Paths of the primary key; none: every record is a row. */
  readonly key: readonly (readonly string[])[]
  /** Names in the point's `keys`, one a path. */
  readonly fields: readonly string[]
  /** Names the connector needs for itself. */
  readonly reserved: readonly string[]
}

const keyed = (name: string, key: string[][], fields: string[], namespace?: string): WorldStream => {
  const table = namespace === undefined ? name : `${namespace}_${name}`
  return { name, namespace, table, key, fields, reserved: ['keys'] }
}
const everyRecord = (name: string): WorldStream => {
  return { name, namespace: undefined, table: name, key: [], fields: [], reserved: ['keys', '_airbyte_raw_id'] }
}

export const STREAMS: readonly WorldStream[] = [
  keyed('docs', [['id']], ['id']),
  keyed('products', [['id']], ['id']),
  keyed('purchases', [['id'], ['user_id']], ['id', 'user_id']),
  keyed('nested', [['a', 'b']], ['a_b']),
  keyed('odd', [['keys']], ['keys_']),
  keyed('docs', [['id'], ['a', 'b']], ['id', 'a_b'], 'crm'),
  everyRecord('orders'),
  everyRecord('users'),
]

export const CATALOG = {
  streams: STREAMS.map(({ name, namespace, key }) =>
    stream(name, {
      stream: { name, ...(namespace === undefined ? {} : { namespace }), json_schema: {} },
      ...(key.length === 0 ? { destination_sync_mode: 'append', primary_key: [] } : { primary_key: key }),
    }),
  ),
}

/** The stream of that name; undefined: the catalog has none. */
export function streamOf(namespace: string | undefined, name: string): WorldStream | undefined {
  return STREAMS.find((stream) => stream.name === name && stream.namespace === namespace)
}
