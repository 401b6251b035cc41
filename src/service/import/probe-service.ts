// Is the service there, and does it take this client's key? A few requests, asked again for a short while, and what they have shown
// in words. For a check before a run: a person may be waiting.

import { lookup } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServiceConfig } from '../../config/service-rules.ts'
import { backoffMs, CHECK } from '../../core/backoff.ts'
import type { Coded } from '../../core/codes.ts'
import { Secret } from '../../core/secret.ts'
import { targetOf } from '../http/answer.ts'
import { diagnose } from '../http/failure.ts'
import type { Proxy } from '../http/proxy.ts'
import { createImportApi, type Finding, type ServiceProblem } from './import-api.ts'

/** How long a check waits, in milliseconds. */
export interface Patience {
  readonly connectMs: number
  /** For an answer, whatever the config says. */
  readonly longestMs: number
  /** How long after the first attempt a question is repeated; one that comes later is asked once. */
  readonly retryMs: number
}

export const PATIENCE: Patience = { connectMs: 10_000, longestMs: 50_000, retryMs: 5_000 }

/** Most tries of a question. */
const MOST_TRIES = 3

interface Probed extends Partial<ServiceConfig> {
  readonly proxy: Proxy | undefined
  readonly requestTimeoutMs: number
}

/** Finds the problems of a service, each with what to do; none when all is well. Never throws.
 *  @param service what is known of it */
export async function probeService(
  service: Probed,
  scrub: (text: string) => string,
  signal: AbortSignal,
  patience: Patience,
): Promise<Coded[]> {
  const { baseUrl, addressOption, clientId, apiKey } = service
  if (baseUrl === undefined || addressOption === undefined) return []
  // without id and key only B1 is asked, which carries neither
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
  const hasKey = clientId !== undefined && apiKey !== undefined
  if (status.status === 'unreachable') return [unchecked(status, hasKey)]
  const access = hasKey ? await ask(() => api.authenticate(signal)) : status
  if (isOneCause(status, access)) return [unchecked(status, hasKey)]
  return [status, access].flatMap((finding) =>
    finding.status === 'working' ? [] : [{ code: finding.code, text: finding.problem }],
  )
}

/** The limit for an answer, because a person may be waiting. */
function answerLimit(requestTimeoutMs: number, longestMs: number) {
  if (requestTimeoutMs < longestMs) return { requestTimeoutMs }
  const slowRemedy = `a check waits ${longestMs / 1_000} s for an answer at most, whatever request_timeout_seconds says: find out why the service is so slow`
  return { requestTimeoutMs: longestMs, slowRemedy }
}

/** Tells whether requests with and without the key got the same answer: then it says nothing about the key. */
function isOneCause(status: Finding, access: Finding): status is ServiceProblem {
  if (status.status === 'working' || access.status === 'working') return false
  return status.httpStatus === undefined ? status.problem === access.problem : status.httpStatus === access.httpStatus
}

function unchecked({ code, problem }: ServiceProblem, hasKey: boolean): Coded {
  return { code, text: `${problem}${hasKey ? ' (So client_id and api_key could not be checked.)' : ''}` }
}

/** Asks questions, each a few times while that may help. */
function retryUntilAnswered(signal: AbortSignal, { retryMs }: Patience) {
  const end = performance.now() + retryMs
  return async (question: () => Promise<Finding>): Promise<Finding> => {
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
