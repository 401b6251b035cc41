// Asks the service whether it is there, and whether it accepts this client's key, and puts what was found into words. For a check before a
// run: requests are repeated for a short while only, because a person may be waiting.

import { lookup } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServiceConfig } from '../../config/service-rules.ts'
import { ANY_CHANCE, backoffMs, CHECK } from '../../core/backoff.ts'
import type { Coded } from '../../core/codes.ts'
import { Secret } from '../../core/secret.ts'
import { targetOf } from '../http/answer.ts'
import { diagnose } from '../http/failure.ts'
import type { Proxy } from '../http/proxy.ts'
import { createImportApi, type Finding, type ServiceProblem } from './import-api.ts'

/** How long a check waits, in milliseconds. */
export interface Patience {
  readonly connectMs: number
  /** For an answer, even if the config allows more. */
  readonly longestMs: number
  /** For how long, from the first request on, failed ones are repeated. Later each is made once. */
  readonly retryMs: number
}

export const PATIENCE: Patience = { connectMs: 10_000, longestMs: 50_000, retryMs: 5_000 }

const MOST_TRIES = 3

/** What is known of the service: of a config with faults, parts may be missing. */
interface Probed extends Partial<ServiceConfig> {
  readonly proxy: Proxy | undefined
  readonly requestTimeoutMs: number
}

/** Finds the problems of a service, each with what to do; none when all is well. Never throws. */
export async function probeService(
  service: Probed,
  scrub: (text: string) => string,
  signal: AbortSignal,
  patience: Patience,
): Promise<Coded[]> {
  const { baseUrl, addressOption, clientId, apiKey } = service
  if (baseUrl === undefined || addressOption === undefined) return []
  // without id and key (0 and '' take their places) only the status is asked for, a request that has neither
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
  if (isSameAnswer(status, access)) return [unchecked(status, hasKey)]
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

/** Whether the requests without and with the key failed in the same way: then it says nothing about the key. */
function isSameAnswer(status: Finding, access: Finding): status is ServiceProblem {
  if (status.status === 'working' || access.status === 'working') return false
  return status.httpStatus === undefined ? status.problem === access.problem : status.httpStatus === access.httpStatus
}

/** A problem that kept the key from being checked. */
function unchecked({ code, problem }: ServiceProblem, hasKey: boolean): Coded {
  return { code, text: `${problem}${hasKey ? ' (So client_id and api_key could not be checked.)' : ''}` }
}

/** Makes a function that repeats requests that may yet succeed, within the time that `retryMs` allows for all of them. */
function retryUntilAnswered(signal: AbortSignal, { retryMs }: Patience) {
  const end = performance.now() + retryMs
  return async (request: () => Promise<Finding>): Promise<Finding> => {
    let finding = await request()
    for (let tries = 1; tries < MOST_TRIES; tries++) {
      const ms = backoffMs(CHECK, tries, ANY_CHANCE)
      const mayHelp = finding.status === 'unavailable' || finding.status === 'unreachable'
      if (!mayHelp || performance.now() + ms > end) break
      await pause(ms, undefined, { signal }).catch(() => {})
      if (signal.aborted) break
      finding = await request()
    }
    return finding
  }
}

/** The problem with a host in an option whose name does not resolve. `undefined` when it does, or `signal` aborts first. Never throws. */
export async function nameProblem(host: string, option: string, signal: AbortSignal): Promise<Coded | undefined> {
  const error = await new Promise<unknown>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
    lookup(host.replace(/^\[(.*)\]$/, '$1')).then(() => resolve(undefined), resolve)
  })
  if (error === undefined) return undefined
  const target = targetOf({ baseUrl: `http://${host}`, clientId: '', addressOption: option, scrub: (text) => text })
  const { found, remedy, code } = diagnose({ kind: 'failure', why: 'error', begun: false, error }, target)
  return { code, text: `${found}. ${remedy}` }
}
