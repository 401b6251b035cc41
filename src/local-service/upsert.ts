// Endpoint B3, and its sandbox twin (B4): one upsert from a body that has arrived to rows and an answer, as it goes with
// faults, scripted or random.

import { setTimeout as wait } from 'node:timers/promises'
import { TABLE_NAME } from '../service/contract.ts'
import { accepted, refusal } from './answers.ts'
import { authorise } from './authorise.ts'
import type { Context } from './context.ts'
import { answerFaults } from './fault-description.ts'
import { readPoints } from './read-points.ts'
import type { Route } from './route.ts'
import type { Answer, Ending, Fault, ScriptedAnswer, SeenUpsert } from './types.ts'
import type { RequestBody } from './read-request.ts'

export interface UpsertEnding {
  readonly ending: Ending
  readonly points: number
}

/** Carries the upsert out even if its sender disconnects meanwhile: this is how a late write happens. */
export async function faultyUpsert(
  route: UpsertRoute,
  body: Exclude<RequestBody, { kind: 'aborted' }>,
  context: Context,
): Promise<UpsertEnding> {
  const clientId = context.clients.named(route.client)
  if (clientId === undefined) return ordinary(await upsert(route, body, context))
  const fault = context.faults.take(route.table) ?? context.randomFaults.take()
  const seen: SeenUpsert = {
    clientId,
    table: route.table,
    sandbox: route.sandbox,
    body: body.kind === 'body' ? body.bytes : Buffer.alloc(0),
  }
  let result: UpsertEnding | undefined
  try {
    await context.onUpsert?.(seen)
    result = await underFault(fault, seen, () => upsert(route, body, context), context)
    return result
  } finally {
    context.onAnswered?.(seen, statusOf(result, context))
  }
}

/** Without a result something was thrown: the local service is closing, or it has a defect. */
function statusOf(result: UpsertEnding | undefined, context: Context): number | 'reset' {
  if (result === undefined) return context.closing.aborted ? 'reset' : 500
  return result.ending === 'reset' ? 'reset' : result.ending.status
}

async function underFault(
  fault: Fault | undefined,
  seen: SeenUpsert,
  carryOut: () => Promise<Upserted>,
  context: Context,
): Promise<UpsertEnding> {
  if (fault?.delay_ms !== undefined) await wait(fault.delay_ms, undefined, { signal: context.closing })
  if (fault?.reset === 'before') return { ending: 'reset', points: 0 }
  const scripted = await scriptedAnswer(fault, seen)
  if (scripted !== undefined) return { ending: answerOf(scripted, context.now()), points: 0 }
  const { ending, points } = ordinary(await carryOut())
  return { ending: fault?.reset === 'after' ? 'reset' : ending, points }
}

function ordinary({ answer, points }: Upserted): UpsertEnding {
  return { ending: answer, points }
}

async function scriptedAnswer(fault: Fault | undefined, seen: SeenUpsert): Promise<ScriptedAnswer | undefined> {
  const answer = fault?.answer
  if (typeof answer !== 'function') return answer
  const made = await answer(seen)
  const faults = made === undefined ? [] : answerFaults(made, false)
  if (faults.length > 0) throw new Error(`a scripted answer is none: ${faults.join('; ')}`)
  return made
}

function answerOf({ status, headers = {}, body }: ScriptedAnswer, now: number): Answer {
  if (body === undefined) {
    const ordinary =
      status < 300 ? accepted(200, 'a scripted answer; nothing was stored', now) : refusal(status, ['a scripted fault'])
    return { ...ordinary, status, headers }
  }
  return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }
}

type UpsertRoute = Extract<Route, { kind: 'upsert' }>

interface Upserted {
  readonly answer: Answer
  /** Points taken; 0 when it was refused. */
  readonly points: number
}

/** service-interface.md#b3-upsert; the order of refusals is that of decisions.md#refusals-come-in-one-order. Atomic:
 *  all points or none. */
async function upsert(
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
  const added = await context.store.upsert(client, table, body.bytes, reading.points, context.now())
  const status = added > 0 || context.compat ? 201 : 200
  return { answer: accepted(status, `${taken}; rows that are new: ${added}`, context.now()), points: count }
}

function refused(answer: Answer): Upserted {
  return { answer, points: 0 }
}
