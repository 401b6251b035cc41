// What it means when a proxy opened no way to the service: what was found, what to do, whether trying again can help.

import { networkCause, statusCause } from '../../core/network.ts'
import type { NetworkCause } from '../../core/network.ts'
import type { Proxy } from './proxy.ts'
import { codeOf } from './told-exchange.ts'
import type { Diagnosis, Target } from './told-exchange.ts'
import type { TunnelError } from './tunnel.ts'

type Found = Omit<Diagnosis, 'why'>

type Problem = (proxy: Proxy) => Omit<Found, 'nature'>

const NAME: Problem = ({ origin, variable }) => ({
  found: `the name of the proxy ${origin} was not resolved`,
  remedy: `Check the host in ${variable}, and the name service of this machine.`,
})

const PROBLEMS: Readonly<Record<string, Problem>> = {
  ENOTFOUND: NAME,
  EAI_AGAIN: NAME,
  EAI_FAIL: NAME,
  ENODATA: NAME,
  ECONNREFUSED: ({ origin, variable }) => ({
    found: `the proxy ${origin} refused the connection`,
    remedy: `Check host and port in ${variable}, and that the proxy is up.`,
  }),
}

/** TLS between this machine and the proxy. */
const TLS =
  /^(ERR_SSL_|ERR_TLS_|EPROTO$|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|HOSTNAME_MISMATCH)/

export function tunnelProblem({ status, cause }: TunnelError, target: Target, proxy: Proxy): Diagnosis {
  const why = ofProxy(status === undefined ? networkCause(codeOf(cause)) : statusCause(status))
  const found = status === undefined ? unanswered(codeOf(cause), target, proxy) : refused(status, target, proxy)
  return { ...found, why }
}

function ofProxy({ words, code }: NetworkCause): NetworkCause {
  return { words: `at the proxy: ${words}`, code }
}

function unanswered(code: string, target: Target, proxy: Proxy): Found {
  const { origin, variable } = proxy
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    const found = `the proxy ${origin} opened no way to ${target.origin} in time`
    return { found, remedy: `Check host and port in ${variable}. ${around(target)}`, nature: 'timeout' }
  }
  if (TLS.test(code)) {
    const found = `the proxy ${origin} and this program could not agree on TLS (${code})`
    const remedy = `Check scheme, host and port in ${variable}; if the proxy's certificate is right, put that of its authority into a file that NODE_EXTRA_CA_CERTS names.`
    return { found, remedy, nature: 'unusable' }
  }
  const { found, remedy } = PROBLEMS[code]?.(proxy) ?? {
    found: `the proxy ${origin} closed the connection before it had opened a way to ${target.origin}`,
    remedy: `Check scheme and port in ${variable}. ${around(target)}`,
  }
  return { found: `${found} (${code})`, remedy, nature: 'network' }
}

function refused(status: number, target: Target, proxy: Proxy): Found {
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
  const passing = status === 408 || status === 429 || status >= 500
  return {
    found: `the proxy ${origin} opened no way to ${target.origin} (it answered ${status})`,
    remedy: `Check the host in ${target.addressOption}, and ask the operator of the proxy to let it through. ${around(target)}`,
    nature: passing ? 'network' : 'unusable',
  }
}

function around(target: Target): string {
  return `If ${target.origin} can be reached without the proxy, put ${new URL(target.origin).hostname} into no_proxy.`
}
