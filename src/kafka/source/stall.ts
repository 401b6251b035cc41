// Decides when a run of `stream` ends because the service, the registry or a token server has kept it waiting for too long.

import type { Code } from '../../core/codes.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { HeldToken } from '../../identity/held-token.ts'
import type { RunFacts } from '../../run/run-facts.ts'
import { counted } from '../../text/figures.ts'

interface StallParts {
  /** How long nothing may be settled, or the registry not answer. */
  readonly stallDeadlineMs: number
  /** What tells since when a batch waits for schemas, the one that has waited longest. `undefined` when no topic needs schemas. */
  readonly schemas: { readonly since: number | undefined } | undefined
  /** The tokens that logins need; `failed` is the error of one that will never come. */
  readonly tokens: readonly Pick<HeldToken, 'failed'>[]
  /** Whether it is a dry run, in which nothing is sent or committed. */
  readonly isDry: boolean
}

/** Judges the facts of a run at the time `at`; called each second.
 *  @returns the error that ends the run; `undefined` when it goes on */
export function whyStalled(
  { at, delivery }: Pick<RunFacts, 'at' | 'delivery'>,
  { stallDeadlineMs, schemas, tokens, isDry }: StallParts,
): ConnectorError | undefined {
  const tokenError = tokens.find((token) => token.failed)?.failed
  if (tokenError) return tokenError
  const isOver = (since: number): boolean => at - since >= stallDeadlineMs
  const seconds = `${Math.round(stallDeadlineMs / 1000)} s${isDry ? '' : ' (stall_deadline_seconds)'}`
  const { outstanding, settledAt } = delivery
  if (outstanding > 0 && isOver(settledAt)) {
    const waiting = `${counted(outstanding, 'record')} ${outstanding === 1 ? 'waits' : 'wait'}`
    return stallError('run.stalled', `Nothing was settled for ${seconds} although ${waiting}.`, 'service')
  }
  if (schemas?.since === undefined || !isOver(schemas.since)) return undefined
  const found = `The schema registry did not answer for ${seconds} although records wait.`
  return stallError('registry.unreachable', found, 'schema registry', isDry)
}

function stallError(code: Code, found: string, awaited: string, isDry = false): ConnectorError {
  const howItGoesOn = isDry ? '' : ': it continues from the committed offsets'
  const remedy = `Start it again when the ${awaited} answers${howItGoesOn}.`
  return new ConnectorError('transient', code, `${found} ${remedy}`)
}
