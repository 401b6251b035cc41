// What an exchange with the onboarding interface came to: above all, whether a creating request may have been carried out
// although nothing says so. A table from status to outcome; knows no HTTP library.

import type { z } from 'zod'
import { ConnectorError } from '../../core/errors.ts'
import type { Endpoint } from '../contract.ts'
import { retryAfterMs, describeBody, header, serviceWords } from '../http/answer.ts'
import type { Exchange } from '../http/attempt.ts'
import { isCutOff } from '../http/cut-off.ts'
import { diagnose } from '../http/failure.ts'
import type { Target } from '../http/told-exchange.ts'
import { readAnswer } from './onboarding-answers.ts'
import type { HttpAnswer } from '../http/answer.ts'

/** answered: carried out.
 *  retry: may pass; `ambiguous`: the request may have been carried out all the same.
 *  refused: it was not carried out, and will not be as it is.
 *  unclear: it was carried out, as it seems, but the answer is not what it should be.
 *  stop: something must be changed; `ambiguous` as above. */
export type Called<T> =
  | { readonly status: 'answered'; readonly value: T }
  | Passing
  | { readonly status: 'refused'; readonly code: number; readonly reason: string }
  | { readonly status: 'unclear'; readonly reason: string }
  | { readonly status: 'stop'; readonly error: ConnectorError; readonly ambiguous: boolean }

/** `remedy`: whole sentences on what to do if it does not pass. */
export interface Passing {
  readonly status: 'retry'
  readonly reason: string
  readonly remedy?: string
  readonly ambiguous: boolean
  readonly afterMs?: number
}

export const ENDPOINT_WORDS: Readonly<Record<Endpoint, string>> = {
  A1: 'log in',
  A2: 'create the client',
  A3: 'ask for the signup',
  A4: 'create the user',
  A5: 'set the properties',
  A6: 'add the connection',
  A7: 'list the connections',
  A8: 'start the connection test',
  A9: 'ask for the connection test',
  A10: 'create the dashboards',
  A11: 'ask for the dashboards',
}

/** "A2 (create the client)". */
export function named(endpoint: Endpoint): string {
  return `${endpoint} (${ENDPOINT_WORDS[endpoint]})`
}

/** `now`: milliseconds since 1970, for a Retry-After that is a date. Never throws. */
export function calledOf<T>(
  exchange: Exchange,
  endpoint: Endpoint,
  schema: z.ZodType<T>,
  target: Target,
  now: number,
): Called<T> {
  if (exchange.kind === 'answer') return judged(exchange, endpoint, schema, target, now)
  const { found, remedy, nature } = diagnose(exchange, target)
  if (nature === 'unusable' || nature === 'ours') {
    const kind = nature === 'ours' ? 'system' : 'config'
    const error = new ConnectorError(kind, `${named(endpoint)}: ${found}. ${remedy}`)
    return { status: 'stop', error, ambiguous: exchange.begun }
  }
  return { status: 'retry', reason: `${named(endpoint)}: ${found}`, remedy, ambiguous: exchange.begun }
}

function judged<T>(
  answer: HttpAnswer,
  endpoint: Endpoint,
  schema: z.ZodType<T>,
  target: Target,
  now: number,
): Called<T> {
  const { status } = answer
  if (status >= 200 && status < 300) return success(answer, endpoint, schema, target)
  const reason = `${named(endpoint)}: ${answered(answer, endpoint, target)}`
  if (status >= 300 && status < 400) {
    // These two ask to send it once more, elsewhere. Any other is also how a page says that it has done what was asked.
    const ambiguous = status !== 307 && status !== 308
    return { status: 'stop', error: redirected(reason, target), ambiguous }
  }
  if (status === 408 || status === 429 || (status >= 500 && status < 600)) {
    const afterMs = retryAfterMs(header(answer, 'retry-after'), now)
    return {
      status: 'retry',
      reason,
      ambiguous: mayHaveBegun(status, afterMs),
      ...(afterMs === undefined ? {} : { afterMs }),
    }
  }
  if (status >= 400 && status < 500) return { status: 'refused', code: status, reason }
  return { status: 'unclear', reason: `${reason}, a status that HTTP does not know` }
}

/** Who answers 408 or 429 has not begun, nor has who answers 503 and says when to come back. A bare 503 is also what a proxy
 *  says whose connection to the service broke behind the work, as is any other fault. */
function mayHaveBegun(status: number, afterMs: number | undefined): boolean {
  if (status === 503) return afterMs === undefined
  return status !== 408 && status !== 429
}

function success<T>(answer: HttpAnswer, endpoint: Endpoint, schema: z.ZodType<T>, target: Target): Called<T> {
  const { status, end } = answer
  const said = `${named(endpoint)}: ${target.origin} answered ${status}`
  if (end === 'lost' || end === 'timeout' || end === 'aborted' || isCutOff(answer, '{[')) {
    return { status: 'retry', reason: `${said}, but the answer broke off`, ambiguous: true }
  }
  if (end === 'endless' || answer.length > answer.body.length) {
    return { status: 'unclear', reason: `${said}, but the answer is larger than any answer can be` }
  }
  const body = describeBody(answer, target.scrub)
  if (body.startsWith('an HTML page') || body.startsWith('a compressed body')) {
    return {
      status: 'unclear',
      reason: `${said}, but with ${body}, a proxy's or a login page perhaps (${target.addressOption})`,
    }
  }
  // A5's body is not shown, so it may be anything.
  const read = endpoint === 'A5' ? { value: undefined as T } : readAnswer(answer, schema)
  return 'problem' in read
    ? { status: 'unclear', reason: `${said}, but ${read.problem}` }
    : { status: 'answered', ...read }
}

function redirected(reason: string, { addressOption }: Target): ConnectorError {
  return new ConnectorError(
    'config',
    `${reason}, a redirect. Redirects are never followed, as they could carry the token elsewhere: set ${addressOption} to the address itself.`,
  )
}

function answered(answer: HttpAnswer, endpoint: Endpoint, { origin, scrub }: Target): string {
  const words = endpoint === 'A1' && holdsToken(answer) ? '' : serviceWords(answer, scrub)
  return `${origin} answered ${answer.status}${words === '' ? '' : ` (${words})`}`
}

/** A token that nobody has learnt yet, so that it cannot be taken out. */
function holdsToken({ body }: HttpAnswer): boolean {
  return /(?:access|refresh)_?token[\\"'\s]*[:=]/i.test(Buffer.from(body).toString('latin1'))
}
