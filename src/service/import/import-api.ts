// The requests of `check`: does the service answer (B1), and does it take this key for this client (B2)?

import { lookup } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServiceConfig } from '../../config/service-rules.ts'
import { backoffMs, CHECK } from '../../core/backoff.ts'
import type { Code, Coded } from '../../core/codes.ts'
import { wholeMessage } from '../../core/errors.ts'
import { Secret } from '../../core/secret.ts'
import { authenticatePath, STATUS_PATH } from '../contract.ts'
import { acknowledges, isCutOff, targetOf } from '../http/answer.ts'
import type { HttpAnswer, Target } from '../http/answer.ts'
import type { Exchange } from '../http/attempt.ts'
import { brokenOff, diagnose } from '../http/failure.ts'
import { createHttp } from '../http/http.ts'
import type { ServiceOptions } from '../http/http.ts'
import type { Proxy } from '../http/proxy.ts'
import { meaningOf } from '../statuses.ts'
import { answered, statusCode, statusProblem, strangerProblem } from '../status-messages.ts'

/** unavailable: a retry may help; unreachable: no answer came, and another request would get none either; failed: something must be
 *  changed. `problem`: what was found and what to do; `answered`: the status of the answer, if one
 *  came. */
export type Finding =
  | { readonly status: 'working' }
  | {
      readonly status: 'unavailable' | 'unreachable' | 'failed'
      readonly code: Code
      readonly problem: string
      readonly answered?: number
    }

/** B1 and B2, which never throw. Connects at the first request. Disposing closes every connection. */
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
  const failed = (code: Code, problem: string): Finding => ({ status: 'failed', answered: status, code, problem })
  const meaning = meaningOf(status, 'check')
  if (meaning === 'retry')
    return {
      status: 'unavailable',
      answered: status,
      code: status === 429 ? 'service.throttled' : 'service.unavailable',
      problem: unavailable(exchange, target),
    }
  if (meaning === 'unknown' || (status >= 300 && status < 400))
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
  return { status: 'unavailable', answered: exchange.status, code, problem: `${found}. ${remedy}` }
}

function unavailable(answer: HttpAnswer, target: Target): string {
  return `${answered(answer, target)}: it is not working right now. Try again later; if this persists, ask the operator of the service.`
}

/** The problem with a host's name, if it does not resolve. `undefined` when it does, or `signal` came first. Never
 *  throws. */
export async function nameProblem(
  host: string,
  addressOption: string,
  signal: AbortSignal,
): Promise<Coded | undefined> {
  const error = await new Promise<unknown>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
    lookup(host.replace(/^\[(.*)\]$/, '$1')).then(() => resolve(undefined), resolve)
  })
  if (error === undefined) return undefined
  const target = targetOf({ baseUrl: `http://${host}`, clientId: '', addressOption, scrub: (text) => text })
  const { found, remedy, code } = diagnose({ kind: 'failure', why: 'error', begun: false, error }, target)
  return { code, text: `${found}. ${remedy}` }
}

/** Milliseconds. */
export interface Patience {
  readonly connectMs: number
  /** For an answer, whatever the config says. */
  readonly longestMs: number
  /** From the first attempt: later only the first attempt of each question begins. */
  readonly retryMs: number
}

export const PATIENCE: Patience = { connectMs: 10_000, longestMs: 50_000, retryMs: 5_000 }

/** Most tries of a question. */
const MOST_TRIES = 3

interface Probed extends Partial<ServiceConfig> {
  readonly proxy: Proxy | undefined
  readonly requestTimeoutMs: number
}

/** Problems, each with what to do; none when all is well. `service` is what is known of it. Never throws. */
export async function probeService(
  service: Probed,
  scrub: (text: string) => string,
  signal: AbortSignal,
  patience: Patience,
): Promise<Coded[]> {
  const { baseUrl, addressOption, clientId, apiKey } = service
  if (baseUrl === undefined || addressOption === undefined) return []
  await using api = createImportApi({
    ...service,
    baseUrl,
    addressOption,
    clientId: clientId ?? 0,
    apiKey: apiKey ?? new Secret(''),
    scrub,
    connectTimeoutMs: patience.connectMs,
    ...answerLimit(service.requestTimeoutMs, patience.longestMs),
  })
  const ask = retryUntilAnswered(signal, patience)
  const status = await ask(() => api.status(signal))
  const known = clientId !== undefined && apiKey !== undefined
  if (status.status === 'unreachable') return [unchecked(status, known)]
  const access = known ? await ask(() => api.authenticate(signal)) : status
  if (isOneCause(status, access)) return [unchecked(status, known)]
  return [status, access].flatMap((finding) =>
    finding.status === 'working' ? [] : [{ code: finding.code, text: finding.problem }],
  )
}

/** Limited, because a person may be waiting. */
function answerLimit(
  requestTimeoutMs: number,
  longestMs: number,
): { readonly requestTimeoutMs: number; readonly slowRemedy?: string } {
  if (requestTimeoutMs < longestMs) return { requestTimeoutMs }
  const slowRemedy = `a check waits ${longestMs / 1_000} s for an answer at most, whatever request_timeout_seconds says: find out why the service is so slow`
  return { requestTimeoutMs: longestMs, slowRemedy }
}

type Problem = Exclude<Finding, { status: 'working' }>

/** If requests with and without the key get the same answer, it says nothing about the key. */
function isOneCause(status: Finding, access: Finding): status is Problem {
  if (status.status === 'working' || access.status === 'working') return false
  return status.answered === undefined ? status.problem === access.problem : status.answered === access.answered
}

function unchecked({ code, problem }: Problem, known: boolean): Coded {
  return { code, text: `${problem}${known ? ' (So client_id and api_key could not be checked.)' : ''}` }
}

/** Retries a few times while that may help. */
function retryUntilAnswered(
  signal: AbortSignal,
  { retryMs }: Patience,
): (question: () => Promise<Finding>) => Promise<Finding> {
  const end = performance.now() + retryMs
  return async (question) => {
    let finding = await question()
    for (let tries = 1; tries < MOST_TRIES; tries++) {
      const ms = backoffMs(CHECK, tries, 0)
      const hopeful = finding.status === 'unavailable' || finding.status === 'unreachable'
      if (!hopeful || performance.now() + ms > end) break
      await pause(ms, undefined, { signal }).catch(() => {})
      if (signal.aborted) break
      finding = await question()
    }
    return finding
  }
}
