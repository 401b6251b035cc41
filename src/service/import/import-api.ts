// The requests of a check: B1 asks whether the service is there, B2 whether it accepts this key for this client (the names are those of the
// service document). Each is one attempt; probe-service.ts decides which are made, and how often.

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
  /** unavailable: a retry may help; unreachable: no answer, and other requests would get none; failed: something must be changed. */
  readonly status: 'unavailable' | 'unreachable' | 'failed'
  readonly code: Code
  /** The finding and the remedy. */
  readonly problem: string
  /** The status of the answer. `undefined` when none came. */
  readonly httpStatus?: number
}

/** A client that makes B1 (`status`) and B2 (`authenticate`). They never throw. Disposing of it closes its connection. */
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
      return brokenOffFinding(exchange, target) ?? judge(exchange, target, (answer) => keyProblem(answer, target))
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}

/** Judges an exchange. `problemOf`: what is wrong with an answer that is no temporary failure and no redirect, if anything is. */
function judge(exchange: Exchange, target: Target, problemOf: (answer: HttpAnswer) => Coded | undefined): Finding {
  if (exchange.kind === 'failure') {
    const { found, remedy, nature, code } = diagnose(exchange, target)
    const isFinal = nature === 'unusable' || nature === 'ours'
    const mayAnswer = nature === 'network' && exchange.begun // it accepted the connection, so it may answer another request
    const status = isFinal ? 'failed' : mayAnswer ? 'unavailable' : 'unreachable'
    return { status, code, problem: `${found}. ${remedy}` }
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

/** The problem of an answer to B1. The service document does not show its body, so any 2xx is as it should be. */
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

/** The finding for a 2xx whose body broke off. `undefined` when it is anything else. */
function brokenOffFinding(exchange: Exchange, target: Target): Finding | undefined {
  if (exchange.kind === 'failure' || meaningOf(exchange.status, 'check') !== 'done') return undefined
  const end = isCutOff(exchange) ? 'lost' : exchange.end
  if (end === 'whole' || end === 'endless') return undefined
  const { found, remedy, code } = diagnose(brokenOff(end), target)
  return { status: 'unavailable', httpStatus: exchange.status, code, problem: `${found}. ${remedy}` }
}
