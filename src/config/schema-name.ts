// The name by which editors find the schema of a file, `$schema`: it may stand in a config and is no option.

import type { Node } from './file-schema.ts'

const NAME = '$schema'

/** A config as its loader wants it. */
export function withoutSchemaName<T>(given: T): T {
  if (typeof given !== 'object' || given === null || Array.isArray(given) || !Object.hasOwn(given, NAME)) return given
  return Object.fromEntries(Object.entries(given).filter(([name]) => name !== NAME)) as T
}

/** A schema that takes it. */
export function withSchemaName(schema: Node): Node {
  const own: Node = { description: 'Where editors find this schema.', type: 'string' }
  return { ...schema, properties: { [NAME]: own, ...schema.properties } }
}
