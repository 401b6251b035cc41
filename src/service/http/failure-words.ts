// Words for an exchange without an answer: for each code of an error what was found, what to do, and whether a retry can help. The messages
// of libraries are never used, because they may quote an address.

import { codeOf } from '../../core/errors.ts'
import type { Target } from './answer.ts'

/** timeout and network: a retry may help; unusable: no retry helps, something must be changed; ours: a defect of this program. */
export type Nature = 'timeout' | 'network' | 'unusable' | 'ours'

export interface FailureWords {
  readonly found: string
  readonly remedy: string
  readonly nature: Nature
}

/** Codes of errors, and words for them. `{origin}`, `{host}`, `{option}` are those of the target, `{closed}` why it may have closed. */
type Rule = readonly [codes: RegExp, found: string, remedy: string]

export const NAME_CODES = /^(ENOTFOUND|EAI_AGAIN|EAI_FAIL|ENODATA)$/

const CHECK_PROXY = 'Check {option} and any proxy in between'
const CHECK_PORT = 'Check scheme and port in {option}'
const TRUST = 'If it is right, put the certificate of its authority into ca_certificate.'
const RENEW = 'Have it renewed, and check the clock of this machine.'

/** Errors that another attempt may not meet. Here and below, the first rule that fits counts. */
const NETWORK: readonly Rule[] = [
  [NAME_CODES, 'the name {host} could not be resolved', 'Check the host in {option}, and the DNS of this machine.'],
  [/^ECONNREFUSED$/, '{origin} refused the connection', 'Check host and port in {option}, and that the service is up.'],
  [
    /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/,
    'could not connect to {origin}',
    'Check host and port in {option}, and whether a firewall is in the way.',
  ],
  [
    /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/,
    '{origin} closed the connection without answering',
    'If this persists, {closed}, or something in between closes connections.',
  ],
  [
    // while no status has come, undici says this of anything that is wrong in a head which has named a length
    /^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/,
    'the answer of {origin} has headers that break HTTP/1.1, such as two lengths',
    `${CHECK_PROXY}: an answer has one Content-Length, and none beside Transfer-Encoding.`,
  ],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'the answer of {origin} has too many headers', `${CHECK_PROXY}.`],
  [
    /^HPE_PAUSED_UPGRADE$/,
    '{origin} switched to another protocol (101), which was not asked for',
    `${CHECK_PORT}, and any proxy in between.`,
  ],
  [/^(HTTPParserError$|HPE_)/, 'the answer of {origin} is not HTTP/1.1', `${CHECK_PORT}, and any proxy in between.`],
]

/** Errors of TLS that no retry helps against. */
const UNUSABLE: readonly Rule[] = [
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    'the TLS certificate of {origin} is not valid for the name {host}',
    'Check the host in {option}.',
  ],
  [/^CERT_HAS_EXPIRED$/, 'the TLS certificate of {origin} has expired', RENEW],
  [/^CERT_NOT_YET_VALID$/, 'the TLS certificate of {origin} is not valid yet', RENEW],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'the TLS certificate of {origin} is self-signed', TRUST],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|CRL_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERR_SSL_CERTIFICATE_VERIFY_FAILED)/,
    'the TLS certificate of {origin} is signed by an unknown authority',
    TRUST,
  ],
  [
    /^ERR_SSL_.*(CERTIFICATE_REQUIRED|ALERT_(BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED))/,
    '{origin} did not accept the TLS certificate of this client, or requires one',
    'Check client_certificate and client_key.',
  ],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    'the TLS handshake with {origin} failed: this port speaks plain http, or no TLS at all',
    `${CHECK_PORT}: the address of a service without TLS begins with http://.`,
  ],
  [
    /^(ERR_SSL_(HTTP_REQUEST|HTTPS_PROXY_REQUEST|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE|TLSV1_ALERT_PROTOCOL_VERSION|TLSV1_UNRECOGNIZED_NAME|SSL\/TLS_ALERT_HANDSHAKE_FAILURE|SSLV3_ALERT_HANDSHAKE_FAILURE|EE_KEY_TOO_SMALL|DH_KEY_TOO_SMALL|CA_MD_TOO_WEAK)|EPROTO$)/,
    'the TLS handshake with {origin} failed',
    `${CHECK_PORT}, and client_certificate if the service wants one.`,
  ],
  [
    /^(ERR_OSSL_|ERR_CRYPTO_|ERR_TLS_INVALID|ERR_SSL_(KEY_VALUES_MISMATCH|NO_START_LINE|BAD_BASE64))/,
    'the given certificates or the client key cannot be used',
    'Check ca_certificate, client_certificate and client_key.',
  ],
]

/** Errors in how this program made the request. */
const OURS: Rule = [
  /^(UND_ERR_(INVALID|NOT_SUPPORTED|REQ_CONTENT_LENGTH)|ERR_INVALID_|ERR_ASSERTION$|ERR_OUT_OF_RANGE$)/,
  'a request to {origin} could not be made',
  'This is a bug in this program: please report it.',
]
const OTHER: Rule = [/^/, 'the request to {origin} failed', 'Check {option} and the network.']

/** The words for an error that ended a request, or kept it from being made. */
export function wordsOfError(error: unknown, { origin, addressOption }: Target): FailureWords {
  const code = codeOf(error)
  const { nature, rule } = ruleFor(code, error)
  const { protocol, hostname } = new URL(origin)
  const isTls = protocol === 'https:'
  const values: Readonly<Record<string, string>> = {
    origin,
    host: hostname,
    option: addressOption,
    closed: isTls
      ? 'the service may require a client certificate (client_certificate, client_key)'
      : `the port in ${addressOption} may require https:`,
  }
  const fill = (words: string): string => words.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name]!)
  const [, found, remedy] = rule
  return { found: `${fill(found)} (${code})`, remedy: fill(remedy), nature }
}

function ruleFor(code: string, error: unknown): { readonly nature: Nature; readonly rule: Rule } {
  const fits = ([codes]: Rule): boolean => codes.test(code)
  const network = NETWORK.find(fits)
  if (network) return { nature: 'network', rule: network }
  const unusable = UNUSABLE.find(fits)
  if (unusable) return { nature: 'unusable', rule: unusable }
  if (fits(OURS) || error instanceof TypeError) return { nature: 'ours', rule: OURS }
  return { nature: 'network', rule: OTHER }
}
