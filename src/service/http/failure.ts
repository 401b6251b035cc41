// Why no answer came, and what follows from that: `diagnose` says what was found and what to do, `outcomeOf` what it means for an upsert.
// The words are in failure-words.ts, those about a proxy in proxy-failure.ts.

import { codeOf, ConnectorError } from '../../core/errors.ts'
import { networkCause, type NetworkCause } from '../../core/network.ts'
import type { Outcome } from '../../core/types.ts'
import type { Target } from './answer.ts'
import { wordsOfError, type FailureWords } from './failure-words.ts'
import { proxyFailure, TunnelError } from './proxy-failure.ts'

/** An attempt that ended without an answer. `error` is what ended it, if that was neither our time limit nor our signal. */
export interface Failure {
  readonly kind: 'failure'
  readonly why: 'timeout' | 'aborted' | 'error'
  /** Whether bytes of the request may have been sent. */
  readonly begun: boolean
  /** Whether the connection had been used before, and broke before any byte of an answer came: it was closed while it was idle. */
  readonly stale?: boolean
  readonly error?: unknown
}

const RAISE = 'if the service is slow, raise request_timeout_seconds'

/** The code of an error of the service, by Nature. */
const CODE_OF = {
  network: 'service.unreachable',
  timeout: 'service.timeout',
  unusable: 'service.tls-failed',
  ours: 'program.fault',
} as const

export interface Diagnosis extends FailureWords {
  /** The code for an error with this finding. */
  readonly code: (typeof CODE_OF)[keyof typeof CODE_OF] | 'proxy.refused'
  /** The finding, in the standard words. */
  readonly why: NetworkCause
}

/** A diagnosis that leaves a proxy aside; `code` follows from its `nature`. */
type Direct = Omit<Diagnosis, 'code'>

/** Finds out what was wrong, and what to do. */
export function diagnose(failure: Failure, target: Target): Diagnosis {
  const { proxy } = target
  if (proxy !== undefined && failure.error instanceof TunnelError) {
    const found = proxyFailure(failure.error, target, proxy)
    return { ...found, code: found.nature === 'unusable' ? 'proxy.refused' : CODE_OF[found.nature] }
  }
  const direct = diagnoseDirect(failure, target)
  const through = proxy === undefined ? '' : ` (through the proxy ${proxy.origin}, ${proxy.variable})`
  return { ...direct, found: `${direct.found}${through}`, code: CODE_OF[direct.nature] }
}

function diagnoseDirect(failure: Failure, target: Target): Direct {
  const { why, begun, error } = failure
  const { origin, addressOption, slowRemedy = RAISE } = target
  if (why === 'aborted')
    return {
      found: `the request to ${origin} was cancelled by this program`,
      remedy: 'Run it again.',
      nature: 'network',
      why: { words: 'cancelled by this program' },
    }
  const code = codeOf(error)
  const address = `Check host and port in ${addressOption}`
  if (why === 'timeout') return tooLate(failure, target, `${address} and the network; ${slowRemedy}.`)
  // the time limit for connecting, which no option changes
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return tooLate(failure, target, `${address}, the network, and whether a firewall is in the way.`)
  const inHandshake = origin.startsWith('https:') && !begun
  return { ...wordsOfError(error, target), why: networkCause(code, inHandshake) }
}

function tooLate({ begun }: Failure, { origin }: Target, remedy: string): Direct {
  const found = `${origin} ${begun ? 'did not answer in time' : 'did not accept a connection in time'}`
  return { found, remedy, nature: 'timeout', why: { words: begun ? 'timeout' : 'connection timeout' } }
}

/** Other servers than the service. */
const OTHERS = { registry: 'the registry', identity: 'the token server' } as const

/** Finds out what was wrong with another server, and what to do.
 *  @param group the group of its options, which some remedies name: some of the service's have the same names */
export function diagnoseOther(failure: Failure, target: Target, other: keyof typeof OTHERS, group: string) {
  const { code, remedy: general, ...found } = diagnose(failure, target)
  // the words of failure-words.ts are about the service and its options
  const remedy = general
    .replaceAll('the service', OTHERS[other])
    .replaceAll(/\b(?:ca_certificate|client_certificate|client_key)\b/g, `${group}.$&`)
  const reach = code === 'service.tls-failed' ? 'tls-failed' : 'unreachable'
  return { ...found, remedy, code: code.startsWith('service.') ? (`${other}.${reach}` as const) : code }
}

/** The outcome of an unanswered upsert: `ambiguous` if it may have been carried out, `congestion` if too much may be sent. Never throws. */
export function outcomeOf(failure: Failure, target: Target): Outcome {
  const { found, remedy, nature, code, why } = diagnose(failure, target)
  if (nature === 'unusable') return { status: 'stop', error: new ConnectorError('config', code, `${found}. ${remedy}`) }
  if (nature === 'ours') return { status: 'stop', error: new ConnectorError('system', code, `${found}. ${remedy}`) }
  return {
    status: 'retry',
    cause: nature,
    ambiguous: failure.begun,
    congestion: nature === 'timeout',
    reason: found,
    remedy,
    why,
    ...(failure.stale === true && nature === 'network' ? { stale: true } : {}),
  }
}

/** The failure that stands for a 2xx whose body broke off. */
export function brokenOff(end: 'lost' | 'timeout' | 'aborted'): Failure {
  return { kind: 'failure', why: end === 'lost' ? 'error' : end, begun: true, error: { code: 'ECONNRESET' } }
}
