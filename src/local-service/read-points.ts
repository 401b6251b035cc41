// Reads the points in the body of an upsert, or says what is wrong with it (decisions.md#a-body-is-1-to-100-points).

import { isUtf8 } from 'node:buffer'
import { canonicalNumber } from '../json/decimal.ts'
import { isObject } from '../json/is-object.ts'
import { nameOf } from '../json/name.ts'
import { lastMember } from '../json/record-data.ts'
import { Scanner, STRIDE, VALUE_FROM, VALUE_TO } from '../json/scanner.ts'
import { afterSpace } from '../json/tokens.ts'
import { parseJson } from '../json/true-names.ts'
import { MAX_POINTS } from '../service/contract.ts'
import type { PointSlice } from './store.ts'

export type ReadPoints =
  | { readonly points: readonly PointSlice[] }
  /** Faults, at least one text. A point is named by its index, from 0. */
  | { readonly reasons: readonly string[] }

type PointObject = Readonly<Record<string, unknown>>

const MAX_REASONS = 100

/** Reads all points of a body, or none where any of them has a fault. */
export function readPoints(body: Buffer): ReadPoints {
  if (body.length === 0) return { reasons: ['the body is empty: it must be one point or an array of points'] }
  if (!isUtf8(body)) return { reasons: ['the body is not valid UTF-8'] }
  let parsed: unknown
  try {
    parsed = parseJson(body.toString('utf8'), body)
  } catch {
    return { reasons: [`the body is not valid JSON (at byte ${offsetOfFault(body)})`] }
  }
  const isArray = Array.isArray(parsed)
  const points = isArray ? (parsed as unknown[]) : [parsed]
  const reasons = bodyFaults(parsed) ?? points.flatMap(pointFaults)
  if (reasons.length === 0) return { points: slicesOf(body, points as readonly PointObject[], isArray) }
  if (reasons.length <= MAX_REASONS) return { reasons }
  return { reasons: [...reasons.slice(0, MAX_REASONS), `and ${reasons.length - MAX_REASONS} more`] }
}

/** Faults of the body as a whole. `undefined` when it has none; its points may still have some. */
function bodyFaults(parsed: unknown): readonly string[] | undefined {
  if (isObject(parsed)) return undefined
  if (!Array.isArray(parsed)) return [`the body is ${kindOf(parsed)}: it must be one point (an object) or an array`]
  if (parsed.length === 0) return ['the array is empty: it must have at least one point']
  if (parsed.length <= MAX_POINTS) return undefined
  return [`the array has ${parsed.length} points: at most ${MAX_POINTS} are taken`]
}

function pointFaults(point: unknown, index: number): readonly string[] {
  const faults = isObject(point) ? keyFaults(point) : [`is ${kindOf(point)}, not an object`]
  return faults.map((fault) => `point ${index}: ${fault}`)
}

/** Finds where in the body each point stands.
 *  @param points what parseJson made of them; they have no faults */
function slicesOf(body: Buffer, points: readonly PointObject[], isArray: boolean): readonly PointSlice[] {
  const scanner = new Scanner()
  const start = afterSpace(body, 0)
  let at = isArray ? start + '['.length : start
  return points.map((point) => {
    scanner.start(body, at, body.length)
    const from = scanner.at
    // goes over the point, and lists its members for rowIdentity
    scanner.table()
    const to = scanner.at
    at = afterSpace(body, to) + ','.length
    return { identity: rowIdentity(body, scanner, point), from, to }
  })
}

/** Finds the byte at which a body that JSON.parse refuses stops being JSON. */
function offsetOfFault(body: Buffer): number {
  const scanner = new Scanner()
  scanner.start(body, 0, body.length)
  scanner.skip()
  scanner.finish()
  return scanner.failedAt
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/** Most characters of a field's name in a fault. */
const NAME_SHOWN = 80

/** Says what is wrong with the keys of a point; [] when they name fields that can identify a row.
 *  @param point as parseJson gives it */
export function keyFaults(point: Readonly<Record<string, unknown>>): readonly string[] {
  if (!Object.hasOwn(point, 'keys')) return ['keys is missing']
  const keys = point['keys']
  if (!Array.isArray(keys)) return ['keys is not an array of field names']
  if (keys.length === 0) return ['keys is empty: it must name at least one field']
  if (keys.some((name) => typeof name !== 'string')) return ['keys holds something that is not a string']
  const seen = new Set<string>()
  const faults: string[] = []
  for (const name of keys as readonly string[]) {
    if (seen.has(name)) faults.push(`keys names ${shown(name)} twice`)
    else faults.push(...fieldFaults(point, name))
    seen.add(name)
  }
  return faults
}

function fieldFaults(point: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  if (!Object.hasOwn(point, name)) return [`keys names ${shown(name)}, a field the point does not have`]
  const value = point[name]
  if (value === null) return [`the key field ${shown(name)} is null`]
  if (Array.isArray(value)) return [`the key field ${shown(name)} is an array`]
  return typeof value === 'object' ? [`the key field ${shown(name)} is an object`] : []
}

function shown(name: string): string {
  return JSON.stringify(name.length > NAME_SHOWN ? `${name.slice(0, NAME_SHOWN)}…` : name)
}

/** A text that is the same for all points of one row. Of a member that occurs twice the last counts, as it does for JSON.parse.
 *  @param scanned a scanner whose last call was `table()`, on this point in `bytes`
 *  @param point what parseJson made of the point; its keys have no faults */
export function rowIdentity(bytes: Buffer, scanned: Scanner, point: Readonly<Record<string, unknown>>): string {
  const names = point['keys'] as readonly string[]
  // rows are the same in whatever order their keys are named
  const sorted = names.length === 1 ? names : [...names].sort()
  let identity = ''
  for (const name of sorted) {
    const value = valueIn(bytes, scanned, name, point[name])
    // with both lengths in front, no two lists of names and values make one text
    identity += `${name.length}:${value.length}:${name}${value}`
  }
  return identity
}

/** A value as part of an identity: its type in one letter, then the value, a number spelt in one way only (1.0 as 1). */
function valueIn(bytes: Buffer, scanned: Scanner, name: string, parsed: unknown): string {
  if (typeof parsed === 'string') return `s${parsed}`
  if (typeof parsed === 'boolean') return `b${parsed}`
  const index = lastMember(bytes, scanned.members, 0, scanned.count, nameOf(name))
  const from = scanned.members[index * STRIDE + VALUE_FROM]!
  const to = scanned.members[index * STRIDE + VALUE_TO]!
  return `n${canonicalNumber(bytes, from, to)}`
}
