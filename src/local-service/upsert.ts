// Endpoint B3, and its sandbox twin (B4): from a body that has arrived to rows and an answer. Knows no HTTP server.

import { TABLE_NAME } from '../service/contract.ts'
import { accepted, refusal } from './answers.ts'
import { authorise } from './authorise.ts'
import type { Context } from './context.ts'
import type { RequestBody } from './read-body.ts'
import { readPoints } from './read-points.ts'
import type { Route } from './route.ts'
import type { Answer } from './types.ts'

export type UpsertRoute = Extract<Route, { kind: 'upsert' }>

export interface Upserted {
  readonly answer: Answer
  /** Points taken; 0 when it was refused. */
  readonly points: number
}

/** Service document 4.B3; the order of refusals is that of assumptions 4. Atomic: all points or none. */
export async function upsert(
  route: UpsertRoute,
  body: Exclude<RequestBody, { kind: 'aborted' }>,
  context: Context,
): Promise<Upserted> {
  const client = authorise(route, context)
  if (typeof client !== 'number') return refused(client)
  const { table } = route
  if (table === undefined) return refused(refusal(400, ['the table name is not valid percent-encoding of UTF-8']))
  if (!TABLE_NAME.test(table)) {
    return refused(refusal(400, ['the table name must be letters, digits and underscores, at least one']))
  }
  if (body.kind === 'too-large') return refused(refusal(413, [`the body is larger than ${body.max} bytes`]))
  const reading = readPoints(body.bytes)
  if ('reasons' in reading) return refused(refusal(400, reading.reasons))
  const count = reading.points.length
  const taken = count === 1 ? '1 point taken' : `${count} points taken`
  if (route.sandbox) {
    return { answer: accepted(201, `${taken}; the sandbox stores nothing`, context.now()), points: count }
  }
  const added = await context.store.upsert(client, table, body.bytes, reading.points)
  const status = added > 0 || context.compat ? 201 : 200
  return { answer: accepted(status, `${taken}; rows that are new: ${added}`, context.now()), points: count }
}

function refused(answer: Answer): Upserted {
  return { answer, points: 0 }
}
