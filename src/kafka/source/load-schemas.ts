// The schemas that records name, asked for where they are not known.

import type { SchemaStore } from '../../registry/schema-store.ts'
import type { SchemaId, SchemaProblem, ValueDecoder } from '../../registry/types.ts'
import type { KnownSchemas } from '../topics/topic-encoding.ts'

/** A store keeps no more than some thousands: garbage may name that many in one batch. */
const AT_ONCE = 1000

/** As long as the registry is out of reach, this waits.
 *  @throws ConnectorError config when the registry refuses us; the signal's reason */
export async function loadSchemas(
  store: Pick<SchemaStore, 'known' | 'load'>,
  ids: ReadonlySet<SchemaId>,
  signal: AbortSignal,
): Promise<KnownSchemas> {
  const schemas = new Map<SchemaId, ValueDecoder | SchemaProblem>()
  const all = [...ids]
  for (let from = 0; from < all.length; from += AT_ONCE) {
    for (let missing = all.slice(from, from + AT_ONCE); ;) {
      missing = missing.filter((id) => {
        const known = store.known(id)
        if (known !== undefined) schemas.set(id, known)
        return known === undefined
      })
      if (missing.length === 0) break
      await store.load(missing, signal)
    }
  }
  return schemas
}
