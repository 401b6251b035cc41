// What an answer means for the upsert that was sent, as an Outcome of core/types.ts (decisions.md#a-2xx-with-a-json-object-acknowledges,
// decisions.md#three-refusals-alone-blame-the-table). Meanings of statuses are in statuses.ts, that of no answer in failure.ts.

import type { Code } from '../../core/codes.ts'
import { ConnectorError, type ErrorKind, type MessageParts } from '../../core/errors.ts'
import { statusCause } from '../../core/network.ts'
import type { Outcome } from '../../core/types.ts'
import { acknowledges, header, isCutOff, retryAfterMs, type HttpAnswer, type Target } from '../http/answer.ts'
import { serviceWords } from '../http/answer-words.ts'
import { brokenOff, outcomeOf } from '../http/failure.ts'
import { meaningOf } from '../statuses.ts'
import { isAboutAccess, statusCode, statusProblem, strangerProblem } from '../status-messages.ts'

const SEND_FEWER =
  'Send fewer requests (max_requests_per_second), or ask the operator of the service how many it accepts.'
const ASK_OPERATOR = 'If this persists, ask the operator of the service.'

/** The outcome that an answer means. Never throws.
 *  @param now milliseconds since 1970, for a Retry-After that is a date */
export function classify(answer: HttpAnswer, target: Target, now: number): Outcome {
  const meaning = meaningOf(answer.status, 'upsert')
  switch (meaning) {
    case 'done':
      return success(answer, target)
    case 'retry':
    case 'retry?':
      return retry(answer, target, now, { ambiguous: meaning === 'retry?' })
    case 'split':
      return { status: 'too-large' }
    case 'refused':
      return { status: 'refused', reason: refusalWords(answer, target) }
    case 'unknown':
      return stop('system', statusCode(answer.status), statusProblem(answer, target))
    case 'stop':
    case 'later':
      return stop(meaning === 'later' ? 'transient' : 'config', statusCode(answer.status), stopProblem(answer, target))
    default:
      return meaning satisfies never
  }
}

/** The outcome of a 2xx: delivered only if the body acknowledges. A body that broke off may have been about to do so. */
function success(answer: HttpAnswer, target: Target): Outcome {
  if (acknowledges(answer)) return { status: 'delivered' }
  if (answer.end !== 'whole' && answer.end !== 'endless') return outcomeOf(brokenOff(answer.end), target)
  if (isCutOff(answer)) return outcomeOf(brokenOff('lost'), target)
  return stop('config', 'service.not-the-service', strangerProblem(answer, target))
}

/** The outcome of a temporary failure. `ambiguous`: the upsert may have been carried out. */
function retry(answer: HttpAnswer, target: Target, now: number, { ambiguous }: { ambiguous: boolean }): Outcome {
  const { status } = answer
  const afterMs = retryAfterMs(header(answer, 'retry-after'), now)
  return {
    status: 'retry',
    cause: status === 429 ? 'throttled' : 'server',
    ambiguous,
    congestion: status === 429 || status === 503, // too much may be sent
    // without the service's words, which may repeat records
    reason: `${target.origin} answered ${status}`,
    remedy: status === 429 ? SEND_FEWER : ASK_OPERATOR,
    why: statusCause(status),
    ...(afterMs === undefined ? {} : { afterMs }),
  }
}

/** The message of a status that stops the run: a search for a bad record would reject one after another, although none is at fault. */
function stopProblem(answer: HttpAnswer, target: Target): MessageParts {
  const problem = statusProblem(answer, target)
  return isAboutAccess(answer.status)
    ? problem
    : (said) => `${problem(said)} It says nothing about a record, so none was rejected for it.`
}

function stop(kind: ErrorKind, code: Code, message: MessageParts): Outcome {
  return { status: 'stop', error: new ConnectorError(kind, code, message) }
}

/** The service's reason, behind its status when that is not the usual 400. */
function refusalWords(answer: HttpAnswer, { scrub }: Target): string {
  const words = serviceWords(answer, scrub)
  const status = answer.status === 400 ? '' : `${answer.status}: `
  return `${status}${words === '' ? 'the service gave no reason' : words}`
}
