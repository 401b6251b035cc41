// What a stream's JSON schema declares of its members. Any schema is tolerated: what it does not say is unknown.

import { isObject } from '../json/is-object.ts'

/** Most levels of unions in unions. */
const DEEPEST = 8

/** The types that a member's schema allows.
 *  @returns distinct names without `null`; none when the schema does not say */
export function declaredTypes(schema: unknown): string[] {
  const types = new Set<string>()
  collect(schema, types, DEEPEST)
  types.delete('null')
  return [...types]
}

function collect(schema: unknown, types: Set<string>, depth: number): void {
  if (typeof schema !== 'object' || schema === null || depth === 0) return
  const { type, oneOf, anyOf, $ref, airbyte_type: refined } = schema as Readonly<Record<string, unknown>>
  for (const option of [oneOf, anyOf]) {
    if (Array.isArray(option)) for (const each of option) collect(each, types, depth - 1)
  }
  // WellKnownTypes.json#/definitions/TimestampWithTimezone
  if (typeof $ref === 'string') types.add($ref.slice($ref.lastIndexOf('/') + 1))
  for (const each of Array.isArray(type) ? type : [type]) {
    if (typeof each === 'string') types.add(each === 'number' && refined === 'integer' ? 'integer' : each)
  }
}

/** Whether a stream's schema allows a value at this path; where it describes nothing, anything is allowed. */
export function declares(schema: object, path: readonly string[]): boolean {
  let at: unknown = schema
  for (const name of path) {
    if (!isObject(at)) return true
    const types = at === schema ? [] : declaredTypes(at)
    if (types.length > 0 && !types.includes('object')) return false
    const { properties } = at
    if (!isObject(properties)) return true
    if (!Object.hasOwn(properties, name)) return false
    at = properties[name]
  }
  return true
}
