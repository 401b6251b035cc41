// Is this a fault that can be scripted? (service-interface.md#our-own-paths).

import { validateHeaderName, validateHeaderValue } from 'node:http'
import { TABLE_NAME } from '../service/contract.ts'
import { ENDPOINT_NAMES, isCallPath } from './onboarding/route.ts'
import { isObject } from '../json/is-object.ts'

const MEMBERS = ['table', 'endpoint', 'path', 'next', 'every', 'delay_ms', 'answer', 'reset']
const ANSWER_MEMBERS = ['status', 'headers', 'body']
/** Most milliseconds that a timer can wait. */
const MAX_DELAY_MS = 2_147_483_647

type Members = Readonly<Record<string, unknown>>

/** Everything that is wrong with it; empty: it is a Fault. */
export function faultFaults(value: unknown): readonly string[] {
  if (!isObject(value)) return ['a fault is a JSON object']
  return [
    ...unknownMembers(value, MEMBERS, ''),
    ...when(value, 'table', (it) => typeof it === 'string' && TABLE_NAME.test(it), 'letters, digits and underscores'),
    ...when(value, 'endpoint', isEndpoint, `one of ${ENDPOINT_NAMES.join(', ')}`),
    ...when(value, 'path', (it) => typeof it === 'string' && isCallPath(it), 'a path of interface A, without a query'),
    ...when(value, 'next', isCount, 'a whole number from 1'),
    ...when(value, 'every', isCount, 'a whole number from 1'),
    ...when(value, 'delay_ms', isDelay, `a number from 0 to ${MAX_DELAY_MS}`),
    ...when(value, 'reset', (it) => it === 'before' || it === 'after', '"before" or "after"'),
    ...(has(value, 'answer') ? answerFaults(value['answer']) : []),
    ...combinations(value),
  ]
}

function answerFaults(answer: unknown): readonly string[] {
  if (!isObject(answer)) return ['answer must be an object with a status']
  const status = has(answer, 'status') ? [] : ['answer.status is missing']
  return [
    ...unknownMembers(answer, ANSWER_MEMBERS, 'answer.'),
    ...status,
    ...when(answer, 'status', isStatus, 'a whole number from 200 to 599', 'answer.'),
    ...when(answer, 'body', isBody, 'a string, or an object or array to send as JSON', 'answer.'),
    ...(has(answer, 'headers') ? headerFaults(answer['headers']) : []),
  ]
}

function combinations(fault: Members): readonly string[] {
  const faults: string[] = []
  if (!['answer', 'delay_ms', 'reset'].some((name) => has(fault, name))) {
    faults.push('a fault needs answer, delay_ms or reset')
  }
  if (has(fault, 'answer') && has(fault, 'reset')) faults.push('a fault has answer or reset, not both')
  if (has(fault, 'next') && has(fault, 'every')) faults.push('a fault has next or every, not both')
  if (!has(fault, 'endpoint') && !has(fault, 'path')) return faults
  if (has(fault, 'table')) faults.push('a fault has table, or endpoint and path: upserts have tables, calls have not')
  return faults
}

function headerFaults(headers: unknown): readonly string[] {
  if (!isObject(headers)) return ['answer.headers must be an object of texts']
  return Object.entries(headers).flatMap(([name, value]) => {
    const texts = Array.isArray(value) ? value : [value]
    try {
      validateHeaderName(name)
      for (const text of texts) {
        if (typeof text !== 'string' && typeof text !== 'number') {
          return [`answer.headers: the value of ${JSON.stringify(name)} must be a string or a number`]
        }
        validateHeaderValue(name, String(text))
      }
      return []
    } catch {
      return [`answer.headers: ${JSON.stringify(name)} or its value cannot be sent in a header`]
    }
  })
}

function when(it: Members, name: string, ok: (value: unknown) => boolean, what: string, where = ''): readonly string[] {
  return !has(it, name) || ok(it[name]) ? [] : [`${where}${name} must be ${what}`]
}

function unknownMembers(it: Members, known: readonly string[], where: string): readonly string[] {
  return Object.keys(it).flatMap((name) =>
    known.includes(name) ? [] : [`${where}${name} is unknown: there are ${known.join(', ')}`],
  )
}

function isEndpoint(value: unknown): boolean {
  return (ENDPOINT_NAMES as readonly unknown[]).includes(value)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1
}

function isDelay(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= MAX_DELAY_MS
}

function isStatus(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 200 && (value as number) <= 599
}

function isBody(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null)
}

/** Tells whether a member is set: in-process callers may write `next: undefined`. */
function has(it: Members, name: string): boolean {
  return Object.hasOwn(it, name) && it[name] !== undefined
}
