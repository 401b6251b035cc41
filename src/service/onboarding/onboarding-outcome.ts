// The outcome of an exchange with the onboarding interface. Above all: may a request that creates something have been carried out?

import type { z } from 'zod'
import { ConnectorError, NO_CODE } from '../../core/errors.ts'
import type { Endpoint } from '../contract.ts'
import { retryAfterMs, header, isCutOff, type HttpAnswer, type Target } from '../http/answer.ts'
import { describeBody, serviceWords } from '../http/answer-words.ts'
import type { Exchange } from '../http/attempt.ts'
import { diagnose } from '../http/failure.ts'
import { meaningOf } from '../statuses.ts'
import { answered, redirectRemedy } from '../status-messages.ts'
import { readAnswer } from './onboarding-answers.ts'

/** How a call ended.
 *  - answered: it was carried out
 *  - retry: it failed for now; `ambiguous`: it may have been carried out nevertheless
 *  - refused: it was not carried out, and will not be without a change
 *  - unclear: it may have been carried out, but the answer cannot be read, or its status is none of HTTP's
 *  - stop: something must be changed, in the configuration or in this program; `ambiguous` as above */
export type CallOutcome<T> =
  | { readonly status: 'answered'; readonly value: T }
  | TemporaryFailure
  | { readonly status: 'refused'; readonly code: number; readonly reason: string }
  | { readonly status: 'unclear'; readonly reason: string }
  | { readonly status: 'stop'; readonly error: ConnectorError; readonly ambiguous: boolean }

/** A failure that another attempt may not meet. `remedy`: what to do if it persists, in full sentences. `afterMs` and `withinMs`: the next
 *  attempt is not to begin before the one, and is to begin before the other. */
export interface TemporaryFailure {
  readonly status: 'retry'
  readonly reason: string
  readonly remedy?: string
  readonly ambiguous: boolean
  readonly afterMs?: number
  readonly withinMs?: number
}

/** What each request does. */
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

/** The outcome of a call. Never throws.
 *  @param schema of the answer's body (onboarding-answers.ts)
 *  @param now milliseconds since 1970, for a Retry-After that is a date */
export function callOutcomeOf<T>(
  exchange: Exchange,
  endpoint: Endpoint,
  schema: z.ZodType<T>,
  target: Target,
  now: number,
): CallOutcome<T> {
  if (exchange.kind === 'failure') {
    const { found, remedy, nature } = diagnose(exchange, target)
    const { begun: ambiguous } = exchange
    if (nature !== 'unusable' && nature !== 'ours')
      return { status: 'retry', reason: `${named(endpoint)}: ${found}`, remedy, ambiguous }
    const kind = nature === 'ours' ? 'system' : 'config'
    const error = new ConnectorError(kind, NO_CODE, `${named(endpoint)}: ${found}. ${remedy}`)
    return { status: 'stop', error, ambiguous }
  }
  const { status } = exchange
  // a question mark: the request may have been carried out
  const meaning = meaningOf(status, 'onboarding')
  const reason = `${named(endpoint)}: ${answered(exchange, target, wordsOf(exchange, endpoint, target))}`
  switch (meaning) {
    case 'done':
      return success(exchange, endpoint, schema, target)
    case 'retry':
    case 'retry?': {
      const afterMs = retryAfterMs(header(exchange, 'retry-after'), now)
      // A service that says when to come back has not carried it out. A 503 that does not may come from a proxy whose connection to the
      // service broke after the work was done.
      const ambiguous = meaning === 'retry?' && !(status === 503 && afterMs !== undefined)
      return { status: 'retry', reason, ambiguous, ...(afterMs === undefined ? {} : { afterMs }) }
    }
    case 'redirect':
    case 'redirect?': {
      const problem = `${reason}, a redirect. ${redirectRemedy('token', target.addressOption)}`
      const error = new ConnectorError('config', NO_CODE, problem)
      return { status: 'stop', error, ambiguous: meaning === 'redirect?' }
    }
    case 'refused':
      return { status: 'refused', code: status, reason }
    case 'unknown':
      return { status: 'unclear', reason: `${reason}, a status that HTTP does not know` }
    default:
      return meaning satisfies never
  }
}

/** The outcome of a 2xx: answered only if its body is whole and has what the schema demands. */
function success<T>(answer: HttpAnswer, endpoint: Endpoint, schema: z.ZodType<T>, target: Target): CallOutcome<T> {
  const { status, end } = answer
  const head = `${named(endpoint)}: ${target.origin} answered ${status}`
  const unclear = (fault: string): CallOutcome<T> => ({ status: 'unclear', reason: `${head}, but ${fault}` })
  if (end === 'lost' || end === 'timeout' || end === 'aborted' || isCutOff(answer, '{['))
    return { status: 'retry', reason: `${head}, but the answer broke off`, ambiguous: true }
  if (end === 'endless' || answer.length > answer.body.length)
    return unclear('the answer is larger than any answer can be')
  const { kind, words } = describeBody(answer, target.scrub)
  if (kind !== 'other') return unclear(`with ${words}, a proxy's or a login page perhaps (${target.addressOption})`)
  // the service document does not show the answer of A5, so anything counts, also what is not JSON
  const read = endpoint === 'A5' ? { value: undefined as T } : readAnswer(answer, schema)
  return 'problem' in read ? unclear(read.problem) : { status: 'answered', ...read }
}

/** The service's own words, unless they may contain a token. */
function wordsOf(answer: HttpAnswer, endpoint: Endpoint, { scrub }: Target): string {
  return endpoint === 'A1' && holdsToken(answer) ? '' : serviceWords(answer, scrub)
}

/** Whether a body may contain a token, which the scrubber does not know yet and therefore cannot remove. */
function holdsToken({ body }: HttpAnswer): boolean {
  return /(?:access|refresh)_?token[\\"'\s]*[:=]/i.test(Buffer.from(body).toString('latin1'))
}
