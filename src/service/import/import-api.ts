// What `check` asks the service: is it there (B1), does it take this key for this client (B2)? Knows no config.

import type { HttpAnswer } from '../http/answer.ts'
import { acknowledges, serviceWords } from '../http/answer.ts'
import type { Exchange } from '../http/attempt.ts'
import { accessProblem, redirectProblem, strangerProblem } from './classify.ts'
import { STATUS_PATH, authenticatePath } from '../contract.ts'
import { isCutOff } from '../http/cut-off.ts'
import { diagnose, diagnoseCutShort } from '../http/failure.ts'
import type { ServiceOptions } from '../http/http.ts'
import { createHttp } from '../http/http.ts'
import { otherProblem } from './other-problem.ts'
import type { Target } from '../http/target.ts'
import { targetOf } from '../http/target.ts'

/** unavailable: another try may do; unreachable: no answer came, and none will come to another question right now;
 *  failed: something must be changed. `problem`: what was found and what to do; `answered`: the status of the answer, if one
 *  came. */
export type Finding =
  | { readonly status: 'working' }
  | {
      readonly status: 'unavailable' | 'unreachable' | 'failed'
      readonly problem: string
      readonly answered?: number
    }

export interface ImportApi extends AsyncDisposable {
  /** B1. Never throws. */
  status(signal: AbortSignal): Promise<Finding>
  /** B2. Never throws. */
  authenticate(signal: AbortSignal): Promise<Finding>
}

/** Opens nothing yet. Disposing of it closes every connection. */
export function createImportApi(options: ServiceOptions): ImportApi {
  const http = createHttp({ ...options, connections: 1 })
  const target = targetOf(options)
  return {
    async status(signal) {
      const exchange = await http.exchange({ method: 'GET', path: STATUS_PATH }, signal)
      return judge(exchange, target, (answer) => statusProblem(answer, target))
    },
    async authenticate(signal) {
      const path = authenticatePath(options.clientId)
      const exchange = await http.exchange({ method: 'GET', path, key: options.apiKey }, signal)
      return lost(exchange, target) ?? judge(exchange, target, (answer) => authenticateProblem(answer, target))
    },
    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]()
    },
  }
}

function judge(exchange: Exchange, target: Target, problemOf: (answer: HttpAnswer) => string | undefined): Finding {
  if (exchange.kind === 'failure') {
    const { found, remedy, nature } = diagnose(exchange, target)
    const status = nature === 'network' && exchange.begun ? 'unavailable' : 'unreachable'
    return { status: nature === 'unusable' || nature === 'ours' ? 'failed' : status, problem: `${found}. ${remedy}` }
  }
  const answered = exchange.status
  if (answered >= 300 && answered < 400) {
    return { status: 'failed', answered, problem: redirectProblem(exchange, target) }
  }
  if (answered === 408 || answered === 429 || answered >= 500) {
    return { status: 'unavailable', answered, problem: unavailable(exchange, target) }
  }
  const problem = problemOf(exchange)
  return problem === undefined ? { status: 'working' } : { status: 'failed', answered, problem }
}

/** The document does not show the body of B1: any 2xx will do. */
function statusProblem(answer: HttpAnswer, target: Target): string | undefined {
  if (answer.status < 300) return undefined
  return `${answered(answer, target)} when asked for its status, so this is not the import interface of the Analytics Service. Check ${target.addressOption}: it is the import address itself, without /v2, and without a path that does not exist there.`
}

function authenticateProblem(answer: HttpAnswer, target: Target): string | undefined {
  if (answer.status < 300) return acknowledges(answer) ? undefined : strangerProblem(answer, target)
  const problem = accessProblem(answer, target)
  if (problem !== undefined) return problem
  if (answer.status !== 400 && answer.status !== 422) return otherProblem(answer, target).message
  return `${answered(answer, target)} when asked about the key. Check client_id, api_key and ${target.addressOption}.`
}

/** An answer that broke off after a 2xx; undefined: it did not. */
function lost(exchange: Exchange, target: Target): Finding | undefined {
  if (exchange.kind === 'failure' || exchange.status < 200 || exchange.status >= 300) return undefined
  const end = isCutOff(exchange) ? 'lost' : exchange.end
  if (end === 'whole' || end === 'endless') return undefined
  const { found, remedy } = diagnoseCutShort(end, target)
  return { status: 'unavailable', answered: exchange.status, problem: `${found}. ${remedy}` }
}

function unavailable(answer: HttpAnswer, target: Target): string {
  return `${answered(answer, target)}: it is not working right now. Try again later; if it stays so, ask the operator of the service.`
}

function answered(answer: HttpAnswer, { origin, scrub }: Target): string {
  const words = serviceWords(answer, scrub)
  return `${origin} answered ${answer.status}${words === '' ? '' : ` (${words})`}`
}
