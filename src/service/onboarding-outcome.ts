// What an exchange with the onboarding interface came to: above all, whether a creating request may have been carried out
// although nothing says so. A table from status to outcome; knows no HTTP library.

import type { z } from 'zod'

import { ConnectorError } from '../core/errors.ts'
import type { Answer } from './answer.ts'
import { describeBody, header, serviceWords } from './answer.ts'
import type { Exchange } from './attempt.ts'
import { diagnose } from './failure.ts'
import { readAnswer } from './onboarding-answers.ts'
import type { Endpoint } from './onboarding-types.ts'
import { retryAfterMs } from './retry-after.ts'
import type { Target } from './target.ts'

/** answered: carried out.
 *  retry: may pass; `ambiguous`: the request may have been carried out all the same.
 *  refused: it was not carried out, and will not be as it is.
 *  unclear: it was carried out, as it seems, but the answer is not what it should be.
 *  stop: something must be changed; `ambiguous` as above. */
export type Called<T> =
  | { readonly status: 'answered'; readonly value: T }
  | { readonly status: 'retry'; readonly reason: string; readonly ambiguous: boolean; readonly afterMs?: number }
  | { readonly status: 'refused'; readonly code: number; readonly reason: string }
  | { readonly status: 'unclear'; readonly reason: string }
  | { readonly status: 'stop'; readonly error: ConnectorError; readonly ambiguous: boolean }

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
  return { status: 'retry', reason: `${named(endpoint)}: ${found}`, ambiguous: exchange.begun }
}

function judged<T>(answer: Answer, endpoint: Endpoint, schema: z.ZodType<T>, target: Target, now: number): Called<T> {
  const { status } = answer
  if (status >= 200 && status < 300) return success(answer, endpoint, schema, target)
  const reason = `${named(endpoint)}: ${answered(answer, target)}`
  if (status >= 300 && status < 400) return { status: 'stop', error: redirected(reason, target), ambiguous: false }
  if (status === 408 || status === 429 || (status >= 500 && status < 600)) {
    const afterMs = retryAfterMs(header(answer, 'retry-after'), now)
    // Who answers 408, 429 or 503 has not begun; any other fault may have come behind the work.
    const ambiguous = status !== 408 && status !== 429 && status !== 503
    return { status: 'retry', reason, ambiguous, ...(afterMs === undefined ? {} : { afterMs }) }
  }
  if (status >= 400 && status < 500) return { status: 'refused', code: status, reason }
  return { status: 'unclear', reason: `${reason}, a status that HTTP does not know` }
}

function success<T>(answer: Answer, endpoint: Endpoint, schema: z.ZodType<T>, target: Target): Called<T> {
  const { status, end } = answer
  const said = `${named(endpoint)}: ${target.origin} answered ${status}`
  if (end === 'lost' || end === 'timeout' || end === 'aborted') {
    return { status: 'retry', reason: `${said}, but the answer broke off`, ambiguous: true }
  }
  if (end === 'endless' || answer.length > answer.body.length) {
    return { status: 'unclear', reason: `${said}, but the answer is larger than any answer can be` }
  }
  const body = describeBody(answer, target.scrub)
  if (body.startsWith('an HTML page') || body.startsWith('a compressed body')) {
    return {
      status: 'unclear',
      reason: `${said}, but with ${body}: check ${target.addressOption} and what stands between`,
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

function answered(answer: Answer, { origin, scrub }: Target): string {
  const words = serviceWords(answer, scrub)
  return `${origin} answered ${answer.status}${words === '' ? '' : ` (${words})`}`
}
