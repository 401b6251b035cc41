// Answers endpoint B3, and its twin in the sandbox (B4): one upsert, from its body to rows and an answer, with its fault if it gets one.

import { TABLE_NAME } from '../service/contract.ts'
import { accepted, refusal } from './answers.ts'
import { authorise } from './authorise.ts'
import type { Context } from './context.ts'
import { readBytes } from './json-body.ts'
import { underFault } from './under-fault.ts'
import { readPoints } from './read-points.ts'
import type { Route } from './route.ts'
import type { Answer, Ending, SeenUpsert } from './types.ts'
import type { ReadBody } from './read-request.ts'

type UpsertRoute = Extract<Route, { kind: 'upsert' }>

/** Carries an upsert out, under its fault if it gets one; even if its sender disconnects meanwhile, so that its write comes late. */
export async function faultyUpsert(route: UpsertRoute, body: ReadBody, context: Context): Promise<Ending> {
  const carryOut = (): Promise<Answer> => upsert(route, body, context)
  const clientId = context.clients.idOf(route.client)
  if (clientId === undefined) return carryOut()
  const fault = context.faults.take(route.table) ?? context.settings.randomFault()
  const { table, sandbox } = route
  const seen: SeenUpsert = { clientId, table, sandbox, body: body.kind === 'body' ? body.bytes : Buffer.alloc(0) }
  return underFault({
    seen,
    onArrived: context.onUpsert,
    onAnswered: context.onAnswered,
    takeFault: () => fault,
    carryOut,
    successAnswer: (status) => accepted(status, 'a scripted answer; nothing was stored', context.now()),
    closing: context.closing,
  })
}

/** Stores all points of an upsert or none (service-interface.md#b3-upsert). For refusals see decisions.md#refusals-come-in-one-order. */
async function upsert(route: UpsertRoute, body: ReadBody, context: Context): Promise<Answer> {
  const client = authorise(route, context)
  if ('refused' in client) return client.refused
  const { table } = route
  if (table === undefined) return refusal(400, ['the table name is not valid percent-encoding of UTF-8'])
  if (!TABLE_NAME.test(table)) {
    return refusal(400, ['the table name must be letters, digits and underscores, at least one'])
  }
  const bytes = readBytes(body)
  if ('refused' in bytes) return bytes.refused
  const reading = readPoints(bytes.value)
  if ('reasons' in reading) return refusal(400, reading.reasons)
  const count = reading.points.length
  const taken = count === 1 ? '1 point taken' : `${count} points taken`
  if (route.sandbox) {
    return { ...accepted(201, `${taken}; the sandbox stores nothing`, context.now()), points: count }
  }
  const added = await context.store.upsert(client.value, table, bytes.value, reading.points, context.now())
  const status = added > 0 || context.compat ? 201 : 200
  return { ...accepted(status, `${taken}; rows that are new: ${added}`, context.now()), points: count }
}
