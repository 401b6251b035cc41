// Why no answer came: from an error's code to what was found, what to do, and whether a retry can help. Never uses messages of
// libraries, which may quote an address.

import { codeOf, ConnectorError } from '../../core/errors.ts'
import { networkCause, statusCause } from '../../core/network.ts'
import type { NetworkCause } from '../../core/network.ts'
import type { Outcome } from '../../core/types.ts'
import { meaningOf } from '../statuses.ts'
import type { Target } from './answer.ts'
import type { Proxy } from './proxy.ts'

/** `begun` says that bytes of the request may have been sent. `stale` says that a connection used before ended before
 *  a byte of an answer came: it was closed while idle. */
export interface Failure {
  readonly kind: 'failure'
  readonly why: 'timeout' | 'aborted' | 'error'
  readonly begun: boolean
  readonly stale?: boolean
  readonly error?: unknown
}

export interface Diagnosis {
  readonly found: string
  readonly remedy: string
  /** unusable: no retry heals it; ours: a defect of this program. */
  readonly nature: 'timeout' | 'network' | 'unusable' | 'ours'
  /** Code of an error that says so. */
  readonly code: (typeof OF_NATURE)[keyof typeof OF_NATURE] | 'proxy.refused'
  /** The finding, in the standard words. */
  readonly why: NetworkCause
}

type FoundAndRemedy = Pick<Diagnosis, 'found' | 'remedy'>

type Direct = Omit<Diagnosis, 'code'>

type Words = (target: Target, host: string) => FoundAndRemedy

const NAME: Words = ({ addressOption }, host) => ({
  found: `the name ${host} could not be resolved`,
  remedy: `Check the host in ${addressOption}, and the DNS of this machine.`,
})

const UNREACHABLE: Words = ({ origin, addressOption }) => ({
  found: `could not connect to ${origin}`,
  remedy: `Check host and port in ${addressOption}, and whether a firewall is in the way.`,
})

const LOST: Words = ({ origin, addressOption }) => ({
  found: `${origin} closed the connection without answering`,
  remedy: origin.startsWith('https:')
    ? 'If this persists, the service may require a client certificate (client_certificate, client_key), or something in between closes connections.'
    : `If this persists, the port in ${addressOption} may require https:, or something in between closes connections.`,
})

const NO_HTTP: Words = ({ origin, addressOption }) => ({
  found: `the answer of ${origin} is not HTTP/1.1`,
  remedy: `Check scheme and port in ${addressOption}, and any proxy in between.`,
})

const NAME_CODES = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA']
const UNREACHABLE_CODES = ['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL', 'EACCES', 'EPERM']
const LOST_CODES = ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET']

function each<W>(codes: readonly string[], words: W): Readonly<Record<string, W>> {
  return Object.fromEntries(codes.map((code) => [code, words]))
}

const FAILURES: Readonly<Record<string, Words>> = {
  ...each(NAME_CODES, NAME),
  ECONNREFUSED: ({ origin, addressOption }) => ({
    found: `${origin} refused the connection`,
    remedy: `Check host and port in ${addressOption}, and that the service is up.`,
  }),
  ...each(UNREACHABLE_CODES, UNREACHABLE),
  ...each(LOST_CODES, LOST),
  HTTPParserError: NO_HTTP,
  // where no status came, for whatever breaks a head that has named a length
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ({ origin, addressOption }) => ({
    found: `the answer of ${origin} has headers that break HTTP/1.1, such as two lengths`,
    remedy: `Check ${addressOption} and any proxy in between: an answer has one Content-Length, and none beside Transfer-Encoding.`,
  }),
  HPE_PAUSED_UPGRADE: ({ origin, addressOption }) => ({
    found: `${origin} switched to another protocol (101), which was not asked for`,
    remedy: `Check scheme and port in ${addressOption}, and any proxy in between.`,
  }),
  UND_ERR_HEADERS_OVERFLOW: ({ origin, addressOption }) => ({
    found: `the answer of ${origin} has too many headers`,
    remedy: `Check ${addressOption} and any proxy in between.`,
  }),
}

const CERTIFICATE =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|CRL_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERR_SSL_CERTIFICATE_VERIFY_FAILED)/
const CLIENT_CERTIFICATE =
  /^ERR_SSL_.*(CERTIFICATE_REQUIRED|ALERT_(BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED))/
/** The peer does not speak TLS. */
const PLAIN = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/
const HANDSHAKE =
  /^(ERR_SSL_(HTTP_REQUEST|HTTPS_PROXY_REQUEST|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE|TLSV1_ALERT_PROTOCOL_VERSION|TLSV1_UNRECOGNIZED_NAME|SSL\/TLS_ALERT_HANDSHAKE_FAILURE|SSLV3_ALERT_HANDSHAKE_FAILURE|EE_KEY_TOO_SMALL|DH_KEY_TOO_SMALL|CA_MD_TOO_WEAK)|EPROTO$)/
const MATERIAL = /^(ERR_OSSL_|ERR_CRYPTO_|ERR_TLS_INVALID|ERR_SSL_(KEY_VALUES_MISMATCH|NO_START_LINE|BAD_BASE64))/
const OURS = /^(UND_ERR_(INVALID|NOT_SUPPORTED|REQ_CONTENT_LENGTH)|ERR_INVALID_|ERR_ASSERTION$|ERR_OUT_OF_RANGE$)/

const OF_NATURE = {
  network: 'service.unreachable',
  timeout: 'service.timeout',
  unusable: 'service.tls-failed',
  ours: 'program.fault',
} as const

/** Servers that are asked beside the service. */
const OTHERS = { registry: 'the registry', identity: 'the token server' } as const

/** Finds out what was wrong with another server, and what to do.
 *  @param group of its options, some of which have the names of the service's */
export function diagnoseOther(failure: Failure, target: Target, other: keyof typeof OTHERS, group: string) {
  const { code, remedy: general, ...found } = diagnose(failure, target)
  const remedy = general
    .replaceAll('the service', OTHERS[other])
    .replaceAll(/\b(?:ca_certificate|client_certificate|client_key)\b/g, `${group}.$&`)
  const reach = code === 'service.tls-failed' ? 'tls-failed' : 'unreachable'
  return { ...found, remedy, code: code.startsWith('service.') ? (`${other}.${reach}` as const) : code }
}

/** The upsert's outcome when no answer came. Never throws. */
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

/** The failure of an answer that broke off after a 2xx. */
export function brokenOff(end: 'lost' | 'timeout' | 'aborted'): Failure {
  return { kind: 'failure', why: end === 'lost' ? 'error' : end, begun: true, error: { code: 'ECONNRESET' } }
}

/** Finding and advice. */
export function diagnose(failure: Failure, target: Target): Diagnosis {
  const { proxy } = target
  if (proxy === undefined) return coded(diagnoseDirect(failure, target))
  if (failure.error instanceof TunnelError) return tunnelProblem(failure.error, target, proxy)
  const direct = diagnoseDirect(failure, target)
  return { ...coded(direct), found: `${direct.found} (through the proxy ${proxy.origin}, ${proxy.variable})` }
}

function coded(direct: Direct): Diagnosis {
  return { ...direct, code: OF_NATURE[direct.nature] }
}

function diagnoseDirect(failure: Failure, target: Target): Direct {
  const { origin, addressOption } = target
  if (failure.why === 'timeout') return timedOut(failure, target)
  if (failure.why === 'aborted') {
    return {
      found: `the request to ${origin} was cancelled by this program`,
      remedy: 'Run it again.',
      nature: 'network',
      why: { words: 'cancelled by this program' },
    }
  }
  const code = codeOf(failure.error)
  const host = new URL(origin).hostname
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return gaveUp(failure, target)
  const why = networkCause(code, origin.startsWith('https:') && !failure.begun)
  const words = FAILURES[code]
  if (words !== undefined) return withCause(words(target, host), why, 'network')
  if (code.startsWith('HPE_')) return withCause(NO_HTTP(target, host), why, 'network')
  const tls = tlsProblem(code, target, host)
  if (tls !== undefined) return withCause(tls, why, 'unusable')
  if (OURS.test(code) || failure.error instanceof TypeError) {
    const found = `a request to ${origin} could not be made`
    return withCause({ found, remedy: 'This is a bug in this program: please report it.' }, why, 'ours')
  }
  return withCause(
    { found: `the request to ${origin} failed`, remedy: `Check ${addressOption} and the network.` },
    why,
    'network',
  )
}

function tlsProblem(code: string, { origin, addressOption }: Target, host: string): FoundAndRemedy | undefined {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') {
    return {
      found: `the TLS certificate of ${origin} is not valid for the name ${host}`,
      remedy: `Check the host in ${addressOption}.`,
    }
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return {
      found: `the TLS certificate of ${origin} ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}`,
      remedy: 'Have it renewed, and check the clock of this machine.',
    }
  }
  if (CERTIFICATE.test(code)) {
    return {
      found: `the TLS certificate of ${origin} is ${code === 'DEPTH_ZERO_SELF_SIGNED_CERT' ? 'self-signed' : 'signed by an unknown authority'}`,
      remedy: 'If it is right, put the certificate of its authority into ca_certificate.',
    }
  }
  if (CLIENT_CERTIFICATE.test(code)) {
    return {
      found: `${origin} did not accept the TLS certificate of this client, or requires one`,
      remedy: 'Check client_certificate and client_key.',
    }
  }
  if (PLAIN.test(code)) {
    return {
      found: `the TLS handshake with ${origin} failed: this port speaks plain http, or no TLS at all`,
      remedy: `Check scheme and port in ${addressOption}: the address of a service without TLS begins with http://.`,
    }
  }
  if (HANDSHAKE.test(code)) {
    return {
      found: `the TLS handshake with ${origin} failed`,
      remedy: `Check scheme and port in ${addressOption}, and client_certificate if the service wants one.`,
    }
  }
  if (MATERIAL.test(code)) {
    return {
      found: 'the given certificates or the client key cannot be used',
      remedy: 'Check ca_certificate, client_certificate and client_key.',
    }
  }
  return undefined
}

const RAISE = 'if the service is slow, raise request_timeout_seconds'

function timedOut(failure: Failure, { origin, addressOption, slowRemedy = RAISE }: Target): Direct {
  const remedy = `Check host and port in ${addressOption} and the network; ${slowRemedy}.`
  return { ...late(failure, origin), remedy, nature: 'timeout' }
}

/** The time limit for connecting; no option changes it. */
function gaveUp(failure: Failure, { origin, addressOption }: Target): Direct {
  const remedy = `Check host and port in ${addressOption}, the network, and whether a firewall is in the way.`
  return { ...late(failure, origin), remedy, nature: 'timeout' }
}

function late({ begun }: Failure, origin: string): Pick<Diagnosis, 'found' | 'why'> {
  const found = `${origin} ${begun ? 'did not answer in time' : 'did not accept a connection in time'}`
  return { found, why: { words: begun ? 'timeout' : 'connection timeout' } }
}

function withCause({ found, remedy }: FoundAndRemedy, why: NetworkCause, nature: Diagnosis['nature']): Direct {
  return { found: `${found} (${why.code})`, remedy, nature, why }
}

// Why a proxy did not open a tunnel to the service.

/** Either the proxy answered with a `status` other than 2xx, or `cause` says why it did not answer. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError'
  /** Not a code of undici's: for some of them it reconnects forever. */
  readonly code = 'TUNNEL'
  readonly status: number | undefined

  constructor(status: number | undefined, cause?: unknown) {
    super('no tunnel', { cause })
    this.status = status
  }
}

type ProxyWords = (proxy: Proxy) => FoundAndRemedy

const PROXY_NAME: ProxyWords = ({ origin, variable }) => ({
  found: `the name of the proxy ${origin} could not be resolved`,
  remedy: `Check the host in ${variable}, and the DNS of this machine.`,
})

const PROXY_FAILURES: Readonly<Record<string, ProxyWords>> = {
  ...each(NAME_CODES, PROXY_NAME),
  ECONNREFUSED: ({ origin, variable }) => ({
    found: `the proxy ${origin} refused the connection`,
    remedy: `Check host and port in ${variable}, and that the proxy is up.`,
  }),
}

/** TLS between this machine and the proxy. */
const PROXY_TLS =
  /^(ERR_SSL_|ERR_TLS_|EPROTO$|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|HOSTNAME_MISMATCH)/

function tunnelProblem({ status, cause }: TunnelError, target: Target, proxy: Proxy): Diagnosis {
  const why = ofProxy(status === undefined ? networkCause(codeOf(cause)) : statusCause(status))
  const found = status === undefined ? unanswered(codeOf(cause), target, proxy) : refused(status, target, proxy)
  return { ...found, code: found.nature === 'unusable' ? 'proxy.refused' : OF_NATURE[found.nature], why }
}

function ofProxy({ words, code }: NetworkCause): NetworkCause {
  return { words: `at the proxy: ${words}`, code }
}

function unanswered(code: string, target: Target, proxy: Proxy): Omit<Direct, 'why'> {
  const { origin, variable } = proxy
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    const found = `the proxy ${origin} opened no way to ${target.origin} in time`
    return { found, remedy: `Check host and port in ${variable}. ${around(target)}`, nature: 'timeout' }
  }
  if (PROXY_TLS.test(code)) {
    const found = `the TLS handshake with the proxy ${origin} failed (${code})`
    const remedy = `Check scheme, host and port in ${variable}; if the proxy's certificate is right, put that of its authority into a file that NODE_EXTRA_CA_CERTS names.`
    return { found, remedy, nature: 'unusable' }
  }
  const { found, remedy } = PROXY_FAILURES[code]?.(proxy) ?? {
    found: `the proxy ${origin} closed the connection before it had opened a way to ${target.origin}`,
    remedy: `Check scheme and port in ${variable}. ${around(target)}`,
  }
  return { found: `${found} (${code})`, remedy, nature: 'network' }
}

function refused(status: number, target: Target, proxy: Proxy): Omit<Direct, 'why'> {
  const { origin, variable, authorization } = proxy
  if (status === 407) {
    const [scheme, host] = origin.split('//')
    return authorization === undefined
      ? {
          found: `the proxy ${origin} wants a user name and a password (407)`,
          remedy: `Write ${variable} as ${scheme}//USER:PASSWORD@${host}, user and password percent-encoded.`,
          nature: 'unusable',
        }
      : {
          found: `the proxy ${origin} did not accept the user name and password in ${variable} (407)`,
          remedy: `Check them; they must be percent-encoded there, and only the Basic scheme is supported.`,
          nature: 'unusable',
        }
  }
  return {
    found: `the proxy ${origin} opened no way to ${target.origin} (it answered ${status})`,
    remedy: `Check the host in ${target.addressOption}, and ask the operator of the proxy to let it through. ${around(target)}`,
    nature: meaningOf(status, 'proxy') === 'retry' ? 'network' : 'unusable',
  }
}

function around(target: Target): string {
  return `If ${target.origin} can be reached without the proxy, put ${new URL(target.origin).hostname} into no_proxy.`
}
