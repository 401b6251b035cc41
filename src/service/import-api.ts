// What `check` asks the service: is it there (B1), does it take this key for this client (B2)? Knows no config.

import type { Answer } from './answer.ts'
import { acknowledges, serviceWords } from './answer.ts'
import type { Exchange } from './attempt.ts'
import { accessProblem, redirectProblem, strangerProblem } from './classify.ts'
import { STATUS_PATH, authenticatePath } from './contract.ts'
import { diagnose } from './failure.ts'
import type { ServiceOptions } from './http.ts'
import { createHttp } from './http.ts'
import type { Target } from './target.ts'
import { targetOf } from './target.ts'

/** unavailable: another try may do; unreachable: no answer came, and none will come to another question right now;
 *  failed: something must be changed. `problem`: what was found and what to do. */
export type Finding =
  | { readonly status: 'working' }
  | { readonly status: 'unavailable' | 'unreachable' | 'failed'; readonly problem: string }

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
      return judge(exchange, target, (answer) => authenticateProblem(answer, target))
    },
    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]()
    },
  }
}

function judge(exchange: Exchange, target: Target, problemOf: (answer: Answer) => string | undefined): Finding {
  if (exchange.kind === 'failure') {
    const { found, remedy, nature } = diagnose(exchange, target)
    const status = nature === 'network' && exchange.begun ? 'unavailable' : 'unreachable'
    return { status: nature === 'unusable' || nature === 'ours' ? 'failed' : status, problem: `${found}. ${remedy}` }
  }
  const { status } = exchange
  if (status >= 300 && status < 400) return { status: 'failed', problem: redirectProblem(exchange, target) }
  if (status === 408 || status === 429 || status >= 500) {
    return { status: 'unavailable', problem: unavailable(exchange, target) }
  }
  const problem = problemOf(exchange)
  return problem === undefined ? { status: 'working' } : { status: 'failed', problem }
}

/** The document does not show the body of B1: any 2xx will do. */
function statusProblem(answer: Answer, target: Target): string | undefined {
  if (answer.status < 300) return undefined
  return `${answered(answer, target)} when asked for its status, so this is not the import interface of the Analytics Service. Check ${target.addressOption}.`
}

function authenticateProblem(answer: Answer, target: Target): string | undefined {
  if (answer.status < 300) return acknowledges(answer) ? undefined : strangerProblem(answer, target)
  return (
    accessProblem(answer, target) ??
    `${answered(answer, target)} when asked about the key. Check client_id, api_key and ${target.addressOption}.`
  )
}

function unavailable(answer: Answer, target: Target): string {
  return `${answered(answer, target)}: it is not working right now. Try again later; if it stays so, ask the operator of the service.`
}

function answered(answer: Answer, { origin, scrub }: Target): string {
  const words = serviceWords(answer, scrub)
  return `${origin} answered ${answer.status}${words === '' ? '' : ` (${words})`}`
}
