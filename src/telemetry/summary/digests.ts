// Digests of what a run works with, such as its configuration: equal where the run does the same, and without secrets
// (docs/summary.md#what-ran).

import { createHash } from 'node:crypto'
import type { ServiceConfig } from '../../config/service-rules.ts'
import { isObject } from '../../json/is-object.ts'

/** Returns the first 16 hex digits of the SHA-256 of a value's JSON, with the members of objects in the order of their names.
 *  @param value anything that JSON.stringify takes, in which a Map counts as an object. Objects that hold secrets have stars as their JSON
 *  @throws RangeError when it is nested deeper than the stack is */
export function digestOf(value: unknown): string {
  const text = JSON.stringify(value, (_name, member: unknown) => {
    const plain: unknown = member instanceof Map ? Object.fromEntries(member) : member
    return isObject(plain) ? Object.fromEntries(Object.entries(plain).toSorted(([a], [b]) => (a < b ? -1 : 1))) : plain
  })
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Returns the digest of a configuration. What only says how it was given, the option of the address and the files, does not count. */
export function configDigest(service: ServiceConfig, config: object): string {
  return digestOf({ ...config, service: { ...service, addressOption: undefined }, files: undefined })
}
