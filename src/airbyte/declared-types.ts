// The types a member's JSON schema allows, as names for people. Tolerates any schema; judges no value.

type Json = Readonly<Record<string, unknown>>

/** Of unions in unions. */
const DEEPEST = 8

/** @returns distinct names without `null`; none when the schema does not say */
export function declaredTypes(schema: unknown): string[] {
  const types = new Set<string>()
  collect(schema, types, DEEPEST)
  types.delete('null')
  return [...types]
}

function collect(schema: unknown, types: Set<string>, depth: number): void {
  if (typeof schema !== 'object' || schema === null || depth === 0) return
  const { type, oneOf, anyOf, $ref, airbyte_type: refined } = schema as Json
  for (const option of [oneOf, anyOf]) {
    if (Array.isArray(option)) for (const each of option) collect(each, types, depth - 1)
  }
  // WellKnownTypes.json#/definitions/TimestampWithTimezone
  if (typeof $ref === 'string') types.add($ref.slice($ref.lastIndexOf('/') + 1))
  for (const each of Array.isArray(type) ? type : [type]) {
    if (typeof each === 'string') types.add(each === 'number' && refined === 'integer' ? 'integer' : each)
  }
}
