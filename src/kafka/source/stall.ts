// When a run of `stream` cannot go on: the service, the registry or a token server has kept it waiting for too long.

import type { Code } from '../../core/codes.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { HeldToken } from '../../identity/held-token.ts'
import type { RunFacts } from '../../run/run-facts.ts'
import { counted } from '../../text/figures.ts'

interface StallParts {
  readonly stallDeadlineMs: number
  /** The time since when a batch waits for schemas, the one that waits longest. `undefined` when no topic needs schemas. */
  readonly schemas: { readonly since: number | undefined } | undefined
  /** The tokens that logins need. */
  readonly tokens: readonly Pick<HeldToken, 'failed'>[]
  /** Nothing is sent or committed. */
  readonly isDry: boolean
}

/** Judges the facts of each second.
 *  @returns the error that ends the run; `undefined` when it goes on */
export function whyStalled(
  { at, delivery }: Pick<RunFacts, 'at' | 'delivery'>,
  { stallDeadlineMs, schemas, tokens, isDry }: StallParts,
): ConnectorError | undefined {
  const failed = tokens.find((token) => token.failed)?.failed
  if (failed) return failed
  const isOver = (since: number): boolean => at - since >= stallDeadlineMs
  const seconds = `${Math.round(stallDeadlineMs / 1000)} s${isDry ? '' : ' (stall_deadline_seconds)'}`
  const { outstanding, settledAt } = delivery
  if (outstanding > 0 && isOver(settledAt)) {
    const waiting = `${counted(outstanding, 'record')} ${outstanding === 1 ? 'waits' : 'wait'}`
    return stall('run.stalled', `Nothing was settled for ${seconds} although ${waiting}.`, 'service')
  }
  if (schemas?.since === undefined || !isOver(schemas.since)) return undefined
  const found = `The schema registry did not answer for ${seconds} although records wait.`
  return stall('registry.unreachable', found, 'schema registry', isDry)
}

function stall(code: Code, found: string, who: string, isDry = false): ConnectorError {
  const goesOn = isDry ? '' : ': it continues from the committed offsets'
  const remedy = `Start it again when the ${who} answers${goesOn}.`
  return new ConnectorError('transient', code, `${found} ${remedy}`)
}
