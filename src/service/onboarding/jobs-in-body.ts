// Finds the jobs in the body that answers A9 (the request for connection tests). The service document does not show this body, so jobs are
// looked for in a list, alone, or in an envelope around them, which may have a `status` of its own.

import { isObject } from '../../json/is-object.ts'

/** The list of the jobs in a body. When there are none, or it is not clear which part of the body holds them, it is the body itself, which
 *  the caller refuses. What is in an envelope counts more than its own `status`; an empty envelope is an empty list. */
export function jobsIn(body: unknown): unknown {
  if (!isObject(body)) return body
  // a job alone, in the form of service-interface.md#job
  if (isObject(body['status'])) return [body]
  const members = Object.values(body)
  // in the body, and in objects that it contains
  const lists = [...members, ...members.filter(isObject).flatMap(Object.values)].filter(isList)
  const filledLists = lists.filter((list) => list.length > 0)
  if (filledLists.length > 0) {
    // of several lists, the one that holds nothing but jobs
    const jobLists = filledLists.length > 1 ? filledLists.filter((list) => list.every(isJob)) : filledLists
    return jobLists.length === 1 ? jobLists[0] : body
  }
  // an id marks a job, not an envelope; but beside an empty list it is that of an envelope without jobs yet
  if ('id' in body) return lists.length > 0 ? [] : asOneJob(body)
  const jobs = members.filter(isJob)
  if (jobs.length > 0) return jobs.length === 1 ? jobs : body
  if (lists.length > 0 || 'data' in body) return []
  // a job may contain only one object, its type
  const isEnvelope = Object.entries(body).some(([name, value]) => name !== 'type' && isObject(value))
  return isEnvelope ? body : asOneJob(body)
}

function asOneJob(body: object): unknown {
  return isJob(body) ? [body] : body
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function isJob(value: unknown): boolean {
  return isObject(value) && 'status' in value
}
