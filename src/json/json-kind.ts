// The kinds of JSON values, by the byte a value begins with.

export const JSON_KINDS = ['string', 'number', 'boolean', 'null', 'object', 'array'] as const
export type JsonKind = (typeof JSON_KINDS)[number]

/** The kind of a valid value whose first byte this is. */
export function jsonKindOf(byte: number): JsonKind {
  const letter = String.fromCharCode(byte)
  if (letter === '"') return 'string'
  if (letter === '{') return 'object'
  if (letter === '[') return 'array'
  if (letter === 'n') return 'null'
  return letter === 't' || letter === 'f' ? 'boolean' : 'number'
}
