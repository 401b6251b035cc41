// Asks the service what `check` has to know, as far as the config is known: is it there, does it take the key?
// Knows no message format.

import { setTimeout as pause } from 'node:timers/promises'

import type { ServiceConfig } from '../../config/write-config.ts'
import { Secret } from '../../core/secret.ts'
import type { Finding } from './import-api.ts'
import { createImportApi } from './import-api.ts'
import type { Proxy } from '../http/proxy.ts'

/** Milliseconds. */
export interface Patience {
  readonly connectMs: number
  /** For an answer, whatever the config says. */
  readonly longestMs: number
  /** Before the second and each later attempt. */
  readonly pausesMs: readonly number[]
  /** No attempt begins later than so long after the first, except the first of each question. */
  readonly retryMs: number
}

export const PATIENCE: Patience = { connectMs: 10_000, longestMs: 50_000, pausesMs: [300, 1_000], retryMs: 5_000 }

interface Probed extends Partial<ServiceConfig> {
  readonly proxy: Proxy | undefined
  readonly requestTimeoutMs: number
}

/** What is wrong, each with what to do; nothing when all is well. `service`: what is known of it. Never throws. */
export async function probeService(
  service: Probed,
  scrub: (text: string) => string,
  signal: AbortSignal,
  patience: Patience,
): Promise<string[]> {
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
  const ask = insistent(signal, patience)
  const status = await ask(() => api.status(signal))
  const known = clientId !== undefined && apiKey !== undefined
  if (status.status === 'unreachable') return [unchecked(status, known)]
  const access = known ? await ask(() => api.authenticate(signal)) : status
  if (isOneCause(status, access)) return [unchecked(status, known)]
  return [status, access].flatMap((finding) => (finding.status === 'working' ? [] : [finding.problem]))
}

/** What a check is told to wait, as far as somebody may stand before a screen for it. */
function answerLimit(
  requestTimeoutMs: number,
  longestMs: number,
): { readonly requestTimeoutMs: number; readonly slowRemedy?: string } {
  if (requestTimeoutMs < longestMs) return { requestTimeoutMs }
  const slowRemedy = `a check waits ${longestMs / 1_000} s for an answer at most, whatever request_timeout_seconds says: find out why the service is so slow`
  return { requestTimeoutMs: longestMs, slowRemedy }
}

type Trouble = Exclude<Finding, { status: 'working' }>

/** The same answer to a question without client and key as to one with them says nothing of these. */
function isOneCause(status: Finding, access: Finding): status is Trouble {
  if (status.status === 'working' || access.status === 'working') return false
  return status.answered === undefined ? status.problem === access.problem : status.answered === access.answered
}

function unchecked({ problem }: Trouble, known: boolean): string {
  return `${problem}${known ? ' (So client_id and api_key could not be checked.)' : ''}`
}

/** Asks again, a few times, while that may help. */
function insistent(
  signal: AbortSignal,
  { pausesMs, retryMs }: Patience,
): (question: () => Promise<Finding>) => Promise<Finding> {
  const end = performance.now() + retryMs
  return async (question) => {
    let finding = await question()
    for (const ms of pausesMs) {
      const hopeful = finding.status === 'unavailable' || finding.status === 'unreachable'
      if (!hopeful || performance.now() + ms > end) break
      await pause(ms, undefined, { signal }).catch(() => {})
      if (signal.aborted) break
      finding = await question()
    }
    return finding
  }
}
