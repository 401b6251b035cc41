// What an answer means for the upsert that was sent: a table from status to outcome
// (decisions.md#a-2xx-with-a-json-object-acknowledges, decisions.md#each-status-has-one-meaning,
// decisions.md#three-refusals-alone-blame-the-table).
// Knows no HTTP library; what no answer means is failure.ts's.

import { ConnectorError } from '../../core/errors.ts'
import type { ErrorKind } from '../../core/errors.ts'
import { statusCause } from '../../core/network.ts'
import type { Outcome } from '../../core/types.ts'
import { retryAfterMs, acknowledges, describeBody, header, serviceWords } from '../http/answer.ts'
import { isCutOff } from '../http/cut-off.ts'
import { cutShort } from '../http/failure.ts'
import type { Target } from '../http/told-exchange.ts'
import { otherProblem } from './other-problem.ts'
import type { HttpAnswer } from '../http/answer.ts'

const TOO_MANY =
  'Let fewer requests go out with max_requests_per_second, or ask the operator of the service how many it takes.'
const ILL = 'If it stays so, ask the operator of the service.'

/** What may be said of a record in the request; of the other 4xx none can (413 is about how many there are). */
const OF_RECORDS: ReadonlySet<number> = new Set([400, 422])

/** `now`: milliseconds since 1970, for a Retry-After that is a date. Never throws. */
export function classify(answer: HttpAnswer, target: Target, now: number): Outcome {
  const { status } = answer
  if (status >= 200 && status < 300) return success(answer, target)
  if (status === 408 || status === 429 || (status >= 500 && status < 600)) return again(answer, target, now)
  if (status === 413) return { status: 'too-large' }
  if (status >= 300 && status < 400) return stop('config', redirectProblem(answer, target))
  const problem = accessProblem(answer, target)
  if (problem !== undefined) return stop('config', problem)
  if (OF_RECORDS.has(status)) return { status: 'refused', reason: refusal(answer, target) }
  if (status >= 400 && status < 500) return other(answer, target)
  return stop(
    'system',
    `${target.origin} answered with the status ${status}, which HTTP does not know. Check what stands between, and ask the operator of the service.`,
  )
}

function success(answer: HttpAnswer, target: Target): Outcome {
  if (acknowledges(answer)) return { status: 'delivered' }
  if (answer.end !== 'whole' && answer.end !== 'endless') return cutShort(answer.end, target)
  if (isCutOff(answer)) return cutShort('lost', target)
  return stop('config', strangerProblem(answer, target))
}

function again(answer: HttpAnswer, target: Target, now: number): Outcome {
  const { status } = answer
  const afterMs = retryAfterMs(header(answer, 'retry-after'), now)
  return {
    status: 'retry',
    cause: status === 429 ? 'throttled' : 'server',
    // A gateway answered in the service's place: the service may have got the body.
    ambiguous: status === 502 || status === 504,
    congestion: status === 429 || status === 503,
    // without the body's words: a fault may echo the records it was sent, and they say nothing the status does not
    reason: `${target.origin} answered ${status}`,
    remedy: status === 429 ? TOO_MANY : ILL,
    why: statusCause(status),
    ...(afterMs === undefined ? {} : { afterMs }),
  }
}

/** Taking the request apart would reject record after record for what none of them has done. */
function other(answer: HttpAnswer, target: Target): Outcome {
  const { message, passes } = otherProblem(answer, target)
  return stop(
    passes ? 'transient' : 'config',
    `${message} It says nothing about a record, so none was rejected for it.`,
  )
}

function stop(kind: ErrorKind, message: string): Outcome {
  return { status: 'stop', error: new ConnectorError(kind, message) }
}

function refusal(answer: HttpAnswer, { scrub }: Target): string {
  const words = serviceWords(answer, scrub)
  const status = answer.status === 400 ? '' : `${answer.status}: `
  return `${status}${words === '' ? 'the service gave no reason' : words}`
}

/** What is wrong when a 2xx is no acknowledgement: someone else answered. */
export function strangerProblem(answer: HttpAnswer, target: Target): string {
  return (
    `${target.origin} answered ${answer.status} with ${describeBody(answer, target.scrub)}: ` +
    `this is not the import interface of the Analytics Service but something before or instead of it, ` +
    `a proxy or a login page perhaps. Check ${target.addressOption} and what stands between.`
  )
}

/** What is wrong when the answer is a redirect. Names no more of the place than its origin. */
export function redirectProblem(answer: HttpAnswer, { origin, addressOption, scrub }: Target): string {
  const to = originOf(header(answer, 'location'), origin)
  const where = to === origin ? 'to another path of the same address' : `to ${to === undefined ? 'nowhere' : scrub(to)}`
  return (
    `${origin} answered ${answer.status}, a redirect ${where}. Redirects are never followed, as they could carry ` +
    `the key elsewhere: set ${addressOption} to the address of the import interface itself.`
  )
}

/** What is wrong with address, client or key; undefined when the status does not speak of them. */
export function accessProblem(answer: HttpAnswer, target: Target): string | undefined {
  const { origin, clientId, addressOption } = target
  const words = serviceWords(answer, target.scrub)
  const found = `${origin} answered ${answer.status} for client ${clientId}${words === '' ? '' : ` (${words})`}`
  switch (answer.status) {
    case 401:
      return `${found}: the key is wrong. Check that api_key is the import key of client_id ${clientId}.`
    case 403:
      return `${found}: the key may not write here. Check api_key, and what this key may do in the product.`
    case 404:
      return `${found}: there is no such client or no import interface at this address. Check client_id, and that ${addressOption} is the import address without /v2.`
    case 405:
      return `${found}: this is not the import interface of the Analytics Service. Check ${addressOption}.`
    default:
      return undefined
  }
}

function originOf(location: string | undefined, base: string): string | undefined {
  if (location === undefined || !URL.canParse(location, base)) return undefined
  const { origin, protocol } = new URL(location, base)
  return origin === 'null' ? protocol : origin
}
