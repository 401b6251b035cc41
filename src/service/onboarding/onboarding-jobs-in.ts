// Where the jobs are in a body of A9, which the service document does not show: in a list, alone, or in an envelope that has
// a `status` of its own. Pure; judges no job.

type Group = Readonly<Record<string, unknown>>

/** A list, or the body as it is when it holds no jobs, or nobody can tell which of its lists holds them. Whatever an
 *  envelope holds wins over its own `status`; one that holds nothing is an empty list. */
export function jobsIn(body: unknown): unknown {
  if (!isGroup(body)) return body
  // as the document has it (2.6)
  if (isGroup(body['status'])) return [body]
  const members = Object.values(body)
  const lists = [...members, ...members.filter(isGroup).flatMap(Object.values)].filter(isList)
  const filled = lists.filter((list) => list.length > 0)
  if (filled.length > 0) return onlyOne(filled.length > 1 ? filled.filter((list) => list.every(isJob)) : filled) ?? body
  // a job has an id, an envelope has none
  if ('id' in body) return lists.length > 0 ? [] : alone(body)
  const jobs = members.filter(isJob)
  if (jobs.length > 0) return jobs.length === 1 ? jobs : body
  if (lists.length > 0 || 'data' in body) return []
  const isEnvelope = Object.entries(body).some(([name, value]) => name !== 'type' && isGroup(value))
  return isEnvelope ? body : alone(body)
}

function alone(body: Group): unknown {
  return isJob(body) ? [body] : body
}

function onlyOne<T>(all: readonly T[]): T | undefined {
  return all.length === 1 ? all[0] : undefined
}

function isGroup(value: unknown): value is Group {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function isJob(value: unknown): boolean {
  return isGroup(value) && 'status' in value
}
