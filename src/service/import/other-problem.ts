// What a 4xx means that speaks neither of a record nor of address, client or key: someone must act, or wait. Knows no outcome.

import { serviceWords } from '../http/answer.ts'
import type { HttpAnswer } from '../http/answer.ts'
import type { Target } from '../http/told-exchange.ts'

interface Meaning {
  /** Behind "answered N: ". */
  readonly found: string
  readonly remedy: string
  /** Whether a later run may do, with nothing changed. */
  readonly passes?: boolean
}

const ASK = 'ask the operator of the service.'
const BUSY: Meaning = {
  found: 'something else holds what was to be written',
  remedy: `Run it again later; if it stays so, ${ASK}`,
  passes: true,
}

const MEANINGS: Readonly<Record<number, Meaning>> = {
  402: {
    found: 'the service wants to be paid first, or a quota is used up',
    remedy: `See to the account of this client, or ${ASK}`,
  },
  407: {
    found: 'something before the service wants a user name and a password, as a proxy does',
    remedy: 'Check what stands between, and https_proxy and http_proxy.',
  },
  409: BUSY,
  410: { found: 'what was asked for is gone for good', remedy: `Check client_id, or ${ASK}` },
  423: BUSY,
  425: BUSY,
  451: { found: 'the service may not take this, for legal reasons', remedy: `To know more, ${ASK}` },
}

const UNKNOWN: Omit<Meaning, 'remedy'> = { found: 'the service, or something before it, does not take this request' }

/** `passes`: whether a later run may do, with nothing changed. */
export function otherProblem(
  answer: HttpAnswer,
  target: Target,
): { readonly message: string; readonly passes: boolean } {
  const { origin, clientId, addressOption, scrub } = target
  const unknown = { ...UNKNOWN, remedy: `Check ${addressOption} and what stands between, or ${ASK}` }
  const { found, remedy, passes = false }: Meaning = MEANINGS[answer.status] ?? unknown
  const words = serviceWords(answer, scrub)
  const said = words === '' ? '' : ` (${words})`
  return { message: `${origin} answered ${answer.status} for client ${clientId}${said}: ${found}. ${remedy}`, passes }
}
