// Digests of what a run works with: equal for what comes to the same, and without secrets (docs/summary.md#what-ran).

import { createHash } from 'node:crypto'
import type { ServiceConfig } from '../../config/service-rules.ts'
import { isObject } from '../../json/is-object.ts'

/** Takes the first digits of the SHA-256 of a value's JSON with members in the order of their names.
 *  @param value what JSON.stringify takes, and maps of texts. A secret is stars; functions and undefined do not count
 *  @returns 16 hex digits
 *  @throws RangeError where it is nested deeper than the stack is */
export function digestOf(value: unknown): string {
  const text = JSON.stringify(value, (_name, member: unknown) => {
    const plain: unknown = member instanceof Map ? Object.fromEntries(member) : member
    return isObject(plain) ? Object.fromEntries(Object.entries(plain).toSorted(([a], [b]) => (a < b ? -1 : 1))) : plain
  })
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Takes the digest of what the run does by a config, and not of how or where its file says so. */
export function configDigest(service: ServiceConfig, config: object): string {
  return digestOf({ ...config, service: { ...service, addressOption: undefined }, files: undefined })
}
