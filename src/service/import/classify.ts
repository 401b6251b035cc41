// What an answer means for the upsert that was sent (decisions.md#a-2xx-with-a-json-object-acknowledges,
// decisions.md#three-refusals-alone-blame-the-table). What each status means is in statuses.ts (`retry?`: it may have been carried out), what
// no answer means in failure.ts.

import type { Code } from '../../core/codes.ts'
import { ConnectorError, type ErrorKind, type MessageParts } from '../../core/errors.ts'
import { statusCause } from '../../core/network.ts'
import type { Outcome } from '../../core/types.ts'
import { acknowledges, header, isCutOff, retryAfterMs, type HttpAnswer, type Target } from '../http/answer.ts'
import { serviceWords } from '../http/answer-words.ts'
import { brokenOff, outcomeOf } from '../http/failure.ts'
import { meaningOf } from '../statuses.ts'
import { isAboutAccess, statusCode, statusProblem, strangerProblem } from '../status-messages.ts'

const TOO_MANY =
  'Send fewer requests (max_requests_per_second), or ask the operator of the service how many it accepts.'
const ILL = 'If this persists, ask the operator of the service.'

/** The outcome that an answer means. Never throws.
 *  @param now milliseconds since 1970, for a Retry-After that is a date */
export function classify(answer: HttpAnswer, target: Target, now: number): Outcome {
  const meaning = meaningOf(answer.status, 'upsert')
  switch (meaning) {
    case 'done':
      return success(answer, target)
    case 'retry':
    case 'retry?':
      return again(answer, target, now, meaning === 'retry?')
    case 'split':
      return { status: 'too-large' }
    case 'refused':
      return { status: 'refused', reason: refusal(answer, target) }
    case 'unknown':
      return stop('system', statusCode(answer.status), statusProblem(answer, target))
    case 'stop':
    case 'later':
      return stop(meaning === 'later' ? 'transient' : 'config', statusCode(answer.status), stopProblem(answer, target))
    default:
      return meaning satisfies never
  }
}

function success(answer: HttpAnswer, target: Target): Outcome {
  if (acknowledges(answer)) return { status: 'delivered' }
  if (answer.end !== 'whole' && answer.end !== 'endless') return outcomeOf(brokenOff(answer.end), target)
  if (isCutOff(answer)) return outcomeOf(brokenOff('lost'), target)
  return stop('config', 'service.not-the-service', strangerProblem(answer, target))
}

function again(answer: HttpAnswer, target: Target, now: number, ambiguous: boolean): Outcome {
  const { status } = answer
  const afterMs = retryAfterMs(header(answer, 'retry-after'), now)
  return {
    status: 'retry',
    cause: status === 429 ? 'throttled' : 'server',
    ambiguous,
    congestion: status === 429 || status === 503,
    // without the body's message, which may echo records
    reason: `${target.origin} answered ${status}`,
    remedy: status === 429 ? TOO_MANY : ILL,
    why: statusCause(status),
    ...(afterMs === undefined ? {} : { afterMs }),
  }
}

/** The problem that stops a run, without bisection, which would reject one record after another although none is at fault. */
function stopProblem(answer: HttpAnswer, target: Target): MessageParts {
  const problem = statusProblem(answer, target)
  return isAboutAccess(answer.status)
    ? problem
    : (said) => `${problem(said)} It says nothing about a record, so none was rejected for it.`
}

function stop(kind: ErrorKind, code: Code, message: MessageParts): Outcome {
  return { status: 'stop', error: new ConnectorError(kind, code, message) }
}

function refusal(answer: HttpAnswer, { scrub }: Target): string {
  const words = serviceWords(answer, scrub)
  const status = answer.status === 400 ? '' : `${answer.status}: `
  return `${status}${words === '' ? 'the service gave no reason' : words}`
}
