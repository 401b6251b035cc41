// The schemas that records name, as far as nobody has to be asked.

import type { SchemaStore } from '../../registry/schema-store.ts'
import type { SchemaId } from '../../registry/types.ts'
import type { KnownSchemas } from '../topics/topic-encoding.ts'

/** @returns all of them; undefined: one is not known yet */
export function knownSchemas(store: Pick<SchemaStore, 'known'>, ids: Iterable<SchemaId>): KnownSchemas | undefined {
  const schemas = new Map<SchemaId, NonNullable<ReturnType<SchemaStore['known']>>>()
  for (const id of ids) {
    const known = store.known(id)
    if (known === undefined) return undefined
    schemas.set(id, known)
  }
  return schemas
}
