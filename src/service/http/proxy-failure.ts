// Why a proxy opened no tunnel to the service, and what to do.

import { codeOf } from '../../core/errors.ts'
import { networkCause, statusCause, type NetworkCause } from '../../core/network.ts'
import { meaningOf } from '../statuses.ts'
import type { Target } from './answer.ts'
import { NAME_CODES, type FailureWords } from './failure-words.ts'
import type { Proxy } from './proxy.ts'

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

/** Codes of errors of TLS. Until a tunnel is open, TLS is that with the proxy. */
const PROXY_TLS =
  /^(ERR_SSL_|ERR_TLS_|EPROTO$|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|HOSTNAME_MISMATCH)/

/** Says what was wrong at the proxy and what to do. A retry may help unless `nature` is unusable. `why`: the cause in standard words. */
export function proxyFailure(
  { status, cause }: TunnelError,
  target: Target,
  proxy: Proxy,
): FailureWords & { readonly why: NetworkCause } {
  const { words, code } = status === undefined ? networkCause(codeOf(cause)) : statusCause(status)
  const why = { words: `at the proxy: ${words}`, code }
  if (status === undefined) return { ...unanswered(codeOf(cause), target, proxy), why }
  return { ...(status === 407 ? loginRefused(proxy) : notOpened(status, target, proxy)), why }
}

function unanswered(code: string, target: Target, { origin, variable }: Proxy): FailureWords {
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return {
      found: `the proxy ${origin} opened no way to ${target.origin} in time`,
      remedy: `Check host and port in ${variable}. ${withoutProxy(target)}`,
      nature: 'timeout',
    }
  if (PROXY_TLS.test(code))
    return {
      found: `the TLS handshake with the proxy ${origin} failed (${code})`,
      remedy: `Check scheme, host and port in ${variable}; if the proxy's certificate is right, put that of its authority into a file that NODE_EXTRA_CA_CERTS names.`,
      nature: 'unusable',
    }
  if (NAME_CODES.test(code))
    return {
      found: `the name of the proxy ${origin} could not be resolved (${code})`,
      remedy: `Check the host in ${variable}, and the DNS of this machine.`,
      nature: 'network',
    }
  if (code === 'ECONNREFUSED')
    return {
      found: `the proxy ${origin} refused the connection (${code})`,
      remedy: `Check host and port in ${variable}, and that the proxy is up.`,
      nature: 'network',
    }
  return {
    found: `the proxy ${origin} closed the connection before it had opened a way to ${target.origin} (${code})`,
    remedy: `Check scheme and port in ${variable}. ${withoutProxy(target)}`,
    nature: 'network',
  }
}

function loginRefused({ origin, variable, authorization }: Proxy): FailureWords {
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

function notOpened(status: number, target: Target, { origin }: Proxy): FailureWords {
  return {
    found: `the proxy ${origin} opened no way to ${target.origin} (it answered ${status})`,
    remedy: `Check the host in ${target.addressOption}, and ask the operator of the proxy to let it through. ${withoutProxy(target)}`,
    nature: meaningOf(status, 'check') === 'retry' ? 'network' : 'unusable',
  }
}

/** Advice to go past the proxy. */
function withoutProxy({ origin }: Target): string {
  return `If ${origin} can be reached without the proxy, put ${new URL(origin).hostname} into no_proxy.`
}
