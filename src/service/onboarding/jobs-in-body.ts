// Finds the jobs in a body of A9, which the service document does not show: in a list, alone, or in an envelope that has a
// `status` of its own.

import { isObject } from '../../json/is-object.ts'

/** Finds the list of jobs in a body. Gives the body itself when it holds none, or when it is ambiguous which of its lists holds them. The
 *  content of an envelope takes precedence over its own `status`; an empty envelope is an empty list. */
export function jobsIn(body: unknown): unknown {
  if (!isObject(body)) return body
  // the form of service-interface.md#job
  if (isObject(body['status'])) return [body]
  const members = Object.values(body)
  const lists = [...members, ...members.filter(isObject).flatMap(Object.values)].filter(isList)
  const filled = lists.filter((list) => list.length > 0)
  const ofJobs = filled.length > 1 ? filled.filter((list) => list.every(isJob)) : filled
  if (filled.length > 0) return onlyOne(ofJobs) ?? body
  // a job has an id, an envelope has none
  if ('id' in body) return lists.length > 0 ? [] : alone(body)
  const jobs = members.filter(isJob)
  if (jobs.length > 0) return jobs.length === 1 ? jobs : body
  if (lists.length > 0 || 'data' in body) return []
  const isEnvelope = Object.entries(body).some(([name, value]) => name !== 'type' && isObject(value))
  return isEnvelope ? body : alone(body)
}

function alone(body: object): unknown {
  return isJob(body) ? [body] : body
}

function onlyOne<T>(all: readonly T[]): T | undefined {
  return all.length === 1 ? all[0] : undefined
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function isJob(value: unknown): boolean {
  return isObject(value) && 'status' in value
}
