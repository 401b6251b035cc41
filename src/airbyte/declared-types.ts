// What a stream's JSON schema declares of its members. Any schema is tolerated: what it does not say is unknown.

import { isObject } from '../json/is-object.ts'

/** Most levels of unions in unions that are looked into; what lies deeper is unknown. */
const DEEPEST = 8

/** The types that a member's schema allows. @returns distinct names without `null`; none when the schema does not say */
export function declaredTypes(schema: unknown): string[] {
  const types = new Set<string>()
  collect(schema, types, DEEPEST)
  types.delete('null')
  return [...types]
}

/** Adds the types that a schema allows. @param depth levels of unions that are still looked into */
function collect(schema: unknown, types: Set<string>, depth: number): void {
  if (typeof schema !== 'object' || schema === null || depth === 0) return
  const { type, oneOf, anyOf, $ref, airbyte_type: airbyteType } = schema as Readonly<Record<string, unknown>>
  for (const options of [oneOf, anyOf]) {
    if (Array.isArray(options)) for (const option of options) collect(option, types, depth - 1)
  }
  // such as WellKnownTypes.json#/definitions/TimestampWithTimezone
  if (typeof $ref === 'string') types.add($ref.slice($ref.lastIndexOf('/') + 1))
  // Airbyte declares an integer as a number with an airbyte_type
  for (const name of Array.isArray(type) ? type : [type]) {
    if (typeof name === 'string') types.add(name === 'number' && airbyteType === 'integer' ? 'integer' : name)
  }
}

/** Whether a stream's schema allows a value at this path; where it describes nothing, anything is allowed. */
export function declares(schema: object, path: readonly string[]): boolean {
  let current: unknown = schema
  for (const name of path) {
    if (!isObject(current)) return true
    // a stream is an object, whatever its schema says
    const types = current === schema ? [] : declaredTypes(current)
    if (types.length > 0 && !types.includes('object')) return false
    const { properties } = current
    if (!isObject(properties)) return true
    if (!Object.hasOwn(properties, name)) return false
    current = properties[name]
  }
  return true
}
