// Whether two JSON texts are the same value, their numbers compared by text or, where the expected one is a float, by the
// float. Knows no format.

import { canonicalNumberText } from '../../src/json/decimal.ts'
import { readJson, type Json, type JsonNumber } from './read-json.ts'

/** Members of this name hold 32 bits, however many digits are written. */
const FLOAT32 = /float32/i
const SHOWN = 200

/** @param expected integers are exact; a fraction or an exponent means a float
 *  @returns the first place where they differ, and how; undefined: they don't */
export function differenceOf(expected: string, actual: string): string | undefined {
  let read: Json
  try {
    read = readJson(actual)
  } catch (error) {
    return (error as Error).message
  }
  return differenceOfJson(readJson(expected), read)
}

/** The same of what was read already. */
export function differenceOfJson(expected: Json, actual: Json): string | undefined {
  return difference(expected, actual, '$', '')
}

/** @param name of the member it is in */
function difference(expected: Json, actual: Json, path: string, name: string): string | undefined {
  if (isNumber(expected) && isNumber(actual)) {
    if (isSameNumber(expected.number, actual.number, FLOAT32.test(name))) return undefined
  } else if (isArray(expected) && isArray(actual)) {
    if (expected.length === actual.length)
      return firstOf(expected.keys(), (at) => difference(expected[at]!, actual[at]!, `${path}[${at}]`, name))
  } else if (isObject(expected) && isObject(actual)) {
    return differenceOfObjects(expected, actual, path)
  } else if (expected === actual) {
    return undefined
  }
  return `${path}: expected ${shown(expected)}, found ${shown(actual)}`
}

function differenceOfObjects(
  expected: ReadonlyMap<string, Json>,
  actual: ReadonlyMap<string, Json>,
  path: string,
): string | undefined {
  return firstOf(new Set([...expected.keys(), ...actual.keys()]), (name) => {
    const place = `${path}.${JSON.stringify(name)}`
    const [wanted, found] = [expected.get(name), actual.get(name)]
    if (found === undefined) return `${place} is missing`
    if (wanted === undefined) return `${place} should not be there: ${shown(found)}`
    return difference(wanted, found, place, name)
  })
}

function isSameNumber(expected: string, actual: string, isFloat32: boolean): boolean {
  if (/^-?\d+$/.test(expected)) return canonicalNumberText(expected) === canonicalNumberText(actual)
  const [wanted, found] = [Number(expected), Number(actual)]
  return isFloat32 ? Object.is(Math.fround(wanted), Math.fround(found)) : Object.is(wanted, found)
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function isObject(value: Json): value is ReadonlyMap<string, Json> {
  return value instanceof Map
}

function isNumber(value: Json): value is JsonNumber {
  return typeof value === 'object' && value !== null && 'number' in value
}

function firstOf<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

function shown(value: Json): string {
  if (isNumber(value)) return value.number
  const text = JSON.stringify(value, (_name, inner: Json) => (inner instanceof Map ? [...inner] : inner))
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
