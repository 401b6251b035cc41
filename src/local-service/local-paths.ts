// The paths under /_local that are about scripted faults. They ask for no key.

import { done, refusal, htmlSafeJson } from './answers.ts'
import type { Context } from './context.ts'
import { faultFaults } from './fault-description.ts'
import { shownFault } from './faults.ts'
import { jsonBody } from './local-request.ts'
import type { Answer, Fault } from './types.ts'
import type { RequestBody } from './read-request.ts'

/** `GET /_local/faults`: those that wait, in the order they were scripted. */
export function listFaults({ faults }: Context): Answer {
  return { status: 200, body: htmlSafeJson(faults.waiting().map(shownFault)) }
}

/** `POST /_local/faults`. */
export function scriptFault(body: Exclude<RequestBody, { kind: 'aborted' }>, context: Context): Answer {
  const read = jsonBody(body)
  if ('refused' in read) return read.refused
  const reasons = faultFaults(read.value, false)
  if (reasons.length > 0) return refusal(400, reasons)
  context.faults.add(read.value as Fault)
  return done('the fault waits for its upserts', 201)
}

/** `DELETE /_local/faults`. */
export function clearFaults(context: Context): Answer {
  return done('no fault is waiting any more', 200, { cleared: context.faults.clear() })
}
