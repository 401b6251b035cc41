// The table of a stream, by name alone: no stream's table depends on the rest of the catalog. No release renames one.

import { createHash } from 'node:crypto'

export interface TableName {
  readonly table: string
  /** A character was replaced or a namespace joined, so another stream might clean to the same name. */
  readonly altered: boolean
}

/** Prefix + (namespace + `_`, if any) + stream name, each code point outside `[A-Za-z0-9_]` replaced by one `_`; case
 *  stays, nothing is collapsed or cut. A name without letter or digit becomes `t_` + six hex digits of SHA-256 over
 *  namespace, U+0000, name (UTF-8). Assumptions 23; service document 2.8. */
export function tableName(namespace: string | undefined, name: string, prefix = ''): TableName {
  const joined = namespace === undefined ? name : `${namespace}_${name}`
  const clean = joined.replaceAll(/[^A-Za-z0-9_]/gu, '_')
  if (!/[A-Za-z0-9]/.test(clean)) return { table: `${prefix}t_${digest(namespace, name)}`, altered: true }
  return { table: prefix + clean, altered: clean !== name }
}

function digest(namespace: string | undefined, name: string): string {
  return createHash('sha256')
    .update(`${namespace ?? ''}\0${name}`, 'utf8')
    .digest('hex')
    .slice(0, 6)
}
