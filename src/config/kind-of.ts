// What kind of value a file holds, in words for people. Pure.

/** Every kind of value a file may hold. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a number with a fraction'
  if (value === null) return 'null'
  return { string: 'a text', boolean: 'true or false', object: 'an object' }[typeof value as string] ?? 'something else'
}
