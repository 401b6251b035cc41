// One upsert as it goes with faults, scripted or random: hooks, delay, fault, or the ordinary way. Knows no HTTP server.

import { setTimeout as wait } from 'node:timers/promises'
import { accepted, refusal } from './answers.ts'
import type { Context } from './context.ts'
import { answerFaults } from './fault-description.ts'
import type { RequestBody } from './read-body.ts'
import type { Answer, Ending, Fault, ScriptedAnswer, SeenUpsert } from './types.ts'
import { type Upserted, upsert, type UpsertRoute } from './upsert.ts'

export interface UpsertEnding {
  readonly ending: Ending
  readonly points: number
}

/** Carries the upsert out even if its sender goes meanwhile: that is how a late write comes about. */
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
