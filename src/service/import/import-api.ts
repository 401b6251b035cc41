// The requests of a check, B1 and B2: does the service answer, and does it take this key for this client? Each is one attempt; what is
// asked, and how often, is decided in probe-service.ts.

import type { Code, Coded } from '../../core/codes.ts'
import { wholeMessage } from '../../core/errors.ts'
import { authenticatePath, STATUS_PATH } from '../contract.ts'
import { acknowledges, isCutOff, targetOf, type HttpAnswer, type Target } from '../http/answer.ts'
import type { Exchange } from '../http/attempt.ts'
import { brokenOff, diagnose } from '../http/failure.ts'
import { createHttp, type ServiceOptions } from '../http/http.ts'
import { meaningOf } from '../statuses.ts'
import { answered, isRedirect, statusCode, statusProblem, strangerProblem } from '../status-messages.ts'

/** The result of one request. */
export type Finding = { readonly status: 'working' } | ServiceProblem

export interface ServiceProblem {
  /** unavailable: a retry may help; unreachable: no answer came, and another request would get none either; failed: something must be
   *  changed. */
  readonly status: 'unavailable' | 'unreachable' | 'failed'
  readonly code: Code
  /** The finding and the remedy. */
  readonly problem: string
  /** The status of the answer. `undefined` when none came. */
  readonly httpStatus?: number
}

/** A client for B1 and B2, which never throw. Connects at the first request. Disposing closes every connection. */
export function createImportApi(options: ServiceOptions) {
  const http = createHttp({ ...options, connections: 1 })
  const target = targetOf(options)
  return {
    async status(signal: AbortSignal): Promise<Finding> {
      const exchange = await http.exchange({ method: 'GET', path: STATUS_PATH }, signal)
      return judge(exchange, target, (answer) => addressProblem(answer, target))
    },
    async authenticate(signal: AbortSignal): Promise<Finding> {
      const path = authenticatePath(options.clientId)
      const exchange = await http.exchange({ method: 'GET', path, key: options.apiKey }, signal)
      return lost(exchange, target) ?? judge(exchange, target, (answer) => keyProblem(answer, target))
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}

function judge(exchange: Exchange, target: Target, problemOf: (answer: HttpAnswer) => Coded | undefined): Finding {
  if (exchange.kind === 'failure') {
    const { found, remedy, nature, code } = diagnose(exchange, target)
    const status = nature === 'network' && exchange.begun ? 'unavailable' : 'unreachable'
    const isFinal = nature === 'unusable' || nature === 'ours'
    return { status: isFinal ? 'failed' : status, code, problem: `${found}. ${remedy}` }
  }
  const { status } = exchange
  const failed = (code: Code, problem: string): Finding => ({ status: 'failed', httpStatus: status, code, problem })
  const meaning = meaningOf(status, 'check')
  if (meaning === 'retry')
    return {
      status: 'unavailable',
      httpStatus: status,
      code: status === 429 ? 'service.throttled' : 'service.unavailable',
      problem: `${answered(exchange, target)}: it is not working right now. Try again later; if this persists, ask the operator of the service.`,
    }
  if (meaning === 'unknown' || isRedirect(status))
    return failed(statusCode(status), wholeMessage(statusProblem(exchange, target)))
  const problem = problemOf(exchange)
  return problem === undefined ? { status: 'working' } : failed(problem.code, problem.text)
}

/** The document does not show the body of B1: any 2xx will do. */
function addressProblem(answer: HttpAnswer, target: Target): Coded | undefined {
  if (meaningOf(answer.status, 'check') === 'done') return undefined
  const text = `${answered(answer, target)} when asked for its status, so this is not the import interface of the Analytics Service. Check ${target.addressOption}: it is the import address itself, without /v2, and without a path that does not exist there.`
  return { code: answer.status === 404 ? 'service.not-found' : 'service.not-the-service', text }
}

function keyProblem(answer: HttpAnswer, target: Target): Coded | undefined {
  if (meaningOf(answer.status, 'check') === 'done') {
    return acknowledges(answer)
      ? undefined
      : { code: 'service.not-the-service', text: wholeMessage(strangerProblem(answer, target)) }
  }
  const code = statusCode(answer.status)
  if (answer.status !== 400 && answer.status !== 422) return { code, text: wholeMessage(statusProblem(answer, target)) }
  return {
    code,
    text: `${answered(answer, target)} when asked about the key. Check client_id, api_key and ${target.addressOption}.`,
  }
}

/** The finding for an answer that broke off after a 2xx. `undefined` when it did not. */
function lost(exchange: Exchange, target: Target): Finding | undefined {
  if (exchange.kind === 'failure' || meaningOf(exchange.status, 'check') !== 'done') return undefined
  const end = isCutOff(exchange) ? 'lost' : exchange.end
  if (end === 'whole' || end === 'endless') return undefined
  const { found, remedy, code } = diagnose(brokenOff(end), target)
  return { status: 'unavailable', httpStatus: exchange.status, code, problem: `${found}. ${remedy}` }
}
